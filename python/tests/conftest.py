"""What all tests need."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.option.asyncio_mode = "auto"  # zarr.testing has tests and fixtures that are coroutines
