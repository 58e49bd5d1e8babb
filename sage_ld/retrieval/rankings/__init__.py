"""The default ranking and the paper's: how seeds and neighbours become one list (`table` has them all)."""
