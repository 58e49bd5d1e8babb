"""Provenance of retrieval: kept answers, what users say of them, and what both show."""

from sage_ld.provenance.kept_retrieval import Judgement, KeptResult, KeptRetrieval
from sage_ld.provenance.model_calls import KeptModelCall
from sage_ld.provenance.retrieval_log import RetrievalLog

__all__ = ["Judgement", "KeptModelCall", "KeptResult", "KeptRetrieval", "RetrievalLog"]
