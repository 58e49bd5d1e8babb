"""Provenance of retrieval: kept answers, what users say of them, and what both show."""

from sage_ld.graph.provenance.approvals import ApprovalLog, KeptApproval
from sage_ld.graph.provenance.kept_retrieval import Judgement, KeptResult, KeptRetrieval
from sage_ld.graph.provenance.model_calls import KeptModelCall
from sage_ld.graph.provenance.retrieval_log import RetrievalLog

__all__ = [
    "ApprovalLog",
    "Judgement",
    "KeptApproval",
    "KeptModelCall",
    "KeptResult",
    "KeptRetrieval",
    "RetrievalLog",
]
