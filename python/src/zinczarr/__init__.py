"""Zarr for Python, on libzinc."""
