"""A small mixed corpus that the tests of graphs write to disk, and graphs that are built once in a run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import portalocker

from sage_ld.graph import KnowledgeGraph

FILES = {
    "heron.md": """# The Golden Heron

The Golden Heron is the first prize of the festival of Osmere. It was first given in 1931.

## Winners

| Year | Film | Director |
|---|---|---|
| 1986 | Salt Over Sennet | Ruth Calloway |
| 1987 | [Night Bus to Hask](films/night-bus.md) | Nils Garrow |
| 1988 | The Lamplighter | Ruth Calloway |
""",
    "films/night-bus.md": """# Night Bus to Hask

Night Bus to Hask is a film of 1987 by Nils Garrow. Mira Tolland wrote the music.
""",
    "people/mira-tolland.md": """# Mira Tolland

Mira Tolland is a composer for film and radio. She plays the accordion and the theremin.
""",
    "people/ruth-calloway.html": """<!doctype html><html lang="en"><title>Ruth Calloway</title>
<h1>Ruth Calloway</h1>
<p>Ruth Calloway directed Salt Over Sennet and The Lamplighter. Nils Garrow was her assistant.</p></html>
""",
    "towns.csv": "Town,River,People\nSennet,Osme,12000\nHask,Lirr,3400\n",
    "songs.jsonl": """{"title": "Ferry Song", "singer": "Sabine Orrell"}
{"title": "Low Water", "singer": "Piet Ansgar"}
""",
    "records.ttl": """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:score rdfs:label "Score of Night Bus to Hask" ; ex:composer ex:mira .
ex:mira rdfs:label "Mira Tolland" .
""",
}
"""Path below the corpus -> text."""

PRIZES = {
    "heron.md": (
        "# The Golden Heron\n\nThe Golden Heron went to Mira Tolland. She lives in Hask.\n\n## Empty\n"
    ),
    "tolland.md": "# Mira Tolland\n\nMira Tolland wrote music. The Golden Heron stands in her house.\n",
    "rope.md": "# Rope\n\nA rope is made of hemp.\n",
}
"""Three texts, of which two name the same prize and the same person."""


def write(folder: Path, names: tuple[str, ...] = tuple(FILES)) -> Path:
    """Writes the named files of the corpus, in the order given."""
    return write_files(folder, {name: FILES[name] for name in names})


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes files, path below the folder -> text, in the order given."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def built(path: Path, corpus: Path, *, encoder: str = "jaccard", recipe: str = "default") -> KnowledgeGraph:
    """A graph at `path` of the files in a folder.

    It is a copy: the graph of the same files is built once for all processes of a run of the tests.
    """
    kept = Path(os.environ["SAGE_LD_CACHE_DIR"], "graphs", _key(corpus, encoder, recipe))
    kept.parent.mkdir(exist_ok=True)
    with portalocker.Lock(kept.with_suffix(".lock"), timeout=600):
        if not kept.exists():
            draft = kept.with_suffix(".draft")
            made = KnowledgeGraph.create(draft, encoder=encoder, recipe=recipe)
            made.ingest([corpus])
            made.close()
            draft.rename(kept)
    shutil.copytree(kept, path)
    roots = path / "roots.json"
    folders = dict.fromkeys(json.loads(roots.read_text("utf-8")), str(corpus.resolve()))
    roots.write_text(json.dumps(folders, indent=1) + "\n", "utf-8")
    return KnowledgeGraph.open(path)


def _key(corpus: Path, encoder: str, recipe: str) -> str:
    """What is the same for graphs that are alike."""
    digest = sha256(encoder.encode())
    digest.update(Path(recipe).read_bytes() if Path(recipe).is_file() else recipe.encode())
    for file in sorted(each for each in corpus.rglob("*") if each.is_file()):
        digest.update(f"\0{file.relative_to(corpus).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:32]
