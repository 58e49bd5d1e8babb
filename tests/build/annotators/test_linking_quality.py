"""Links found by title against the links that OTT-QA's tables carry, on a hundred of the tables.

The floors are three points under what was measured on these tables.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sage_ld.build.annotators.links import Target, find_title_links, index_targets, resolve_hyperlinks
from sage_ld.build.chunkers import Chunking, chunk_all
from sage_ld.build.encoders import load_encoder
from sage_ld.build.readers import read_paths
from sage_ld.foundation.model import Chunk, ChunkKind
from sage_ld.foundation.settings import Settings

TABLES = 100


@pytest.fixture(scope="module")
def folder() -> Path:
    root = os.environ.get("SAGE_DATA")
    if not root:
        pytest.skip("SAGE_DATA is not set: the folder with the benchmark data")
    return Path(root) / "ottqa"


@pytest.fixture(scope="module")
def chunks(folder: Path) -> list[Chunk]:
    paths = sorted((folder / "tables").iterdir())[::7][:TABLES]
    tables = [document for result in read_paths(paths, Settings()) for document in result.documents]
    per_table = chunk_all(tables, Chunking(), load_encoder("jaccard"))
    return [chunk for each in per_table for chunk in each if chunk.kind is ChunkKind.TABLE]


@pytest.fixture(scope="module")
def targets(folder: Path) -> list[Target]:
    (result,) = read_paths([folder / "passages.jsonl"], Settings())
    return [Target(each.identifier, each.title, each.text, each.url) for each in result.documents]


@pytest.mark.slow
def test_links_by_title_find_most_of_the_files_own_links(chunks: list[Chunk], targets: list[Target]) -> None:
    index = index_targets(targets)
    carried = {(link.chunk, link.row, link.document) for link in resolve_hyperlinks(chunks, targets)}
    found = {(link.chunk, link.row, link.document) for link in find_title_links(chunks, index)}
    right = len(carried & found)
    assert len(carried) > 2000
    assert right / len(found) >= 0.65
    assert right / len(carried) >= 0.86


@pytest.mark.slow
def test_confidence_is_the_share_that_is_right(chunks: list[Chunk], targets: list[Target]) -> None:
    carried = {(link.chunk, link.row, link.document) for link in resolve_hyperlinks(chunks, targets)}
    links = find_title_links(chunks, index_targets(targets))
    for least, most in ((0.15, 0.4), (0.4, 0.7), (0.7, 1.0)):
        band = [link for link in links if least <= link.confidence < most]
        right = sum((link.chunk, link.row, link.document) in carried for link in band)
        mean = sum(link.confidence for link in band) / len(band)
        assert right / len(band) == pytest.approx(mean, abs=0.12)
