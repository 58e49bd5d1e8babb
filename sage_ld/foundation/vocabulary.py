"""The IRIs of our ontology (`ontology/sage.ttl`) and of the vocabularies it is aligned with.

Plain strings, one constant a term, so that every layer can use them without an RDF library.
`tests/test_vocabulary.py` holds them, the ontology and the JSON-LD context against each other.
"""

from __future__ import annotations

from typing import Final

SAGE: Final = "https://w3id.org/sage-ld#"
SCHEMA: Final = "https://schema.org/"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
PROV: Final = "http://www.w3.org/ns/prov#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
CSVW: Final = "http://www.w3.org/ns/csvw#"
NIF: Final = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
DOCO: Final = "http://purl.org/spar/doco/"
VOID: Final = "http://rdfs.org/ns/void#"
DCAT: Final = "http://www.w3.org/ns/dcat#"
DCTERMS: Final = "http://purl.org/dc/terms/"

PREFIXES: Final = {
    "sage": SAGE,
    "schema": SCHEMA,
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
    "prov": PROV,
    "skos": SKOS,
    "csvw": CSVW,
    "nif": NIF,
    "doco": DOCO,
    "void": VOID,
    "dcat": DCAT,
    "dcterms": DCTERMS,
}

# --- our classes -----------------------------------------------------------------------------------
DOCUMENT: Final = SAGE + "Document"
SECTION: Final = SAGE + "Section"
CHUNK: Final = SAGE + "Chunk"
TEXT_CHUNK: Final = SAGE + "TextChunk"
TABLE_CHUNK: Final = SAGE + "TableChunk"
RECORD_CHUNK: Final = SAGE + "RecordChunk"
EDGE: Final = SAGE + "Edge"  # superclass of those below: an annotated statement with source and target
MENTION: Final = SAGE + "Mention"
LINK: Final = SAGE + "Link"
ADJACENCY: Final = SAGE + "Adjacency"
SIMILARITY_EDGE: Final = SAGE + "SimilarityEdge"  # its subclasses are those below, which `edge_kinds` lists
DOCUMENT_DOCUMENT_EDGE: Final = SAGE + "DocumentDocumentEdge"
TABLE_TABLE_EDGE: Final = SAGE + "TableTableEdge"
TABLE_DOCUMENT_EDGE: Final = SAGE + "TableDocumentEdge"
RECORD_RECORD_EDGE: Final = SAGE + "RecordRecordEdge"
RECORD_DOCUMENT_EDGE: Final = SAGE + "RecordDocumentEdge"
RECORD_TABLE_EDGE: Final = SAGE + "RecordTableEdge"
CURATED_EDGE: Final = SAGE + "CuratedEdge"
ANALOGOUS_EDGE: Final = SAGE + "AnalogousEdge"
STATEMENT_PROPERTY: Final = SAGE + "StatementProperty"  # what the channel `statement` follows
BUILD: Final = SAGE + "Build"
THRESHOLD: Final = SAGE + "Threshold"
RETRIEVAL: Final = SAGE + "Retrieval"
MODEL_CALL: Final = SAGE + "ModelCall"
TASK: Final = SAGE + "task"
LANGUAGE_MODEL: Final = SAGE + "languageModel"
TOKENS: Final = SAGE + "tokens"
RESULT: Final = SAGE + "Result"
PATH_STEP: Final = SAGE + "PathStep"

# --- our properties --------------------------------------------------------------------------------
CONTENT_HASH: Final = SAGE + "contentHash"
FILE_PATH: Final = SAGE + "filePath"
FILE_ROOT: Final = SAGE + "fileRoot"
PATCHED_KEY: Final = SAGE + "patchedKey"  # of a document: a key of metadata that a patch has changed
HEADING: Final = SAGE + "heading"
TOPIC: Final = SAGE + "topic"
SKELETON: Final = SAGE + "skeleton"  # of a text chunk, where the recipe asks for analogies
PLACE: Final = SAGE + "place"
FIRST_ROW: Final = SAGE + "firstRow"
LAST_ROW: Final = SAGE + "lastRow"
TABLE_NUMBER: Final = SAGE + "tableNumber"
COLUMN: Final = SAGE + "column"
COLUMN_NUMBER: Final = SAGE + "columnNumber"

