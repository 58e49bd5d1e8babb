"""Files of data: JSON, JSON Lines, YAML, TOML, Parquet, and tables of values between delimiters.

Of each format one module is its reader; those that end in `_values` and `_cells` know its grammar alone,
which other readers use, too.
"""
