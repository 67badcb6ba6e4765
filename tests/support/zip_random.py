"""zip_random.py SEED COUNT DIRECTORY - random archives of one array, and what must be read from each

Prints a line per archive: its file name with the path of the array in it; "read", or "any" if programs may differ about
it or refuse it (a comment that is itself a whole end record, bytes after the end); "zipfile" if that opens it, or "-".
NAME.want has the elements.
"""
import io
import pathlib
import random
import struct
import sys
import warnings
import zipfile

SEED, COUNT, DIRECTORY = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
DOCUMENT = (
    '{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","chunk_grid":{"name":"regular",'
    '"configuration":{"chunk_shape":[%d]}},"chunk_key_encoding":{"name":"default"},"fill_value":7,'
    '"codecs":[{"name":"bytes"}]}'
)
END = b"PK\5\6"


class OldName(zipfile.ZipInfo):
    """a name in code page 437, as DOS programs write it"""

    def _encodeFilenameFlags(self):
        return self.filename.encode("cp437"), self.flag_bits & ~0x800


class Pipe(io.RawIOBase):
    """an output that cannot seek: sizes and checksums follow the bytes"""

    def __init__(self):
        self.all = bytearray()

    def writable(self):
        return True

    def write(self, b):
        self.all += b
        return len(b)


def add(z, r, name, value, old_name):
    info = (OldName if old_name else zipfile.ZipInfo)(name)
    info.compress_type = r.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    info.external_attr = 0o644 << 16
    if r.random() < 0.2:
        info.extra = struct.pack("<HH", 0x7855, 4) + r.randbytes(4)
    with z.open(info, "w", force_zip64=r.random() < 0.3) as f:
        f.write(value)


def nested(r, names):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w") as z:
        for n in names:
            z.writestr(n, r.randbytes(9))
    return b.getvalue()


def entries(r, path, nchunks, size, want):
    names = [f"{path}c/{i}" for i in range(nchunks)]
    out = [(f"{path}zarr.json", (DOCUMENT % (nchunks * size, size)).encode())]
    for i, n in enumerate(names):
        if r.random() < 0.1:
            continue  # fill value
        value = bytes(size) if r.random() < 0.2 else r.randbytes(size)
        want[i * size : (i + 1) * size] = value
        out.append((n, value))
    r.shuffle(out)
    older = [(n, r.randbytes(r.randrange(40))) for n, _ in out if r.random() < 0.2]
    others = [("nested.zip", nested(r, names)), (f"{path}empty/", b""), ("end", END + bytes(18)), ("notes/q", b"")]
    return older + out + [o for o in others if r.random() < 0.4]


def comment(r):
    """and whether it is as good as an end record"""
    kind = r.randrange(6)
    if kind == 0:
        return r.randbytes(r.randrange(300)).replace(END, b""), False
    if kind == 1:
        return END + r.randbytes(30) + b"x", False  # its own comment would not end with the archive
    if kind == 2 and r.random() < 0.3:
        return b"c" + END + bytes(18), True
    return b"", False


def opens(text):
    """zipfile takes any mark in a comment for the end record"""
    try:
        zipfile.ZipFile(io.BytesIO(text))
        return "zipfile"
    except zipfile.BadZipFile:
        return "-"


def make(r, at):
    nchunks, size = r.randrange(1, 12), r.choice((1, 10, 1000, 70000))
    path = r.choice(("", "", "d.zarr/x/", "é/", "Ünder score/ß/"))
    old_name = r.random() < 0.5
    want = bytearray(b"\7" * (nchunks * size))
    stub = r.randbytes(r.choice((0, 0, 0, 1, 5000)))
    moved = r.random() < 0.5  # positions count the bytes before the archive
    out = Pipe() if r.random() < 0.3 else io.BytesIO()
    if stub and moved:
        out.write(stub)
    text, sure = b"", True
    with zipfile.ZipFile(out, "w") as z:
        for name, value in entries(r, path, nchunks, size, want):
            add(z, r, name, value, old_name)
        z.comment, fake = comment(r)
        sure = not fake
    text = bytes(out.all) if isinstance(out, Pipe) else out.getvalue()
    if stub and not moved:
        text = stub + text
    if r.random() < 0.03:
        text += r.randbytes(3)
        sure = False
    (DIRECTORY / f"{at}.zip").write_bytes(text)
    (DIRECTORY / f"{at}.want").write_bytes(want)
    print(f"{at}.zip/{path}".rstrip("/"), "read" if sure else "any", opens(text), sep="\t")


warnings.simplefilter("ignore")  # of names that are in an archive twice
for i in range(COUNT):
    make(random.Random(SEED * 1000003 + i), i)