LINKS_TO: Final = SAGE + "linksTo"
NEXT: Final = SAGE + "next"
SIMILAR_TO: Final = SAGE + "similarTo"
ANALOGOUS_TO: Final = SAGE + "analogousTo"

SOURCE: Final = SAGE + "source"
TARGET: Final = SAGE + "target"
WEIGHT: Final = SAGE + "weight"
ORIGIN: Final = SAGE + "origin"  # of a class of edges: curated, computed or analogous
RELATION_TYPE: Final = SAGE + "relationType"  # of a curated edge: the property of its statement
SURFACE_FORM: Final = SAGE + "surfaceForm"
ENTITY_CLASS: Final = SAGE + "entityClass"  # of a mention: what its text says that the entity is
COUNT: Final = SAGE + "count"
ROW: Final = SAGE + "row"
COLUMN_NAME: Final = SAGE + "columnName"
LINK_KIND: Final = SAGE + "linkKind"
ANCHOR_TEXT: Final = SAGE + "anchorText"
HREF: Final = SAGE + "href"
CONFIDENCE: Final = SAGE + "confidence"
SHARED_ENTITY: Final = SAGE + "sharedEntity"
CANDIDATE: Final = SAGE + "candidate"  # of an entity: a resource of a user's RDF that has its label
BY_LABEL: Final = SAGE + "byLabel"  # of a mention of such a resource: the entity that has the label alone
CHUNK_FREQUENCY: Final = SAGE + "chunkFrequency"  # of an entity: in how many chunks it is named
CHUNKS_ABOUT: Final = SAGE + "chunksAbout"  # of a concept: how many chunks are about it
JUDGEMENT: Final = SAGE + "judgement"  # of the graph of concepts: what a judge said of a group of terms
CHUNK_COUNT: Final = SAGE + "chunkCount"  # of a build: how many chunks its thresholds were taken over

TOPIC_SIMILARITY: Final = SAGE + "topicSimilarity"
CONTENT_SIMILARITY: Final = SAGE + "contentSimilarity"
COLUMN_SIMILARITY: Final = SAGE + "columnSimilarity"
TITLE_SIMILARITY: Final = SAGE + "titleSimilarity"
DESCRIPTION_SIMILARITY: Final = SAGE + "descriptionSimilarity"
ENTITY_SIMILARITY: Final = SAGE + "entitySimilarity"
SKELETON_SIMILARITY: Final = SAGE + "skeletonSimilarity"  # of an analogous edge alone
SIGNALS: Final = (
    TOPIC_SIMILARITY,
    CONTENT_SIMILARITY,
    COLUMN_SIMILARITY,
    TITLE_SIMILARITY,
    DESCRIPTION_SIMILARITY,
    ENTITY_SIMILARITY,
)

ENCODER: Final = SAGE + "encoder"
RECIPE: Final = SAGE + "recipe"
CODE_VERSION: Final = SAGE + "codeVersion"
HAS_THRESHOLD: Final = SAGE + "threshold"
EDGE_KIND: Final = SAGE + "edgeKind"
SIGNAL: Final = SAGE + "signal"
PERCENTILE: Final = SAGE + "percentile"
THRESHOLD_VALUE: Final = SAGE + "thresholdValue"
CANDIDATE_COUNT: Final = SAGE + "candidateCount"
EDGE_COUNT: Final = SAGE + "edgeCount"
SAMPLED_VALUES: Final = SAGE + "sampledValues"
SAMPLED_PERCENTILE: Final = SAGE + "sampledPercentile"

