#!/usr/bin/env python3
"""neuroglancer_sees.py ZINC DATA OUT - Neuroglancer in headless Chromium renders the sharded volume through `zinc serve`

The client is the one inside the PyPI package, served by its own local server, so the data come from another origin.
The picture of the volume must differ from that of an array of zeros, and be brighter where the volume is.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile

import neuroglancer
import numpy as np

ZINC, DATA, OUT = (os.path.abspath(a) for a in sys.argv[1:4])
CHROMIUM = os.environ.get('CHROMIUM', '/usr/bin/chromium')
# WebGL without a graphics card: SwiftShader
FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
         '--window-size=600,600', '--remote-debugging-port=0']
SHADER = '#uicontrol invlerp normalized(range=[0, 6000])\nvoid main() { emitGrayscale(normalized()); }'
SIZE = 400
failed = passed = 0


def check(name, ok, detail=''):
    global failed, passed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAIL: {name}: {detail}')


class Server:
    def __init__(self, path):
        self.process = subprocess.Popen([ZINC, 'serve', path], cwd=DATA, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if not os.environ.get('VERBOSE') else None, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def render(viewer, url, z):
    """A picture of one channel and plane, as an array of y, x, RGB."""
    with viewer.txn() as s:
        s.dimensions = neuroglancer.CoordinateSpace(names=['x', 'y', 'z', 'c'], units='', scales=[1, 1, 1, 1])
        s.layers.clear()
        s.layers['image'] = neuroglancer.ImageLayer(source=f'zarr3://{url}v3/0', shader=SHADER)
        s.layout = 'xy'
        s.position = [256, 256, z + 0.5, 0.5]
        s.cross_section_scale = 512 / SIZE
        s.show_axis_lines = s.show_scale_bar = s.show_default_annotations = False
        s.cross_section_background_color = '#000000'
    shot = viewer.screenshot(size=[SIZE, SIZE])
    return shot.screenshot


def pixels(screenshot):
    return np.asarray(screenshot.image_pixels)[..., :3].astype(float)


def main():
    neuroglancer.set_server_bind_address('127.0.0.1')
    viewer = neuroglancer.Viewer()
    profile = tempfile.mkdtemp(prefix='zinc-neuroglancer-')
    browser = subprocess.Popen([CHROMIUM, *FLAGS, f'--user-data-dir={profile}', viewer.get_viewer_url()],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    full, empty = Server('microscopy.zarr'), Server('microscopy-empty.zarr')
    try:
        shots = {}
        for name, server, z in [('full', full, 3), ('next', full, 4), ('empty', empty, 3)]:
            shot = render(viewer, server.url, z)
            with open(os.path.join(OUT, f'neuroglancer-{name}.png'), 'wb') as f:
                f.write(shot.image)
            shots[name] = pixels(shot)
        expected = np.load(os.path.join(DATA, 'microscopy.0.npy'))
        check('the volume is not background', (shots['full'].max(-1) > 40).mean() > 0.02, shots['full'].mean())
        check('zeros are background', shots['empty'].max() < 40, shots['empty'].max())
        check('another plane is another picture', np.abs(shots['full'] - shots['next']).max() > 40, '')
        for name, z in [('full', 3), ('next', 4)]:
            index = ((np.arange(SIZE) + 0.5) * 512 / SIZE).astype(int)
            plane = np.clip(expected[0, z][np.ix_(index, index)] / 6000.0, 0, 1) * 255
            worst = np.abs(shots[name][..., 0] - plane)
            check(f'the picture of plane {z} is the data', (worst > 12).mean() < 0.02, f'{(worst > 12).mean():.3f} of the pixels differ')
    finally:
        browser.terminate()
        browser.wait(20)
        full.stop()
        empty.stop()
        shutil.rmtree(profile, ignore_errors=True)
    print(f'{passed} passed, {failed} failed')
    return failed != 0


signal.signal(signal.SIGALRM, lambda *_: sys.exit('neuroglancer: no picture within 100 s'))
signal.alarm(100)
sys.exit(main())
