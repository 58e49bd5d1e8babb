"""`python -m sage_ld.cli`: the same as `sage-ld`."""

from sage_ld.cli.main import main

main()
