"""Mixed files to a knowledge graph in RDF; questions to answers in JSON-LD that say why."""

from importlib.metadata import version

__version__ = version("sage-ld")
