"""A file on its way in: from bytes to chunks with vectors, mentions, links and edges.

`readers` give a document as one text with marked spans; `chunkers` cut it; `annotators` find topics,
keywords, entities and links; `encoders` give vectors; `edges` and `concepts` join what is alike. All of it is
functions of records and arrays: nothing here knows where a graph is kept. Imports from `foundation`.

Begin with `readers.registry`, the table of formats, then `chunkers` and `annotators`.
"""