QUERY: Final = SAGE + "query"
MODE: Final = SAGE + "mode"
CHANNEL: Final = SAGE + "channel"
SEED_BUDGET: Final = SAGE + "seedBudget"
NEIGHBOUR_BUDGET: Final = SAGE + "neighbourBudget"
OFFSET: Final = SAGE + "offset"
HOPS: Final = SAGE + "hops"
DECAY: Final = SAGE + "decay"
RANKING: Final = SAGE + "ranking"
RANKING_MODEL: Final = SAGE + "rankingModel"
FUSION: Final = SAGE + "fusion"
BM25_WEIGHT: Final = SAGE + "bm25Weight"
SEED_SHARE: Final = SAGE + "seedShare"
DAMPING: Final = SAGE + "damping"
RESTART_POWER: Final = SAGE + "restartPower"
WALK_SHARE: Final = SAGE + "walkShare"
GLOBAL_SHARE: Final = SAGE + "globalShare"
VECTOR_SEEDS: Final = SAGE + "vectorSeeds"
EXPANDED_SEEDS: Final = SAGE + "expandedSeeds"
EXPANSION_DEPTH: Final = SAGE + "expansionDepth"
VECTOR_WEIGHT: Final = SAGE + "vectorWeight"
GRAPH_WEIGHT: Final = SAGE + "graphWeight"
CONNECTIVITY_WEIGHT: Final = SAGE + "connectivityWeight"
CENTRALITY_WEIGHT: Final = SAGE + "centralityWeight"
RELATIONSHIP_WEIGHT: Final = SAGE + "relationshipWeight"
LEGACY_CONNECTIVITY: Final = SAGE + "legacyConnectivity"
CENTRALITY: Final = SAGE + "centrality"
CENTRALITY_DAMPING: Final = SAGE + "centralityDamping"
SUMMARY_WEIGHT: Final = SAGE + "summaryWeight"
SECTION_WEIGHT: Final = SAGE + "sectionWeight"
COVERAGE_SHARE: Final = SAGE + "coverageShare"
HEADING_SHARE: Final = SAGE + "headingShare"
INHERITANCE_DECAY: Final = SAGE + "inheritanceDecay"
NEIGHBOUR_WEIGHT: Final = SAGE + "neighbourWeight"
NEAREST_ENTITIES: Final = SAGE + "nearestEntities"
HUB_SAMPLE: Final = SAGE + "hubSample"
ENSEMBLE_MEMBERS: Final = SAGE + "ensembleMembers"
MEMBER_FUSION: Final = SAGE + "memberFusion"
VIEW: Final = SAGE + "view"
CONTEXT_WINDOW: Final = SAGE + "contextWindow"
DEDUPLICATE: Final = SAGE + "deduplicate"
DUPLICATE_THRESHOLD: Final = SAGE + "duplicateThreshold"
DECOMPOSE: Final = SAGE + "decompose"
RRF_CONSTANT: Final = SAGE + "rrfConstant"
ONLY_DOCUMENT: Final = SAGE + "onlyDocument"
ONLY_KIND: Final = SAGE + "onlyKind"
ONLY_LANGUAGE: Final = SAGE + "onlyLanguage"
ONLY_KEYWORD: Final = SAGE + "onlyKeyword"
ONLY_SINCE: Final = SAGE + "onlySince"
QUESTION_LANGUAGE: Final = SAGE + "questionLanguage"
ONLY_UNTIL: Final = SAGE + "onlyUntil"
ONLY_WHERE: Final = SAGE + "onlyWhere"
ONLY_RELATION: Final = SAGE + "onlyRelation"
AS_OF: Final = SAGE + "asOf"
IS_IN_GRAPH: Final = SAGE + "isInGraph"
ANSWER_METHOD: Final = SAGE + "answerMethod"
RANK: Final = SAGE + "rank"
ROLE: Final = SAGE + "role"
SCORE: Final = SAGE + "score"
BM25_SCORE: Final = SAGE + "bm25Score"
DENSE_SCORE: Final = SAGE + "denseScore"
HYBRID_SCORE: Final = SAGE + "hybridScore"
COVERAGE_SCORE: Final = SAGE + "coverageScore"
LIKENESS_SCORE: Final = SAGE + "likenessScore"
PAIR_COVERAGE_SCORE: Final = SAGE + "pairCoverageScore"
PAIR_DENSE_SCORE: Final = SAGE + "pairDenseScore"
VECTOR_SCORE: Final = SAGE + "vectorScore"
CONNECTIVITY_SCORE: Final = SAGE + "connectivityScore"
CENTRALITY_SCORE: Final = SAGE + "centralityScore"
RELATIONSHIP_SCORE: Final = SAGE + "relationshipScore"
SUMMARY_SCORE: Final = SAGE + "summaryScore"
SECTION_SCORE: Final = SAGE + "sectionScore"
GRAPH_SCORE: Final = SAGE + "graphScore"
CONTEXT_BEFORE: Final = SAGE + "contextBefore"
CONTEXT_AFTER: Final = SAGE + "contextAfter"
REVISION: Final = SAGE + "revision"
FEEDBACK: Final = SAGE + "feedback"  # of a result: a review by a client
PATH: Final = SAGE + "path"  # of a result: the list of its steps, each with the following
PATH_SEED: Final = SAGE + "seed"
PATH_REACHES: Final = SAGE + "reaches"
PATH_RELATION: Final = SAGE + "relation"
PATH_EVIDENCE: Final = SAGE + "evidence"
PATH_EDGE: Final = SAGE + "edge"
PATH_VIA: Final = SAGE + "via"
PROPERTY_PATH: Final = SAGE + "propertyPath"  # of a step that goes over nodes between its chunks

