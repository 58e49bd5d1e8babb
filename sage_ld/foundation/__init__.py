"""The base of every other room: the model, settings, parameters, errors, the vocabulary, and RDF values.

Beside those, small mechanisms without a subject of their own: bounded caches, deadlines, worker processes
with limits (`processes`), and the client of a language model (`language_model`). Imports nothing of sage-ld
but itself.

Begin with `model`, whose frozen records all other rooms pass to each other; then `settings`, the table of
limits, and `recipes`, the table of the parameters by which a graph is built and searched.
"""
