"""Adapters: a graph, or a running service, as the retriever of a framework for language models.

Each module needs its framework, which an extra of the same name installs: `langchain`, `llama_index` (and
`llama_index_store`), `haystack`, `dspy`, `openai_agents`. They share `sources`, `search` and `tool_calls`.
"""
