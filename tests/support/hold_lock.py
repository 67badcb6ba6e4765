#!/usr/bin/env python3
"""hold_lock.py FILE... - lock each lock file as a writer does, and stop: the worst case for a store

Prints a line when it has all of them.  The process that started it must kill it.
"""
import fcntl
import os
import signal
import struct
import sys

F_OFD_SETLK = 37
for name in sys.argv[1:]:
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
    fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
print("held", flush=True)
os.close(1)
os.kill(os.getpid(), signal.SIGSTOP)
