"""python -m zinczarr: what this installation consists of."""

from ._versions import show_versions

if __name__ == "__main__":
    show_versions()
