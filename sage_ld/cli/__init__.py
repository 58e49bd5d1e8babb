"""The command line, `sage-ld`: one module for each group of commands."""

from sage_ld.cli.main import main

__all__ = ["main"]
