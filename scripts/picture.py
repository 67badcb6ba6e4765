#!/usr/bin/env python3
"""picture.py [ZINC [SVG]] - the README's picture: the command at work, from its real output

Makes a small data set in a temporary directory, runs the commands of SESSION with a terminal for their output, and draws
what they print, colours included, to docs/images/zinc.svg.
"""

import array
import html
import math
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SESSION = (
    "zinc tree earth.zarr",
    "zinc cat earth.zarr/surface/temperature -s '12, ::30, 60:120:10'",
    "zinc stats earth.zarr/surface/temperature",
    "printf X | dd of=earth.zarr/surface/temperature/c/1/0/0 bs=1 seek=1000 conv=notrunc",
    "zinc validate earth.zarr",
)
PREPARE = (
    "zinc create earth.zarr/surface/temperature --shape 24,90,180 --dtype int16 --chunks 6,30,60 --shards 12,90,180"
    " --codecs zstd:7+crc32c --fill -9999 --dims hour,lat,lon",
    "zinc put earth.zarr/surface/temperature --from day.raw",
    "zinc create earth.zarr/surface/lat --shape 90 --dtype float32 --dims lat",
    "zinc create earth.zarr/stations --shape 3 --dtype string",
)
COLUMNS = 100
STEP_X, STEP_Y, MARGIN, TOP = 8.4, 18, 16, 40
BACK, FORE = "#1c1f26", "#d7dae0"
COLOURS = {"31": "#ff6b6b", "32": "#7ccf7c", "33": "#e5c07b", "34": "#6cb6ff"}


def weather():
    """A day of temperatures in tenths of a degree: warm at the equator and in the afternoon"""
    out = array.array("h")
    for t in range(24):
        for y in range(90):
            lat = (y - 44.5) / 44.5 * math.pi / 2
            for x in range(180):
                day = math.cos((t / 24 + x / 180) * 2 * math.pi)
                wind = 20 * math.sin(x / 7 + t / 5) * math.cos(y / 9 - t / 11)
                out.append(int(300 * math.cos(lat) ** 2 - 80 + 60 * day * math.cos(lat) + wind))
    if sys.byteorder == "big":
        out.byteswap()
    return out.tobytes()


def run(command, where, environment):
    """The output of a command on a terminal, without its progress on standard error"""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(command, shell=True, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # EIO: the other end is closed
            break
        if not more:
            break
        text += more
    child.wait()
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def pieces(line):
    """(text, attributes) of each part of a line between changes of colour"""
    attributes = []
    for part in re.split(r"(\033\[[0-9;]*m)", line):
        if part.startswith("\033"):
            codes = part[2:-1].split(";")
            attributes = [] if codes == ["0"] else codes
        elif part:
            yield part, attributes


def rows(line):
    """The line as a terminal breaks it: lists of such parts"""
    out, room = [[]], COLUMNS
    for text, attributes in pieces(line):
        while len(text) > room:
            out[-1].append((text[:room], attributes))
            text, room = text[room:], COLUMNS
            out.append([])
        out[-1].append((text, attributes))
        room -= len(text)
    return out


def drawn(row, y):
    """Words by their columns: programs that show SVG differ in what they do with spaces at the ends and in rows"""
    out, column = [], 0
    for text, attributes in row:
        style = f'fill="{next((COLOURS[a] for a in attributes if a in COLOURS), FORE)}"'
        style += ' font-weight="bold"' if "1" in attributes else ""
        style += ' opacity="0.6"' if "2" in attributes else ""
        for words in re.finditer(r"\S+(?: \S+)*", text):
            x, width = MARGIN + (column + words.start()) * STEP_X, len(words[0]) * STEP_X
            out.append(f'<text x="{x:.1f}" y="{y}" textLength="{width:.1f}" {style}>{html.escape(words[0])}</text>')
        column += len(text)
    return out


def picture(lines):
    broken = [row for line in lines for row in rows(line)]
    width, height = 2 * MARGIN + COLUMNS * STEP_X, TOP + MARGIN + len(broken) * STEP_Y
    font = "font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\""
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" {font}>'
    ]
    out.append(f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>')
    for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        out.append(f'<circle cx="{MARGIN + 4 + 20 * i}" cy="18" r="6" fill="{colour}"/>')
    for i, row in enumerate(broken):
        out += drawn(row, TOP + (i + 1) * STEP_Y - 5)
    return "\n".join(out) + "\n</svg>\n"


def main():
    zinc = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "zinc").resolve()
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs" / "images" / "zinc.svg")
    environment = {**os.environ, "PATH": f"{zinc.parent}:{os.environ['PATH']}", "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    lines = []
    with tempfile.TemporaryDirectory() as where:
        pathlib.Path(where, "day.raw").write_bytes(weather())
        for command in PREPARE:
            subprocess.run(command, shell=True, cwd=where, env=environment, check=True, stderr=subprocess.DEVNULL)
        for command in SESSION:
            lines += [f"\033[32m$\033[0m \033[1m{command}\033[0m"]
            lines += run(command, where, environment).splitlines()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(picture(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
