#!/usr/bin/env python3
"""make_data.py ZINC DIR - the data sets that the tests of the viewer open, and the values they expect

zarr-python writes them, with seeded values; drafts are copies made by ZINC.  Beside NAME.zarr lie the expected values,
NAME.VARIABLE.npy: decoded (scale, offset, missing values) where the page decodes.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec

ZINC, DIR = os.path.abspath(sys.argv[1]), sys.argv[2]
HOSTILE = '<img src=x onerror=alert(1)>'
ODD = ['a b', 'ü', HOSTILE, '50%', 'x?y#z', "q'\"&amp;"]


def group(name, version=3, **attributes):
    shutil.rmtree(name, ignore_errors=True)
    return zarr.create_group(name, zarr_format=version, attributes=attributes)


def array(parent, name, values, chunks, dims=None, attributes=None, **options):
    v3 = parent.metadata.zarr_format == 3
    attributes = dict(attributes or {})
    if dims and not v3:
        attributes['_ARRAY_DIMENSIONS'] = dims
    a = parent.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks, attributes=attributes,
                            dimension_names=dims if v3 else None, **options)
    if values.size:
        a[...] = values
    return a


def expect(name, values):
    np.save(f'{name}.npy', values)


def field(rng, shape):
    """A smooth field with noise: every element differs from its neighbours."""
    axes = np.meshgrid(*[np.linspace(0, 3 + i, n) for i, n in enumerate(shape)], indexing='ij')
    return sum(np.sin(a * (i + 1)) for i, a in enumerate(axes)) + 0.2 * rng.standard_normal(shape)


def climate(name, version):
    rng = np.random.default_rng(1)
    g = group(name + '.zarr', version, Conventions='CF-1.8', title='A small climate')
    time = np.arange(24, dtype='int32') * 15
    lat, lon = np.linspace(88.75, -88.75, 72), np.linspace(0, 357.5, 144, dtype='float32')
    # as xarray writes them: in version 2 a fill value would mean missing
    plain = {'fill_value': None} if version == 2 else {}
    array(g, 'time', time, (24,), ['time'], {'units': 'days since 2020-01-01', 'calendar': 'standard', 'axis': 'T'}, **plain)
    array(g, 'lat', lat, (72,), ['lat'], {'units': 'degrees_north', 'standard_name': 'latitude'}, **plain)
    array(g, 'lon', lon, (144,), ['lon'], {'units': 'degrees_east', 'standard_name': 'longitude'}, **plain)
    packed = np.round(field(rng, (24, 72, 144)) * 1000).astype('int16')
    packed[:, 30:36, 50:60] = -32767
    array(g, 't2m', packed, (6, 36, 72), ['time', 'lat', 'lon'],
          {'units': 'K', 'long_name': '2 metre temperature', 'scale_factor': 0.01, 'add_offset': 273.15, '_FillValue': -32767},
          fill_value=-32767)
    wind = field(rng, (24, 72, 144)).astype('float32')
    wind[:, :5, :7] = np.nan
    array(g, 'wind', wind, (1, 72, 144), ['time', 'lat', 'lon'], {'units': 'm s-1', 'long_name': 'wind'}, fill_value=np.nan)
    decoded = np.where(packed == -32767, np.nan, packed * 0.01 + 273.15)
    expect(name + '.t2m', decoded)
    expect(name + '.packed', packed)
    expect(name + '.wind', wind)


CHANNELS = [('nuclei', '0000FF'), ('actin', '00FF00'), ('membrane', 'FF0000')]


def cells(rng, size):
    y, x = np.mgrid[:size, :size]
    out = np.empty((3, 8, size, size), 'uint16')
    for c in range(3):
        for z in range(8):
            spots = np.zeros((size, size))
            for cy, cx, r in rng.uniform([0, 0, 8], [size, size, 40], (12, 3)):
                spots += np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / (2 * r * r))
            out[c, z] = np.clip(spots * 2000 * (c + 1) + 100 + rng.integers(0, 60, (size, size)), 0, 65535)
    return out


def microscopy(name, version, size):
    full = cells(np.random.default_rng(2), size)
    axes = [{'name': 'c', 'type': 'channel'}] + [{'name': n, 'type': 'space', 'unit': 'micrometer'} for n in 'zyx']
    levels = [full, full[..., ::2, ::2], full[..., ::4, ::4]]
    image = {
        'name': 'cells', 'axes': axes,
        'datasets': [{'path': str(k), 'coordinateTransformations': [
            {'type': 'scale', 'scale': [1, 0.5, 0.1 * 2**k, 0.1 * 2**k]}]} for k in range(3)],
    }
    omero = {'channels': [
        {'label': label, 'color': colour, 'active': True,
         'window': {'min': 0, 'max': 65535, 'start': 100, 'end': 2000 * (i + 1)}} for i, (label, colour) in enumerate(CHANNELS)]}
    if version == 3:
        g = group(name + '.zarr', 3, ome={'version': '0.5', 'multiscales': [image], 'omero': omero})
    else:
        g = group(name + '.zarr', 2, multiscales=[{'version': '0.4', **image}], omero={'version': '0.4', **omero})
    for k, level in enumerate(levels):
        if version == 3:
            side = level.shape[-1]
            array(g, str(k), level, (1, 1, 64, 64), ['c', 'z', 'y', 'x'], shards=(1, 8, min(256, side), min(256, side)))
        else:
            array(g, str(k), level, (1, 1, 64, 64), chunk_key_encoding={'name': 'v2', 'separator': '/'})
        expect(f'{name}.{k}', level)
    if version == 3:
        empty = group(name + '-empty.zarr', 3)
        array(empty, '0', np.zeros(full.shape, 'uint16'), (1, 1, 64, 64), ['c', 'z', 'y', 'x'])


WORDS = ['', 'Zürich', 'naïve', '東京', 'a,b', 'say "hi"', 'two\nlines', '<b>bold</b>', 'x' * 120]


def strings():
    g = group('strings.zarr', 3)
    names = np.array([WORDS[i % len(WORDS)] + str(i) for i in range(200)], np.dtypes.StringDType())
    array(g, 'names', names, (50,), ['station'])
    fixed = np.array([[f'r{i}c{j}é' for j in range(3)] for i in range(20)], 'U8')
    array(g, 'fixed', fixed, (10, 3), ['row', 'column'])
    v2 = group('strings-v2.zarr', 2)
    array(v2, 'names', names, (50,), ['station'])
    array(v2, 'bytes', np.array([f'b{i}' for i in range(20)], 'S6'), (10,))
    with open('strings.names.json', 'w') as f:
        json.dump([str(s) for s in names], f)
    with open('strings.fixed.json', 'w') as f:
        json.dump(fixed.tolist(), f)


def records():
    rng = np.random.default_rng(3)
    values = np.zeros(100, [('id', '<i4'), ('value', '<f8'), ('name', 'S8')])
    values['id'], values['value'] = np.arange(100), rng.standard_normal(100)
    values['name'] = [f'n{i}'.encode() for i in range(100)]
    g = group('records.zarr', 2)
    array(g, 'table', values, (25,))
    expect('records.table', values)


def damaged():
    values = field(np.random.default_rng(4), (256, 256)).astype('float32')
    g = group('damaged.zarr', 3)
    array(g, 'a', values, (64, 64), ['y', 'x'], fill_value=-1.0, compressors=[ZstdCodec(level=1), Crc32cCodec()])
    with open('damaged.zarr/a/c/1/1', 'r+b') as f:
        f.seek(100)
        byte = f.read(1)[0]
        f.seek(100)
        f.write(bytes([byte ^ 0xFF]))
    os.remove('damaged.zarr/a/c/2/2')
    values[64:128, 64:128] = np.nan  # it cannot be read
    values[128:192, 128:192] = -1  # the fill value
    expect('damaged.a', values)


def huge():
    """value(i, j) = (7 i + 13 j) // 100 mod 65536, in the chunks whose 37 a + 91 b is divisible by 33; 0 elsewhere."""
    g = group('huge.zarr', 3)
    a = g.create_array('a', shape=(100000, 100000), dtype='uint16', chunks=(1000, 1000), dimension_names=['y', 'x'],
                       compressors=ZstdCodec(level=1), fill_value=0)
    y, x = np.mgrid[:1000, :1000].astype('int32')
    corner = 7 * y + 13 * x
    for i in range(100):
        for j in range(100):
            if (37 * i + 91 * j) % 33 == 0:
                a[i * 1000:i * 1000 + 1000, j * 1000:j * 1000 + 1000] = (
                    (corner + 7000 * i + 13000 * j) // 100 % 65536).astype('uint16')


def kinds():
    rng = np.random.default_rng(5)
    g = group('kinds.zarr', 3)
    y, x = np.mgrid[:200, :300]
    rgb = np.stack([y % 256, x % 256, (x + y) % 256], -1).astype('uint8')
    array(g, 'rgb', rgb, (100, 100, 3), ['y', 'x', 'rgb'])
    expect('kinds.rgb', rgb)
    array(g, 'scalar', np.array(42.5), ())
    array(g, 'empty', np.zeros((0, 5)), (1, 5), ['none', 'some'])
    big = (2**53 + rng.integers(1, 2**60, (8, 8))).astype('int64')
    big[0, 0], big[0, 1] = 2**53 + 1, np.iinfo('int64').min
    array(g, 'int64', big, (4, 4))
    expect('kinds.int64', big)
    special = field(rng, (16, 16))
    special[0, :3] = np.nan, np.inf, -np.inf
    array(g, 'special', special, (8, 8), ['y', 'x'], fill_value=np.nan)
    expect('kinds.special', special)
    array(g, 'line', np.cumsum(rng.standard_normal(5000)), (500,), ['x'])
    expect('kinds.line', np.asarray(g['line'][:]))
    array(g, 'bool', rng.random((12, 10)) < 0.5, (6, 5))
    expect('kinds.bool', np.asarray(g['bool'][:]))
    array(g, 'one', np.array([[3.0]]), (1, 1))
    array(g, 'constant', np.full((20, 20), 7.0), (10, 10))
    array(g, 'wide', field(rng, (3, 4000)), (3, 1000))
    array(g, 'nan', np.full((20, 30), np.nan), (10, 10))
    array(g, 'offset', 1e9 + rng.random((30, 30)) * 1e-4, (10, 10))
    holes = np.where(np.add.outer(np.arange(3000), np.arange(3000)) % 2, 7, -9999).astype('int16')
    array(g, 'holes', holes, (1000, 1000), fill_value=-9999)
    zeros = rng.integers(100, 200, (30, 40)).astype('uint16')
    zeros[:, 20:] = 0
    array(g, 'zeros', zeros, (10, 10), fill_value=0)
    expect('kinds.zeros', zeros)
    single = np.full((20, 20), 1.5, 'float32')
    single[5:10] = 0.1
    array(g, 'single', single, (10, 10), fill_value=np.float32(0.1))


def big_endian():
    g = group('big.zarr', 2)
    rng = np.random.default_rng(6)
    for name, kind in [('f4', '>f4'), ('i2', '>i2')]:
        values = (field(rng, (50, 40)) * 1000).astype(kind)
        array(g, name, values, (20, 20))
        expect('big.' + name, values.astype(kind.replace('>', '<')))


def odd():
    g = group('odd.zarr', 3, note=HOSTILE, **{HOSTILE: HOSTILE})
    values = np.arange(12.0).reshape(3, 4)
    for name in ODD:
        array(g, name, values, (3, 4), [HOSTILE, 'x'], {'units': HOSTILE, 'long_name': HOSTILE})
        sub = g.create_group('in ' + name)
        array(sub, 'a', values, (3, 4))
    # names that are no text
    evil = {'ONCLICK': 'window.pwned = 1', 'style': 'position: fixed', 'class': 'evil'}
    array(group('odd-names.zarr', 2), 'a', np.ones((3, 4, 5)), (3, 4, 5), [evil, evil, evil], {'units': evil, 'long_name': evil})
    with open('odd.json', 'w') as f:
        json.dump(ODD, f)


def many():
    """2 000 arrays in 40 groups; only their documents."""
    group('many.zarr', 3)
    for i in range(40):
        os.makedirs(f'many.zarr/g{i:02}')
        with open(f'many.zarr/g{i:02}/zarr.json', 'w') as f:
            json.dump({'zarr_format': 3, 'node_type': 'group', 'attributes': {}}, f)
        for j in range(50):
            os.makedirs(f'many.zarr/g{i:02}/a{j:02}')
            with open(f'many.zarr/g{i:02}/a{j:02}/zarr.json', 'w') as f:
                json.dump({'zarr_format': 3, 'node_type': 'array', 'shape': [100 + i, 100 + j], 'data_type': 'int16',
                           'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': [50, 50]}},
                           'chunk_key_encoding': {'name': 'default', 'configuration': {'separator': '/'}},
                           'fill_value': 0, 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}],
                           'attributes': {}}, f)


def zipped(source):
    with zipfile.ZipFile(source + '.zip', 'w', zipfile.ZIP_STORED) as z:
        for base, _, files in os.walk(source + '.zarr'):
            for f in files:
                path = os.path.join(base, f)
                z.write(path, os.path.relpath(path, source + '.zarr'))


def draft(source, version):
    target = f'{source}-{version}.zarr'
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run([ZINC, 'cp', '--format', version, source + '.zarr', target], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


os.makedirs(DIR, exist_ok=True)
os.chdir(DIR)
zarr.config.set({'async.concurrency': 4})
climate('climate', 3)
climate('climate-v2', 2)
microscopy('microscopy', 3, 512)
microscopy('microscopy-04', 2, 256)
strings()
records()
damaged()
huge()
kinds()
big_endian()
odd()
many()
zipped('climate')
draft('climate', 'v3-2020')
