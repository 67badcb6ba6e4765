#!/usr/bin/env python3
"""check_calls.py PROGRAM... - each program calls every public function of cmake/libzinc.map

A reference in an object file is not enough; the call must happen.  The loader reports which functions it looks up when
they are first called (LD_DEBUG=bindings; the programs are linked with -z lazy).  A function that is passed as a pointer
also counts.  If the loader reports nothing, as with another C library, the references of the program are used instead.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def public():
    listed = re.search(r"ZINC_0 \{\n\tglobal:\n(.*?)\tlocal:", (ROOT / "cmake/libzinc.map").read_text(), re.S)
    return set(re.findall(r"(zinc_\w+);", listed.group(1)))


def called(program):
    """The functions that the loader binds for the program itself, not for the library or its modules"""
    with tempfile.TemporaryDirectory() as place:
        run = subprocess.run([program, f"{place}/every"], env={"LD_DEBUG": "bindings", "LD_BIND_NOW": ""}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, cwd=place)
    if run.returncode:
        sys.exit(f"{program}: exit status {run.returncode}\n" + "\n".join(l for l in run.stderr.splitlines() if "binding file" not in l)[-2000:])
    return {m.group(2) for m in re.finditer(r"binding file (\S+) \[0\] to \S+ \[0\]: normal symbol `(zinc_\w+)'", run.stderr)
            if pathlib.Path(m.group(1)).name == pathlib.Path(program).name}


def referred(program):
    out = subprocess.check_output(["nm", "-D", "--undefined-only", program], text=True)
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def main():
    names, missing = public(), []
    for program in (str(pathlib.Path(p).resolve()) for p in sys.argv[1:]):
        seen = called(program) or referred(program)
        missing += [f"{pathlib.Path(program).name}: {n} is not called" for n in sorted(names - seen)]
        print(f"{pathlib.Path(program).name}: {len(names & seen)} of {len(names)} public functions called")
    print("\n".join(missing), end="\n" if missing else "")
    return 1 if missing or not sys.argv[1:] else 0


sys.exit(main())
