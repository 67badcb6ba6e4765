"""What a store can do: the numbers of ZINC_CAP_* in zinc/store.h."""

from __future__ import annotations

from enum import IntFlag


class Capability(IntFlag):
    """The bits of `_core.Store.flags`."""

    READ = 0x0001
    RANGE = 0x0002  # reading part of a value transfers only that part
    SUFFIX_RANGE = 0x0004
    LIST = 0x0008
    WRITE = 0x0010
    ERASE = 0x0020
    ATOMIC_PUT = 0x0040  # readers see the old or the new value, whole
    DURABLE = 0x0080  # a durable put that returned survives power loss
    CAS = 0x0100  # conditions hold against all other writers
    READ_AFTER_WRITE = 0x0200
    LIST_AFTER_WRITE = 0x0400
    REMOTE = 0x0800
    UPDATE = 0x1000
    TAGS = 0x2000
    FOLDS_CASE = 0x4000
    NORMALISES = 0x8000
