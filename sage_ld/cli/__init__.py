"""The command line, `sage-ld`: one module for each group of commands.

The options of a question follow from the fields of its record (`search_options`). A command whose room was
left out of the installation is missing. Imports from all other rooms.

Begin with `main`, the table of commands.
"""

from sage_ld.cli.main import main

__all__ = ["main"]
