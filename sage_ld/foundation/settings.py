"""Settings and limits: one field each, with its default, unit and help.

A value comes from, in this order: the environment (`SAGE_LD_MAX_FILE_BYTES`), the `[settings]` table of
the graph's `sage-ld.toml`, the default here. Some come from the environment only: a graph may come from a
stranger, and its file must not say where questions and keys are sent, which folders outside the graph are
used, or whom the service trusts. `docs/settings.md` lists all of them, under the comments here as headings;
`PYTHONPATH=tests python tests/test_settings.py` rewrites it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import isfinite
from typing import Any, Final

from sage_ld.foundation.errors import InputError

_FORMER: Final = {"encoder_precision": "name the encoder minilm:fp32 or minilm:int8"}
"""Settings of earlier versions, each with what to do instead."""
ENVIRONMENT_PREFIX = "SAGE_LD_"
TEST_PREFIX = "SAGE_LD_TEST_"
"""Of variables that the project's own tests read; they are not settings."""


def setting(
    default: Any,
    unit: str,
    text: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    only_environment: bool = False,
) -> Any:
    """A dataclass field with the unit and the help of a setting, its minimum and its maximum.

    With `only_environment`, the file of a graph may not say it.
    """
    return field(
        default=default,
        metadata={
            "unit": unit,
            "help": text,
            "minimum": minimum,
            "maximum": maximum,
            "only_environment": only_environment,
        },
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force.

    >>> Settings().max_file_bytes
    67108864
    >>> Settings.load({"max_json_depth": 10}, environment={"SAGE_LD_MAX_JSON_DEPTH": "12"}).max_json_depth
    12
    """

    # reading
    max_file_bytes: int = setting(64 * 2**20, "bytes", "Largest file that is read.", minimum=1)
    max_expanded_bytes: int = setting(
        512 * 2**20,
        "bytes",
        "Largest size to which a compressed file may expand, with the files inside it.",
        minimum=1,
    )
    reader_timeout: float = setting(120.0, "seconds", "Time limit for reading one file.", minimum=0.1)
    reader_memory: int = setting(
        3 * 2**30,
        "bytes",
        "Address space of the process that reads files, if the system can limit it.",
        minimum=2**28,
    )
    max_text_ratio: int = setting(
        100,
        "characters",
        "Maximum text for each byte of a file, beyond 1,048,576 characters; for a gzipped file ten times "
        "that.",
        minimum=1,
    )
    max_text_length: int = setting(128 * 2**20, "characters", "Longest text of one document.", minimum=1)
    max_json_depth: int = setting(200, "levels", "Deepest nesting of a JSON or XML file.", minimum=1)
    contexts: str = setting(
        "",
        "path",
        "Folder of JSON-LD contexts by their addresses: https://example.org/ns/a lies there as "
        "example.org/ns/a.jsonld; empty: those of the package only.",
        only_environment=True,
    )
    context_addresses: str = setting(
        "",
        "addresses",
        "Beginnings of the addresses whose contexts are fetched, once, into the folder contexts, with "
        "commas; a network (10.0.0.0/8) allows private addresses in it; empty: none is fetched.",
        only_environment=True,
    )
    context_timeout: float = setting(10.0, "seconds", "Time limit for fetching one context.", minimum=0.1)
    max_context_bytes: int = setting(2**20, "bytes", "Largest context that is read or fetched.", minimum=1)
    max_context_redirects: int = setting(
        5, "redirects", "Maximum addresses to which the address of a context leads.", minimum=0
    )
    max_contexts: int = setting(20, "contexts", "Maximum contexts that are fetched for one file.", minimum=0)
    max_archive_files: int = setting(
        10_000,
        "files",
        "Maximum files of one archive that are read, with those of archives in it.",
        minimum=1,
    )
    max_yaml_values: int = setting(
        1_000_000,
        "values",
        "Maximum values of one YAML file, aliases counted as often as they are used, and a long text once "
        "for each 1,000 characters.",
        minimum=1,
    )
    max_rst_substitutions: int = setting(
        5_000,
        "substitutions",
        "Maximum substitutions of one reStructuredText file, those inside others counted each time.",
        minimum=0,
    )
    max_rst_directives: int = setting(
        2_000,
        "directives",
        "Maximum directives, targets and comments of one reStructuredText file, which are lines that begin "
        "with two dots: its parser takes the square of their number.",
        minimum=1,
    )
    max_rst_marks: int = setting(
        10_000,
        "marks",
        "Maximum marks (asterisks, backquotes, bars, underscores, colons) in one paragraph of "
        "reStructuredText: its parser takes the square of their number.",
        minimum=1,
    )
    max_rst_overviews: int = setting(
        10,
        "directives",
        "Maximum directives of one reStructuredText file that list or number all of it.",
        minimum=0,
    )
    max_tex_brackets: int = setting(
        6,
        "levels",
        "Deepest nesting of optional arguments in LaTeX, each level of which doubles the work.",
        minimum=1,
    )
    max_cell_output: int = setting(
        10_000,
        "characters",
        "Length to which the output of one cell of a notebook is read; the rest is counted.",
        minimum=0,
    )
    max_documents_per_file: int = setting(
        1_000_000, "documents", "Maximum documents that one file may hold (JSON Lines).", minimum=1
    )
    max_table_columns: int = setting(500, "columns", "Widest table that is read.", minimum=1)
    max_sheet_cells: int = setting(
        10_000_000,
        "cells",
        "Maximum cells of the sheets of one workbook, with the empty ones within its tables.",
        minimum=1,
    )
    max_span_cells: int = setting(
        1_000_000,
        "cells",
        "Maximum cells that spans, repeated rows and short rows add to the tables of one document.",
        minimum=0,
    )
    max_attributes: int = setting(
        1_000, "attributes", "Maximum attributes of one element of HTML.", minimum=1
    )
    libreoffice: str = setting(
        "auto",
        "auto, none or a folder",
        "Folder of LibreOffice's programs, which read .doc and .ppt; auto looks for it, none does without.",
        only_environment=True,
    )
    ocr_model: str = setting(
        "",
        "file",
        "Model by which OCR reads signs (PP-OCR in ONNX, with its characters inside); empty: the one in "
        "RapidOCR's package, for Latin, Greek, Chinese and Japanese script.",
        only_environment=True,
    )
    encoding: str = setting(
        "",
        "name",
        "Coding of text files that are not UTF-8 and state none, such as windows-1252; empty: the one that "
        "follows from their characters, where only one does.",
    )
    header: str = setting(
        "auto",
        "auto, none, a row or rows",
        "Which row of a table names its columns (3, or 3-4): the row of a sheet, the line of a CSV file; "
        "none where no row does, auto where it is seen from the cells.",
    )
    whole_pages: bool = setting(
        False, "true or false", "Whether web pages are read with their menus, footers, sidebars and notices."
    )
    max_pdf_pages: int = setting(
        2_000, "pages", "Longest PDF, or most slides of a presentation, that is read.", minimum=1
    )
    ocr: bool = setting(
        False, "true or false", "Whether the text of pictures and of pages without text is read by OCR."
    )
    ocr_timeout: float = setting(
        3_600.0,
        "seconds",
        "Time limit for reading one file with OCR, which needs seconds for a page.",
        minimum=0.1,
    )
    max_ocr_pages: int = setting(200, "pages", "Most pages of one file that are read by OCR.", minimum=1)
    max_picture_pixels: int = setting(
        100_000_000, "pixels", "Largest picture that is read by OCR.", minimum=1
    )
    max_nested_files: int = setting(
        4,
        "levels",
        "Maximum files that stand inside each other, such as mails attached to mails, archives in archives.",
        minimum=0,
    )
    max_metadata_values: int = setting(
        10_000,
        "values",
        "Maximum values of metadata of one document; a YAML alias counts each time.",
        minimum=1,
    )
    max_metadata_length: int = setting(
        4 * 2**20, "characters", "Longest metadata of one document, keys and values together.", minimum=1
    )
    max_identifier_length: int = setting(2_000, "characters", "Longest document identifier.", minimum=1)
    max_shapes_bytes: int = setting(
        2**20, "bytes", "Largest file, or graph, of shapes of a user's own.", minimum=1
    )
    max_validated_statements: int = setting(
        1_000_000,
        "statements",
        "Largest graph that is checked against shapes of a user, which takes about 1 KB for each.",
        minimum=1,
    )

    shapes: str = setting(
        "",
        "file or IRI",
        "SHACL shapes of your own that guard what is written: a file in the graph's directory, or the IRI of "
        "a named graph; empty: none.",
    )
    shapes_refuse: str = setting(
        "violation",
        "violation, warning or info",
        "The least severity (sh:severity) of such shapes that refuses a write; less severe results are "
        "warnings.",
    )

    # languages
    default_language: str = setting(
        "en",
        "language tag",
        "Language in which a document is analysed that names none and in which none is detected.",
    )
    min_detected_letters: int = setting(
        60, "letters", "Shortest text whose language is detected, of its first 600 characters.", minimum=1
    )
    min_language_certainty: float = setting(
        0.95, "probability", "Lowest probability of a detected language.", minimum=0, maximum=1
    )
    min_question_certainty: float = setting(
        0.8,
        "probability",
        "Lowest probability of the language of a question, among those of the graph; below it, a question is "
        "in the language of most chunks.",
        minimum=0,
        maximum=1,
    )

    # encoding
    cache_dir: str = setting(
        "",
        "path",
        "Folder for cached vectors, by content hash; empty: the user's cache directory.",
        only_environment=True,
    )
    cache_bytes: int = setting(
        2 * 2**30, "bytes", "Largest size of the cache of vectors on disk; 0: no cache.", minimum=0
    )
    openai_base_url: str = setting(
        "https://api.openai.com/v1",
        "URL",
        "Base of the OpenAI-compatible embeddings API.",
        only_environment=True,
    )
    openai_timeout: float = setting(
        60.0, "seconds", "Time limit for one answer from the embeddings API.", minimum=0.001
    )
    openai_retries: int = setting(
        5, "tries", "Number of retries of a failed request to the embeddings API.", minimum=0
    )
    openai_batch_texts: int = setting(
        256, "texts", "Maximum texts in one request to the embeddings API.", minimum=1
    )
    openai_batch_characters: int = setting(
        200_000, "characters", "Maximum text in one request to the embeddings API.", minimum=1
    )

    # reranking
    rerank_base_url: str = setting(
        "",
        "URL",
        "Base of the API that puts the first candidates of each search in order, with /rerank as Jina, "
        "Cohere and vLLM serve it; empty: none.",
        only_environment=True,
    )
    rerank_model: str = setting(
        "", "name", "The model by which the API for reranking orders.", only_environment=True
    )
    rerank_candidates: int = setting(
        50, "chunks", "Candidates of a search that the API for reranking puts in order.", minimum=1
    )
    rerank_timeout: float = setting(
        10.0, "seconds", "Time limit for one answer from the API for reranking.", minimum=0.001
    )
    rerank_retries: int = setting(
        1, "tries", "Number of retries of a failed request to the API for reranking.", minimum=0
    )

    # language model
    language_model: str = setting(
        "",
        "name",
        "The language model that is asked where one is needed; empty: none.",
        only_environment=True,
    )
    language_base_url: str = setting(
        "https://api.openai.com/v1",
        "URL",
        "Base of the OpenAI-compatible API that serves the language model.",
        only_environment=True,
    )
    language_timeout: float = setting(
        60.0, "seconds", "Time limit for one answer of the language model.", minimum=0.001
    )
    language_retries: int = setting(
        3, "tries", "Number of retries of a failed request to the language model.", minimum=0
    )
    language_calls: int = setting(
        20, "calls", "Maximum calls of the language model for one task; many tasks ask for less.", minimum=0
    )
    language_tokens: int = setting(
        60_000,
        "tokens",
        "Maximum tokens of prompts and answers for one task.",
        minimum=1,
    )
    language_seconds: float = setting(
        120.0, "seconds", "Time limit for one task's calls of the language model.", minimum=0.001
    )
    language_answer_tokens: int = setting(
        2_000, "tokens", "Maximum tokens of one answer of the language model.", minimum=1
    )
    language_prompt_characters: int = setting(
        60_000, "characters", "Maximum text in one request to the language model.", minimum=1
    )
    annotation_batch_characters: int = setting(
        12_000,
        "characters",
        "Text of a document that one call of annotate describes, or of which a model makes an abstract or "
        "skeleton.",
        minimum=500,
    )
    max_annotation_calls: int = setting(
        1_000,
        "calls",
        "Maximum calls of the language model for one run of annotate, and of each function that takes the "
        "place of a rule (--judge, --summarise, --make-skeletons).",
        minimum=1,
    )
    language_cache_bytes: int = setting(
        256 * 2**20,
        "bytes",
        "Largest size of the cache of answers of the language model on disk; 0: no cache.",
        minimum=0,
    )

    # annotating
    max_mentions_per_chunk: int = setting(
        40,
        "entities",
        "Maximum entities that one chunk mentions; the most certain ones are kept.",
        minimum=0,
    )
    max_keywords_per_chunk: int = setting(8, "phrases", "Maximum keyword phrases of one chunk.", minimum=0)
    min_link_confidence: float = setting(
        0.15, "probability", "Lowest confidence at which a title found in a text becomes a link.", minimum=0
    )
    max_links_per_name: int = setting(
        8, "links", "Maximum documents that one name in a text links to, the likeliest first.", minimum=0
    )

    # indexes
    max_query_terms: int = setting(
        256,
        "terms",
        "Maximum different terms of a question that BM25 counts; further terms are ignored.",
        minimum=1,
    )

    # asking
    max_question_length: int = setting(10_000, "characters", "Longest question.", minimum=1)
    max_results: int = setting(1_000, "results", "Maximum results that one question may ask for.", minimum=1)
    max_batch_questions: int = setting(
        100,
        "questions",
        "Maximum questions of one request; together they may ask for no more results than one question.",
        minimum=1,
    )
    max_hops: int = setting(
        3, "hops", "Maximum edges between a seed and a result that a client may ask for over HTTP.", minimum=1
    )
    max_window: int = setting(
        10, "chunks", "Maximum chunks before and after each result that are given with it.", minimum=0
    )
    max_answer_sentences: int = setting(
        20, "sentences", "Maximum sentences of an answer with citations.", minimum=1
    )
    client_rankings: str = setting(
        "learned,shared",
        "names",
        "Rankings that a client may choose over HTTP, with commas. pagerank, bfs and those of SageDB "
        "(sagedb, sagedb-graph, sagedb-legacy) read all edges of their channels into memory, once for each "
        "revision, sections the keywords of all chunks, summaries the tree of all sections. ensemble fuses "
        "others.",
    )
    retrieve_timeout: float = setting(
        30.0,
        "seconds",
        "Time limit for one retrieval or list; checked between two steps of the work.",
        minimum=0.01,
    )

    # reconciliation
    max_entity_names: int = setting(
        500_000,
        "names",
        "Maximum labels of entities that a web process keeps in memory for /reconcile, some 300 bytes each.",
        minimum=1,
    )
    max_reconciliation_batch: int = setting(
        100, "queries", "Maximum queries, or entities to extend, in one request to /reconcile.", minimum=1
    )
    max_reconciliation_candidates: int = setting(
        100,
        "candidates",
        "Maximum candidates of a query, and entities that one page of /reconcile suggests; the properties of "
        "as many are compared.",
        minimum=1,
    )
    max_reconciliation_statements: int = setting(
        100_000,
        "statements",
        "Maximum statements that one request to /reconcile reads for values of properties.",
        minimum=1,
    )

    # pictures of the graph
    max_graph_nodes: int = setting(500, "nodes", "Maximum nodes of one neighbourhood (/v1/graph).", minimum=1)
    max_graph_hops: int = setting(
        3, "hops", "Maximum edges between the middle of a neighbourhood and its other nodes.", minimum=1
    )
    max_graph_fan_out: int = setting(
        100, "edges", "Maximum edges that a neighbourhood follows from one node, the strongest.", minimum=1
    )
    max_graph_statements: int = setting(
        100_000,
        "statements",
        "Maximum statements that are read for one neighbourhood; the nodes of a hop share them evenly.",
        minimum=1,
    )
    max_overview_edges: int = setting(
        2_000_000,
        "edges",
        "Maximum edges by which the communities of a graph are found, in each web process, for each revision "
        "that is looked at (/v1/graph/overview); beyond it, the mentions of the commonest entities are left "
        "out first. Bounds the memory, some 80 bytes an edge.",
        minimum=1,
    )
    overview_timeout: float = setting(
        120.0,
        "seconds",
        "Time limit for finding the communities of a revision; checked between two steps of the work.",
        minimum=0.01,
    )
    max_community_parts: int = setting(
        200, "nodes", "Maximum nodes or communities into which a community opens.", minimum=2
    )

    # tools for language models
    max_tool_results: int = setting(
        20, "results", "Maximum results of each kind that one call of a tool may ask for.", minimum=1
    )
    max_tool_rows: int = setting(
        50,
        "rows",
        "Maximum rows of a query, nodes or sections that a tool shows; it says how many there are.",
        minimum=1,
    )
    max_quoted_text: int = setting(
        1_500, "characters", "Longest text of one passage among others in an answer of a tool.", minimum=1
    )
    max_read_text: int = setting(
        8_000, "characters", "Longest text that the tool read gives at once.", minimum=1
    )
    max_tool_answer: int = setting(
        60_000,
        "characters",
        "Longest text of RDF in an answer of a tool; all of the answer may have twice as much.",
        minimum=1_000,
    )
    max_tool_input: int = setting(
        200_000, "characters", "Longest text that the tool ingest_text takes.", minimum=1
    )

    tool_policy: str = setting(
        "",
        "path",
        "File of the policy that says which calls of tools wait for a person; empty: those with effects.",
        only_environment=True,
    )
    approval_lifetime: float = setting(
        3_600.0,
        "seconds",
        "Time for which a call may wait for an approval, and then for being made.",
        minimum=1,
    )
    max_waiting_approvals: int = setting(
        100, "calls", "Maximum calls and results that wait for approvals at once.", minimum=1
    )

    # filters of a question
    max_filter_values: int = setting(
        100,
        "values",
        "Maximum values of one field of a filter: documents, languages, keywords, conditions.",
        minimum=1,
    )
    max_filter_length: int = setting(
        2_000, "characters", "Longest value of a filter, a condition included.", minimum=1
    )
    max_filter_steps: int = setting(
        8, "steps", "Maximum steps of the property paths of a filter, alternatives counted.", minimum=1
    )
    max_filter_statements: int = setting(
        300_000,
        "statements",
        "Maximum statements that the property paths of a filter follow; the statements of a step are counted "
        "again with each later step.",
        minimum=1,
    )
    max_facet_statements: int = setting(
        300_000,
        "statements",
        "Maximum statements that are read for the facets of a revision (/v1/facets); of a graph with more, "
        "they count a part.",
        minimum=1,
    )

    # deriving edges
    relink_share: float = setting(
        0.1,
        "share",
        "An ingest that changes a larger share of the chunks than this rebuilds all edges and thresholds; a "
        "smaller ingest links the new chunks by the existing thresholds.",
        minimum=0,
    )

    # reasoning
    max_reasoning_statements: int = setting(
        500_000,
        "statements",
        "Most statements in users' graphs from which others are inferred (`reason` of the recipe).",
        minimum=1,
    )
    max_inferred_statements: int = setting(
        500_000, "statements", "Most statements that are inferred; beyond it, none is.", minimum=1
    )
    max_same_resources: int = setting(
        20,
        "names",
        "Names of one resource (owl:sameAs) that get each other's statements; of more, none counts as the "
        "same.",
        minimum=1,
    )
    reasoning_timeout: float = setting(300.0, "seconds", "Time limit for inferring statements.", minimum=0.1)
    reasoning_memory: int = setting(
        4 * 2**30, "bytes", "Largest memory of the process that infers statements.", minimum=2**26
    )

    # relations
    max_relation_types: int = setting(
        200, "types", "Maximum types of relation that a user adds to a graph.", minimum=1
    )
    max_relation_types_bytes: int = setting(
        2**20, "bytes", "Largest Turtle file with types of relation.", minimum=1
    )
    max_edges_per_write: int = setting(
        1_000, "edges", "Maximum curated edges that one request over HTTP adds.", minimum=1
    )

    # keeping retrievals
    keep_retrievals: str = setting(
        "off",
        "name",
        "Which retrievals the service keeps, with their questions: off, none; sampled, a share of them; on, "
        "all.",
    )
    retrievals_share: float = setting(
        0.1, "share", "The share that is kept where keep_retrievals is sampled.", minimum=0, maximum=1
    )
    retrievals_days: float = setting(
        90.0, "days", "Time for which a retrieval is kept; older ones are deleted.", minimum=0
    )
    keep_model_calls: bool = setting(
        False,
        "true or false",
        "Whether calls of the language model are kept beside the retrievals, with prompts and answers.",
    )
    max_retrievals: int = setting(
        100_000, "retrievals", "Maximum retrievals that are kept; the oldest are deleted first.", minimum=1
    )
    max_retrievals_bytes: int = setting(
        256 * 2**20,
        "bytes",
        "Maximum space that kept retrievals take; the oldest are deleted first.",
        minimum=2**20,
    )
    max_kept_results: int = setting(
        100, "results", "Maximum results of one retrieval that are kept.", minimum=0
    )
    max_comment_length: int = setting(
        1_000, "characters", "Longest comment of a judgement of a result.", minimum=0
    )
    max_feedback: int = setting(
        100, "judgements", "Maximum judgements of the results of one retrieval.", minimum=0
    )
    max_queried_retrievals: int = setting(
        2_000,
        "retrievals",
        "Maximum retrievals, the newest, in the graph that a SPARQL query reads as graph/retrievals.",
        minimum=1,
    )
    retrieval_readers: str = setting(
        "admin",
        "role",
        "The role that may read kept retrievals and their analytics over HTTP: read, write or admin.",
        only_environment=True,
    )

    # description of the data set
    dataset_title: str = setting(
        "A knowledge graph of sage-ld",
        "text",
        "Title of the graph in VoID, DCAT and schema.org.",
    )
    dataset_description: str = setting(
        "Documents with their passages, the entities that these name, and the evidence for the edges between "
        "them.",
        "text",
        "Description of the graph as a data set.",
    )
    dataset_license: str = setting("", "IRI", "Licence of the graph.")
    dataset_publisher: str = setting("", "text", "Name of the publisher: a person or organization.")
    dataset_publisher_url: str = setting("", "IRI", "IRI of the publisher.")
    dataset_homepage: str = setting("", "IRI", "Page about the graph.")
    dataset_contact: str = setting("", "IRI", "Address for questions about the graph, as mailto: or https:.")
    dataset_keywords: str = setting("", "words", "Keywords of the graph, between commas.")
    dataset_spatial: str = setting("", "IRI or WKT", "Place that the graph is about, or its geometry.")
    dataset_temporal: str = setting(
        "", "interval", "Time that the graph is about, as 1987/2026; an end may be a year, month, day or .."
    )

    # reporting
    progress_interval: float = setting(
        5.0,
        "seconds",
        "Time between two lines about the progress of a long command whose standard error is not a terminal.",
        minimum=0,
    )

    # service: the web
    web_threads: int = setting(
        80,
        "threads",
        "Requests that one web process serves at once. It must be larger than sparql_workers, sparql_queue, "
        "reader_workers, reader_queue, write_queue and preparation_queue together, and than twice "
        "web_searches.",
        minimum=4,
    )
    web_queue: int = setting(
        256,
        "requests",
        "Maximum requests that wait for a thread of a web process; the next gets status 503.",
        minimum=0,
    )
    web_searches: int = setting(
        4,
        "requests",
        "Requests for which one web process searches at once. A client takes another place only while it "
        "has fewer than are free; others wait for their turn, at most for queue_timeout, and in at most half "
        "of web_threads; the next gets status 503.",
        minimum=1,
    )
    web_model_requests: int = setting(
        16,
        "requests",
        "Requests for which one web process asks the language model at once, and no more than a quarter of "
        "web_threads, as each holds a thread for as long as the model takes. A client takes another place "
        "only while it has fewer than are free; the next gets status 503.",
        minimum=1,
    )
    web_connections: int = setting(
        8192,
        "connections",
        "Maximum connections of one web process; fewer if the system allows less than two open files each. "
        "Further connections wait to be accepted.",
        minimum=16,
    )
    web_memory: int = setting(
        4 * 2**30,
        "bytes",
        "Maximum memory of one web process, mapped files not counted; a process that takes more is replaced. "
        "0: no limit.",
        minimum=0,
    )
    read_timeout: float = setting(
        15.0,
        "seconds",
        "Longest time that a client may take to send the head of a request, and again to send its body.",
        minimum=0.1,
    )
    write_timeout: float = setting(
        30.0, "seconds", "Longest wait for a client to take more of an answer.", minimum=0.1
    )
    max_body_bytes: int = setting(
        16 * 2**20, "bytes", "Largest body of a request, including updates and graphs.", minimum=1
    )
    max_buffered_bytes: int = setting(
        256 * 2**20,
        "bytes",
        "Maximum memory for the bodies of all requests of one web process together; those without a token "
        "may take half of it.",
        minimum=2**20,
    )
    max_json_bytes: int = setting(256 * 2**10, "bytes", "Largest JSON body of a request to /v1.", minimum=1)
    max_json_values: int = setting(
        1_000_000,
        "values",
        "Maximum values of one JSON body on /v1/documents or of the metadata of a form, those in lists and "
        "objects included; counted before it is parsed.",
        minimum=1,
    )
    max_header_fields: int = setting(
        100, "headers", "Maximum headers of one request; at most 100.", minimum=10, maximum=100
    )
    max_header_bytes: int = setting(
        8190,
        "bytes",
        "Largest single header of a request, including its name; at most 65,536.",
        minimum=1000,
        maximum=65_536,
    )
    max_request_line: int = setting(
        8190,
        "bytes",
        "Longest URL of a request; send a longer query by POST. At most 65,000.",
        minimum=1000,
        maximum=65_000,
    )
    trusted_proxies: int = setting(
        0,
        "proxies",
        "Number of proxies in front of the service whose X-Forwarded headers are trusted.",
        minimum=0,
        only_environment=True,
    )
    path_prefix: str = setting(
        "",
        "path",
        "Path below the root of the host at which the service is, such as /films, with a proxy in front.",
    )
    cors_origins: str = setting(
        "auto",
        "origins",
        "Web origins whose pages may read: * for all, or a list with commas; empty: none; auto: all if "
        "reading is public and the service listens on other addresses than loopback, otherwise none. "
        "Pages of an origin in the list may also write, with a Bearer token.",
        only_environment=True,
    )
    allowed_hosts: str = setting(
        "",
        "names",
        "Further names of this service in the header Host, with commas, beside the host of the base IRI and "
        "the names of loopback. Any other name is refused if the service listens only on loopback, or if "
        "this setting is not empty.",
        only_environment=True,
    )
    public_read: bool = setting(True, "true or false", "Whether reading needs no token.")
    log_format: str = setting("text", "name", "Format of the log: text or json.")

    # service: SPARQL
    sparql_timeout: float = setting(
        30.0,
        "seconds",
        "Time limit for a query, and for reading a graph at /data; a query may ask for less.",
        minimum=0.01,
    )
    sparql_workers: int = setting(
        6,
        "processes",
        "Processes that run clients' queries, for each web process. A client (an address, or its IPv6 "
        "network, and its token) takes another one only while it uses fewer than are free, of those for "
        "short queries and of those for long ones. So one client uses four of six, and others find one.",
        minimum=1,
    )
    sparql_long_queries: int = setting(
        3,
        "queries",
        "Maximum queries that run at a time and take a quarter of a second of processor time or more; the "
        "other "
        "SPARQL workers are left to short queries. A long query beyond this number is stopped, waits for its "
        "turn, and begins again. As many as sparql_workers: all may be long.",
        minimum=1,
    )
    sparql_queue: int = setting(
        48, "requests", "Maximum requests that wait for a SPARQL worker; the next gets status 503.", minimum=0
    )
    queue_timeout: float = setting(
        15.0,
        "seconds",
        "Longest time that a query or a write waits for a worker (for no longer than it may run, where "
        "workers are kept ready), or that a question waits for its turn. Then it gets status 503.",
        minimum=0.01,
    )
    worker_memory: int = setting(2 * 2**30, "bytes", "Address space of one SPARQL worker.", minimum=2**28)
    max_merged_statements: int = setting(
        500_000,
        "statements",
        "Maximum statements that are merged in memory for one query. Only a query that looks into the "
        "default graph and, by GRAPH, into graphs that make the same statements needs this.",
        minimum=1,
    )
    max_query_bytes: int = setting(64 * 2**10, "bytes", "Longest text of a query.", minimum=1)
    max_query_depth: int = setting(128, "levels", "Deepest nesting of brackets in a query.", minimum=1)
    max_query_patterns: int = setting(
        200, "patterns", "Maximum triple patterns in a query; also most operators and path steps.", minimum=1
    )
    max_rows: int = setting(1_000_000, "rows", "Maximum rows or triples in the answer to a query.", minimum=1)
    max_result_bytes: int = setting(128 * 2**20, "bytes", "Largest answer to a query.", minimum=1000)
    max_kept_bytes: int = setting(
        32 * 2**20,
        "bytes",
        "Memory of one web process for cached answers to queries, which are kept as long as their revision "
        "is the newest; 0: no cache.",
        minimum=0,
    )
    max_retrieved_bytes: int = setting(
        32 * 2**20, "bytes", "The same for cached answers to questions; 0: no cache.", minimum=0
    )
    max_kept_answers: int = setting(
        10_000, "answers", "Maximum answers in each of these two caches.", minimum=1
    )
    kept_answer_lifetime: float = setting(
        3600.0, "seconds", "Longest time that an answer stays in one of these caches.", minimum=0.0
    )

    # other stores
    service_endpoints: str = setting(
        "",
        "addresses",
        "SPARQL endpoints that SERVICE in queries may ask, with commas; one whose host is a number may "
        "be private, one by a name that lies at a private address needs the network, too (10.0.0.0/8); "
        "empty: SERVICE is refused.",
        only_environment=True,
    )
    service_timeout: float = setting(10.0, "seconds", "Time limit for one request of SERVICE.", minimum=0.1)
    max_service_queries: int = setting(
        8,
        "queries",
        "Queries for which one web process asks other endpoints at once; the next gets 503. One client "
        "leaves some to others.",
        minimum=1,
    )
    max_service_requests: int = setting(
        10, "requests", "Maximum requests to other endpoints that one query may cause.", minimum=0
    )
    max_service_rows: int = setting(
        10_000, "rows", "Maximum rows that one SERVICE brings into a query.", minimum=1
    )
    max_service_bytes: int = setting(
        4 * 2**20, "bytes", "Largest answer of another endpoint to one request of SERVICE.", minimum=1
    )
    service_bindings: int = setting(
        200,
        "rows",
        "Rows of what stands before SERVICE that one request takes along as VALUES; for more rows, there "
        "are more requests.",
        minimum=1,
    )
    remote_timeout: float = setting(
        60.0, "seconds", "Time limit for one answer of another store, in a pull or push.", minimum=0.1
    )
    remote_authorization: str = setting(
        "",
        "header",
        "What pull and push send as Authorization to the address that they are given: Bearer and a token, or "
        "Basic and a name with password.",
        only_environment=True,
    )
    max_remote_bytes: int = setting(
        2**28, "bytes", "Largest graph that is pulled, over all its answers.", minimum=1
    )
    max_remote_statements: int = setting(
        2_000_000, "statements", "Maximum statements of a graph that is pulled or pushed.", minimum=1
    )
    max_remote_redirects: int = setting(
        5, "redirects", "Maximum addresses to which the address of a pull leads.", minimum=0
    )
    max_remote_pages: int = setting(
        10_000, "pages", "Maximum pages of one pull, of a query or a stream.", minimum=1
    )
    remote_page: int = setting(
        10_000,
        "rows",
        "Solutions of a query that one page of a pull asks for, and statements of one update of a push.",
        minimum=1,
    )
    remote_resume: float = setting(
        3600.0, "seconds", "Age up to which the pages of a pull that ended early are used again.", minimum=0
    )

    # tables
    table_timeout: float = setting(
        10.0,
        "seconds",
        "Time limit for an SQL statement or a Python program over the graph's tables.",
        minimum=0.01,
    )
    table_workers: int = setting(
        2,
        "processes",
        "Processes that run SQL, for each web process, and as many that run Python programs; each is started "
        "when it is first needed.",
        minimum=1,
    )
    table_queue: int = setting(
        16,
        "requests",
        "Maximum requests that wait for a process that runs SQL, or for one that runs Python programs; the "
        "next gets status 503.",
        minimum=0,
    )
    table_worker_memory: int = setting(
        2**30,
        "bytes",
        "Address space of one process that runs SQL, or a Python program. For SQL, a quarter of it is for "
        "the database's tables and sorts.",
        minimum=2**28,
    )
    max_table_cells: int = setting(
        1_000_000,
        "cells",
        "Maximum cells in the tables that one SQL statement, or program, names, together.",
        minimum=1,
    )
    max_table_rows: int = setting(
        1_000,
        "rows",
        "Maximum rows in the answer to an SQL statement, or program; further ones are left out.",
        minimum=1,
    )
    max_table_bytes: int = setting(
        4 * 2**20, "bytes", "Largest answer to an SQL statement, or program.", minimum=1000
    )

    reasoning_code: str = setting(
        "sql",
        "name",
        "Language in which a language model computes when it reasons over tables: sql, or python (pandas, in "
        "a process that the kernel locks in; the extra `python`).",
        only_environment=True,
    )

    # questions to queries
    least_query_confidence: float = setting(
        0.5,
        "share",
        "Lowest confidence at which the rows of a query made from a question count as its answer; "
        "below it, the answer is that of a hybrid search.",
        minimum=0.0,
        maximum=1.0,
    )
    max_question_words: int = setting(
        100,
        "words",
        "Maximum words of a question that is compiled to a query; a longer one is not sure.",
        minimum=1,
    )
    max_question_rows: int = setting(
        1_000, "rows", "Maximum rows in the answer to a question that is asked as a query.", minimum=1
    )
    max_question_tables: int = setting(
        50,
        "tables",
        "Maximum tables to which a question is compared. Where a graph has more, a search finds those with "
        "words of the question.",
        minimum=1,
    )

    # service: writing
    update_timeout: float = setting(
        60.0, "seconds", "Time limit for an update, or for writing a graph.", minimum=0.01
    )
    write_worker_memory: int = setting(
        4 * 2**30,
        "bytes",
        "Memory of the process that writes for a web process, including its encoder; mapped files are not "
        "counted.",
        minimum=2**28,
    )
    reader_workers: int = setting(
        3,
        "processes",
        "Processes that read what clients send, for each web process, each started when it is first needed. "
        "A client takes another one only while it uses fewer than are free.",
        minimum=1,
    )
    long_reader_workers: int = setting(
        1,
        "processes",
        "How many of them may read files that take long; another such file waits for its turn, and begins "
        "again. As many as reader_workers: all may.",
        minimum=1,
    )
    reader_queue: int = setting(
        8,
        "files",
        "Maximum files that wait for such a process, half of them of one client; the next gets status 503.",
        minimum=0,
    )
    write_queue: int = setting(
        8,
        "requests",
        "Maximum writes that wait while another one runs, half of them of one client; the next gets 503.",
        minimum=0,
    )
    preparation_queue: int = setting(
        4,
        "requests",
        "Maximum requests to /v1/documents with long texts that wait while those of another one are encoded; "
        "the next gets 503.",
        minimum=0,
    )

    idempotency_retention: float = setting(
        86_400.0,
        "seconds",
        "Time for which the answer to a request with an Idempotency-Key is kept for the same request.",
        minimum=1,
    )
    max_idempotency_keys: int = setting(
        10_000,
        "answers",
        "Maximum answers that are kept for an Idempotency-Key; the oldest are deleted.",
        minimum=10,
    )
    max_idempotency_answer: int = setting(
        2**16,
        "bytes",
        "Largest answer that is kept for an Idempotency-Key; of a larger one, status and revision are kept.",
        minimum=2**10,
    )
    max_idempotency_bytes: int = setting(
        2**26,
        "bytes",
        "All answers that are kept for an Idempotency-Key; the oldest are deleted. Those below 4 KiB may go "
        "beyond it.",
        minimum=2**20,
    )
    max_sync_bytes: int = setting(
        2**20,
        "bytes",
        "Largest texts and files that a request to /v1/documents waits for; larger ones become a job.",
        minimum=0,
    )
    job_timeout: float = setting(3600.0, "seconds", "Time limit for one job.", minimum=1)
    max_waiting_jobs: int = setting(
        100, "jobs", "Maximum jobs that wait or are done; the next gets status 503.", minimum=1
    )
    max_kept_jobs: int = setting(
        1_000, "jobs", "Maximum ended jobs whose reports are kept; the oldest are deleted.", minimum=1
    )
    max_report_entries: int = setting(
        1_000,
        "entries",
        "Maximum documents, failures, files left out and warnings, of each, that the report of a job lists.",
        minimum=1,
    )
    max_job_streams: int = setting(
        8, "clients", "Maximum clients of one web process that follow jobs by events.", minimum=1
    )
    max_event_streams: int = setting(
        16, "clients", "Maximum clients of one web process that follow revisions by events.", minimum=1
    )
    event_stream_time: float = setting(
        600.0,
        "seconds",
        "Longest time for which one client follows revisions by events; it may connect again.",
        minimum=0.01,
    )
    max_batch_documents: int = setting(
        1_000, "documents", "Maximum texts or files in one request to /v1/documents.", minimum=1
    )
    max_request_chunks: int = setting(
        4_000,
        "chunks",
        "Maximum chunks of the documents of one request to /v1/documents, job or not: bounds how long other "
        "writes wait for it. What `sage-ld ingest` reads has no such limit.",
        minimum=1,
    )

    # service: pages, exports, retrieval
    max_incoming: int = setting(
        1_000,
        "statements",
        "Maximum statements that point to a resource which its page and its description show; the page "
        "counts the rest.",
        minimum=1,
    )
    max_query_searches: int = setting(
        4, "searches", "Maximum searches (sage:search, sage:retrieve) in one query.", minimum=0
    )
    max_shown_neighbours: int = setting(
        100, "neighbours", "Maximum neighbours of a chunk that a page or one answer shows.", minimum=1
    )
    max_shown_passages: int = setting(
        100, "passages", "Maximum passages of a document, or that name an entity, on one page.", minimum=1
    )
    max_shown_sections: int = setting(
        1_000, "sections", "Maximum sections in the contents of a document's page.", minimum=1
    )
    max_shown_text: int = setting(
        200_000, "characters", "Longest text that the page of a document or a passage shows.", minimum=1
    )
    max_shown_marks: int = setting(
        5_000, "marks", "Maximum mentions and links that are marked in the text of one page.", minimum=0
    )
    max_page_items: int = setting(
        200, "items", "Maximum chunks, documents or entities on one page of a list.", minimum=1
    )
    max_sent_text: int = setting(
        16 * 2**20,
        "characters",
        "Longest text of a document, or outline, that is sent in one answer.",
        minimum=1,
    )
    max_abstract_length: int = setting(
        2_000, "characters", "Maximum characters of one abstract in an answer to a question.", minimum=1
    )
    max_exports: int = setting(
        4, "exports", "Exports that one web process sends at once; the next gets status 503.", minimum=1
    )
    max_framed_results: int = setting(
        100, "results", "Maximum results of an answer that is framed.", minimum=1
    )
    max_tokens: int = setting(
        100,
        "tokens",
        "Maximum access tokens that are created over HTTP; each request is compared with all.",
        minimum=1,
    )
    snapshot_dir: str = setting(
        "",
        "path",
        "The folder for snapshots taken over HTTP, outside the graph; hard links, if it is on the graph's "
        "file system. Empty: none are taken.",
        only_environment=True,
    )
    max_snapshots: int = setting(
        100, "snapshots", "Maximum snapshots in that folder; the next one is refused.", minimum=1
    )
    evaluation_dir: str = setting(
        "",
        "path",
        "The folder with the data sets that the service may evaluate; empty: none.",
        only_environment=True,
    )
    max_evaluation_questions: int = setting(
        200, "questions", "Largest data set that the service evaluates.", minimum=1
    )

    @classmethod
    def load(
        cls, table: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
    ) -> Settings:
        """The defaults, overridden by `table`, which a graph's file has, overridden by the environment.

        Raises InputError for an unknown name, in either of them, for a value of the wrong type or out of its
        range, and for a setting in `table` that only the environment may say, and does not.
        """
        environment = os.environ if environment is None else environment
        known = {each.name: each for each in fields(cls)}
        given: dict[str, object] = dict(table or {})
        for name, spec in known.items():
            if (text := environment.get(ENVIRONMENT_PREFIX + name.upper())) is not None:
                given[name] = text
            elif name in given and spec.metadata["only_environment"]:
                raise _only_environment(name)
        _check_names(given, environment, known)
        parsed: dict[str, Any] = {name: _parse(name, value, known[name]) for name, value in given.items()}
        return cls(**parsed)


def described(settings: Settings) -> list[dict[str, Any]]:
    """All settings, each with its value, default, unit, help, minimum and maximum.

    A name and password in the address of another service are left out.

    >>> next(each["unit"] for each in described(Settings()) if each["name"] == "max_file_bytes")
    'bytes'
    """
    return [
        {
            "name": each.name,
            "value": _without_password(getattr(settings, each.name)),
            "default": each.default,
            **{name: value for name, value in each.metadata.items() if value is not None},
        }
        for each in fields(settings)
    ]


def _without_password(value: object) -> object:
    """A value to be shown.

    >>> _without_password("https://alice:secret@proxy.example.org/v1")
    'https://…@proxy.example.org/v1'
    """
    return re.sub(r"(?<=://)[^/?#]*@", "…@", value) if isinstance(value, str) else value


def _check_names(table: Iterable[str], environment: Iterable[str], known: Iterable[str]) -> None:
    """Raises InputError for a name in the table or a variable with our prefix that is not a setting's."""
    variables = {ENVIRONMENT_PREFIX + name.upper(): name for name in known}
    for name in sorted(set(table).difference(known)):
        _check_former(name, name)
        nearest = get_close_matches(name, known, n=1)
        raise _unknown(f"setting {name!r}", nearest)
    for name in sorted(set(environment).difference(variables)):
        if name.startswith(ENVIRONMENT_PREFIX) and not name.startswith(TEST_PREFIX):
            _check_former(name.removeprefix(ENVIRONMENT_PREFIX).lower(), name)
            nearest = get_close_matches(name.removeprefix(ENVIRONMENT_PREFIX).lower(), known, n=1)
            raise _unknown(
                f"environment variable {name!r}", [ENVIRONMENT_PREFIX + each.upper() for each in nearest]
            )


def _only_environment(name: str) -> InputError:
    return InputError(
        f"setting {name}: the graph's sage-ld.toml has it, and only the environment may, because a graph can "
        f"come from a stranger; delete its line there, and set {ENVIRONMENT_PREFIX}{name.upper()} if you "
        "trust its value"
    )


def _check_former(setting: str, given: str) -> None:
    """Raises InputError for a setting of earlier versions, with what has taken its place."""
    if (instead := _FORMER.get(setting)) is not None:
        raise InputError(f"{given!r} is no longer a setting; {instead}")


def _unknown(what: str, nearest: list[str]) -> InputError:
    hint = f"did you mean {nearest[0]}? The" if nearest else "the"
    return InputError(f"unknown {what}; {hint} settings are listed in docs/settings.md")


def _parse(name: str, value: object, spec: Any) -> object:
    kind = type(spec.default)
    try:
        if kind is bool and isinstance(value, str):
            parsed: Any = {"true": True, "1": True, "false": False, "0": False}[value.lower()]
        else:
            parsed = kind(value)
        if kind is float and not isfinite(parsed):
            raise ValueError(value)
    except (ValueError, TypeError, KeyError):
        raise InputError(
            f"setting {name}: {value!r} is not {_article(kind.__name__)}; unit: {spec.metadata['unit']}"
        ) from None
    minimum = spec.metadata["minimum"]
    if minimum is not None and parsed < minimum:
        raise InputError(f"setting {name}: {parsed!r} is below its minimum {minimum}; give a larger value")
    maximum = spec.metadata["maximum"]
    if maximum is not None and parsed > maximum:
        raise InputError(f"setting {name}: {parsed!r} is above its maximum {maximum}; give a smaller value")
    return parsed


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
