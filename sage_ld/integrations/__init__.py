"""Adapters: a graph, or a running service, as the retriever of a framework for language models.

Each module needs its framework, which an extra of the same name installs: `langchain`, `llama_index`,
`haystack`, `dspy`, `openai_agents`. They share the sources of `sources.py` and the search of `search.py`.
"""
