"""Derivations: the statements that follow from more than one document (`table` lists them in their order)."""