# --- terms of others -------------------------------------------------------------------------------
TYPE: Final = RDF + "type"
REIFIES: Final = RDF + "reifies"

SCHEMA_THING: Final = SCHEMA + "Thing"
ENTITY_CLASSES: Final = tuple(
    SCHEMA + name for name in ("Person", "Place", "Organization", "CreativeWork", "Event")
)
"""The classes that texts give to entities."""
SCHEMA_TABLE: Final = SCHEMA + "Table"
SCHEMA_CREATIVE_WORK: Final = SCHEMA + "CreativeWork"
SCHEMA_ANSWER: Final = SCHEMA + "Answer"
QUOTATION: Final = SCHEMA + "Quotation"
HAS_PART: Final = SCHEMA + "hasPart"
CITATION: Final = SCHEMA + "citation"
SCHEMA_ITEM_LIST: Final = SCHEMA + "ItemList"
ITEM_LIST_ELEMENT: Final = SCHEMA + "itemListElement"
NUMBER_OF_ITEMS: Final = SCHEMA + "numberOfItems"
ITEM: Final = SCHEMA + "item"
REVIEW: Final = SCHEMA + "Review"
RATING: Final = SCHEMA + "Rating"
REVIEW_RATING: Final = SCHEMA + "reviewRating"
RATING_VALUE: Final = SCHEMA + "ratingValue"
BEST_RATING: Final = SCHEMA + "bestRating"
WORST_RATING: Final = SCHEMA + "worstRating"
REVIEW_BODY: Final = SCHEMA + "reviewBody"
DATE_CREATED: Final = SCHEMA + "dateCreated"
NAME: Final = SCHEMA + "name"
TEXT: Final = SCHEMA + "text"
IDENTIFIER: Final = SCHEMA + "identifier"
URL: Final = SCHEMA + "url"
ENCODING_FORMAT: Final = SCHEMA + "encodingFormat"
IN_LANGUAGE: Final = SCHEMA + "inLanguage"
ABSTRACT: Final = SCHEMA + "abstract"
DESCRIPTION: Final = SCHEMA + "description"
KEYWORDS: Final = SCHEMA + "keywords"
HEADLINE: Final = SCHEMA + "headline"
POSITION: Final = SCHEMA + "position"
IS_PART_OF: Final = SCHEMA + "isPartOf"
MENTIONS: Final = SCHEMA + "mentions"
MAIN_ENTITY: Final = SCHEMA + "mainEntity"
ABOUT: Final = SCHEMA + "about"

COMMENT: Final = RDFS + "comment"
VALID_FROM: Final = SCHEMA + "validFrom"
VALID_THROUGH: Final = SCHEMA + "validThrough"

CONCEPT: Final = SKOS + "Concept"
PREF_LABEL: Final = SKOS + "prefLabel"
ALT_LABEL: Final = SKOS + "altLabel"
EXACT_MATCH: Final = SKOS + "exactMatch"
RELATED: Final = SKOS + "related"
CLOSE_MATCH: Final = SKOS + "closeMatch"
CSVW_COLUMN: Final = CSVW + "Column"
CSVW_NAME: Final = CSVW + "name"
CSVW_TITLES: Final = CSVW + "titles"
BEGIN_INDEX: Final = NIF + "beginIndex"
END_INDEX: Final = NIF + "endIndex"
SENTENCE: Final = NIF + "Sentence"
MODIFIED: Final = DCTERMS + "modified"
IS_REPLACED_BY: Final = DCTERMS + "isReplacedBy"
STARTED_AT: Final = PROV + "startedAtTime"
ENDED_AT: Final = PROV + "endedAtTime"
GENERATED_BY: Final = PROV + "wasGeneratedBy"
USED: Final = PROV + "used"
VALUE: Final = PROV + "value"
