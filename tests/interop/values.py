"""values.py - element types, fill values and test data, bit for bit

Numbers are compared as bits, never as numbers: a NaN must keep its payload and a zero its sign.
"""

import zlib

import numpy as np

# v3 name -> NumPy type string without byte order
NUMPY = {
    "bool": "?",
    "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
    "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
    "float16": "f2", "float32": "f4", "float64": "f8",
    "complex64": "c8", "complex128": "c16",
    "r16": "V2", "r24": "V3",
}  # fmt: skip
TYPES = [name for name in NUMPY if name[0] != "r"]
FLOATS = ["float16", "float32", "float64"]


def dtype_of(name):
    return np.dtype(NUMPY[name])


def part_of(dtype):
    """The float type of a complex type's two parts; other types are their own part."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def float_bits(dtype, value):
    """A float from its JSON form: a number, "NaN", "Infinity", "-Infinity" or "0x...", as an array of one."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    if value == "NaN":  # the quiet NaN whose other bits are zero, as in the specification
        exponent = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}[dtype.itemsize]
        return np.array([exponent], unsigned).view(dtype)
    if isinstance(value, str) and value.startswith("0x"):
        return np.array([int(value, 16)], unsigned).view(dtype)
    return np.array([float(value)], dtype)


def fill_of(name, value):
    """The fill value of a v3 document as an array of shape (), with exactly its bits."""
    dtype = dtype_of(name)
    if name[0] == "r":
        return np.frombuffer(bytes(value), dtype).reshape(())
    if dtype.kind == "c":
        parts = [float_bits(part_of(dtype), v) for v in value]
        return np.concatenate(parts).view(dtype).reshape(())
    if dtype.kind == "f":
        return float_bits(dtype, value).reshape(())
    return np.array(value, dtype)


def bits(array):
    """An array's elements as bytes in C order, little-endian."""
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def quiet(array):
    """The same array with every NaN replaced by the plain one, for readers that do not keep payloads."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind not in "fc":
        return array
    parts = array.reshape(-1).view(part_of(array.dtype)).copy()
    parts[np.isnan(parts)] = np.nan
    return parts.view(array.dtype).reshape(array.shape)


def specials(dtype):
    """Values of a float type that are often handled wrongly."""
    plain, info = float_bits(dtype, "NaN"), np.finfo(dtype)
    payload = (plain.view(f"u{dtype.itemsize}") | 5).view(dtype)
    negative = (payload.view(f"u{dtype.itemsize}") | 1 << 8 * dtype.itemsize - 1).view(dtype)
    others = np.array([-0.0, 0.0, np.inf, -np.inf, info.max, info.tiny, info.smallest_subnormal], dtype)
    return np.concatenate([plain, payload, negative, others])


def random(name, shape, seed):
    """Elements of every kind the type has, the same ones for the same seed."""
    rng, dtype = np.random.default_rng(zlib.crc32(seed.encode())), dtype_of(name)
    n = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(dtype).reshape(shape)
    if dtype.kind in "iuV":
        return np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).reshape(shape).copy()
    part = part_of(dtype)
    parts = rng.standard_normal(n * dtype.itemsize // part.itemsize).astype(part)
    some = rng.random(parts.shape) < 0.4
    parts[some] = rng.choice(specials(part), some.sum())
    return parts.view(dtype).reshape(shape)
