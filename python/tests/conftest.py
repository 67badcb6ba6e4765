"""What all tests need."""

import os
import signal

import pytest


try:
    import hypothesis
except ImportError:  # its tests say so
    pass
else:  # the short form tries the same examples each time; the long form others
    hypothesis.settings.register_profile("short", derandomize=True, database=None)
    if not os.environ.get("ZINC_LONG"):
        hypothesis.settings.load_profile("short")


def pytest_configure(config: pytest.Config) -> None:
    config.option.asyncio_mode = "auto"  # zarr.testing has tests and fixtures that are coroutines
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell that runs the tests in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
