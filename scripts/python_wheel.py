#!/usr/bin/env python3
"""python_wheel.py WHEEL DIR - make a wheel that contains all libraries it needs, with their licences, into DIR

auditwheel copies the libraries that the ELF files of the wheel are linked with: of the extension, of libzinc, and of the
modules, which nothing links but libzinc loads.  Each gets a name with a hash, so that it cannot be mistaken for the
system's, and the wheel gets the tag that its symbols of glibc allow.  This adds the licence of each library, as Debian has
it in /usr/share/doc/PACKAGE/copyright, with the common texts that they refer to, and checks the result:

(1) Every library in the wheel has a licence in it.
(2) Every module is in the wheel, and finds libzinc there.
(3) Outside of the wheel only libraries are needed that every manylinux system has.
(4) The extension uses nothing but the stable ABI (abi3audit).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOC = pathlib.Path("/usr/share/doc")
COMMON = pathlib.Path("/usr/share/common-licenses")
# What the policies of manylinux (PEP 600) promise, as far as we need it
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1"}
MODULES = ["http", "s3", "gs", "az", "sqlite", "lmdb", "leveldb", "redis", "postgresql"]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def plain_name(name):
    """libcurl-02fbea31.so.4.8.0 is libcurl.so.4.8.0, liblber-2-64f183c1.5.so.0.1.8 is liblber-2.5.so.0.1.8"""
    return re.sub(r"-[0-9a-f]{8}(?=\.)", "", name, count=1)


def system_file(name):
    """The file of the system that auditwheel copied"""
    triplet = run("gcc", "-print-multiarch").strip()
    for directory in (f"/usr/lib/{triplet}", f"/lib/{triplet}", "/usr/lib", "/usr/local/lib"):
        path = pathlib.Path(directory) / name
        if path.exists():
            return path
    raise SystemExit(f"python_wheel: where does {name} come from?")


def package_of(path):
    """The Debian package of a file, which dpkg may know with or without /usr"""
    other = pathlib.Path(str(path)[4:]) if str(path).startswith("/usr/") else pathlib.Path(f"/usr{path}")
    for candidate in (path, other):
        found = subprocess.run(["dpkg-query", "-S", str(candidate)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise SystemExit(f"python_wheel: {path} belongs to no package, so its licence is unknown")


def add_licences(tree):
    """One file for each package, and the common texts.  Returns their names relative to the directory of licences."""
    target = next(tree.glob("*.dist-info")) / "licenses"
    packages = {package_of(system_file(plain_name(path.name))) for path in (tree / "zinczarr.libs").iterdir()}
    common = set()
    for package in sorted(packages):
        text = (DOC / package / "copyright").read_text(errors="replace")
        (target / "libraries").mkdir(parents=True, exist_ok=True)
        (target / "libraries" / f"{package}.txt").write_text(text)
        common |= set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text))
    (target / "common").mkdir(exist_ok=True)
    for name in sorted(common):
        shutil.copy((COMMON / name).resolve(), target / "common" / f"{name}.txt")
    return sorted(path.relative_to(target).as_posix() for path in target.glob("*/*"))


def name_licences(tree, names):
    """PEP 639: each file is named in the metadata"""
    path = next(tree.glob("*.dist-info")) / "METADATA"
    head, separator, body = path.read_text().partition("\n\n")
    head += "".join(f"\nLicense-File: {name}" for name in names)
    path.write_text(head + separator + body)


# ---- checks ----


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path))


def check_libraries(tree):
    inside = {path.name for path in (tree / "zinczarr.libs").iterdir()} | {"libzinczarr.so.0"}
    for path in sorted(tree.glob("**/*.so*")):
        for name in needed(path):
            if name not in inside | SYSTEM:
                yield f"{path.relative_to(tree)} needs {name}, which is neither in the wheel nor in every system"
        if re.search(r"R(UN)?PATH.*\[(?!\$ORIGIN)", run("readelf", "-d", path)):
            yield f"{path.relative_to(tree)} looks for libraries outside of the wheel"


def check_modules(tree):
    for name in MODULES:
        path = tree / "zinczarr" / "zinc" / f"store_{name}.so"
        if not path.is_file():
            yield f"the module {name} is missing"
        elif "libzinczarr.so.0" not in needed(path):
            yield f"the module {name} is not linked with the library of the wheel"


def check_licences(tree):
    directory = next(tree.glob("*.dist-info")) / "licenses" / "libraries"
    for path in sorted((tree / "zinczarr.libs").iterdir()):
        if not (directory / f"{package_of(system_file(plain_name(path.name)))}.txt").is_file():
            yield f"{path.name} is without a licence"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", work / "repaired", options.wheel)
        repaired = next((work / "repaired").glob("*.whl"))
        run(sys.executable, "-m", "wheel", "unpack", "-d", work / "tree", repaired)
        tree = next((work / "tree").iterdir())
        names = add_licences(tree)
        name_licences(tree, names)
        wrong = [*check_libraries(tree), *check_modules(tree), *check_licences(tree)]
        options.directory.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "wheel", "pack", "-d", options.directory, tree)
        libraries = len(list((tree / "zinczarr.libs").iterdir()))
    out = options.directory / repaired.name
    if subprocess.run([sys.executable, "-m", "abi3audit", "--strict", "--report", str(out)], stdout=subprocess.DEVNULL).returncode:
        wrong.append("the extension uses more than the stable ABI")
    for text in wrong:
        print(f"python_wheel: {text}")
    print(f"python_wheel: {out.name}, {out.stat().st_size >> 10} KiB, {libraries} libraries, {len(names)} licences, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
