"""What all tests need."""

import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.option.asyncio_mode = "auto"  # zarr.testing has tests and fixtures that are coroutines
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell that runs the tests in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
