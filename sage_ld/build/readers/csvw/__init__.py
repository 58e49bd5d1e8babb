"""CSV on the Web: metadata beside a CSV file, and the statements that its rows make by it.

Metadata Vocabulary for Tabular Data: https://www.w3.org/TR/tabular-metadata/
The statements are those of the minimal mode of https://www.w3.org/TR/csv2rdf/
"""
