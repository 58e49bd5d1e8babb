// Written by `make generate` from the records of the API's answers; change those.

/** A JSON object of which the API says no more. */
export type Json = Record<string, unknown>;

/** The parameters of a filter. */
export const FILTERS: readonly string[] = ["documents", "kinds", "languages", "keywords", "since", "until", "where", "metadata"];

/** The analytics of kept retrievals. */
export interface Analytics {
  frequentQuestions: QuestionFigures[];
  helped: number;
  judgements: number;
  /** Percentiles of the time of an answer in seconds: p50, p90, p95, p99. */
  latency: Record<string, number>;
  poorQuestions: QuestionFigures[];
  popularChunks: ChunkFigures[];
  retrievals: number;
  since: string;
}

/** A column of an answer. */
export interface AnsweredColumn {
  name: string;
  type: string;
}

/** A call of a tool that waits for a person, or what was decided about it. */
export interface Approval {
  /** Its identifier. */
  approval: string;
  arguments: Json;
  /** The name of the token that the call came with; nobody without one. */
  caller: string;
  created: string;
  decided?: string;
  /** Who decided: the name of a token, or a terminal. */
  decider?: string;
  reason?: string;
  /** The result that waits; not for its caller. */
  result?: Json;
  /** The role of a token that may decide. */
  role: string;
  state: "approved" | "refused" | "waiting";
  tool: string;
  /** The time at which the call came back for the decision. */
  used?: string;
}

/** A part of the list of approvals. */
export interface Approvals {
  approvals: Approval[];
  limit?: number;
}

/** A query that failed, or found nothing. */
export interface Attempt {
  error: string | null;
  query: string | null;
}

/** The meaning that words of a question were given. */
export interface Binding {
  kind: string;
  name: string;
  words: string;
}

/** The report of a check of the graph. */
export interface Checked {
  /** Whether no fault was found. */
  clean: boolean;
  findings: Finding[];
  /** Further faults of the same kinds. */
  more: number;
  repaired: Finding[];
  revision: number;
}

/** The figures of a chunk. */
export interface ChunkFigures {
  chunk: string;
  /** The number of answers that had it. */
  count: number;
  /** The number of judgements that say that it helped. */
  helped: number;
  meanRank: number;
  /** Absent where the graph has the chunk no more. */
  name?: string;
  notHelped: number;
}

/** A chunk, with its document, section and entities. */
export interface Chunk {
  /** The JSON-LD context, inline: nothing is to be fetched. */
  "@context"?: Json;
  id: string;
  isPartOf: ({ abstract?: string; contentHash?: string; id: string; identifier: string; name?: string; type: string[]; url?: string } | { abstract?: string; id: string; name?: string; type: string[] })[];
  mentions: Mention[];
  name: string;
  /** Where it stands in its file: page 3, lines 10–24, Budget!A3:F20. */
  place?: string;
  text: string;
  /** Chunk, and what it is cut from: text, table, record. */
  type: string[];
}

/** An answer in sentences, each with what it cites. */
export interface CitedAnswer {
  /** The address of the JSON-LD context, with further terms where there are some; or the context itself. */
  "@context": string | Json | (string | Json)[];
  /** Whether the sentences are quoted from the documents, or written by a language model. */
  answerMethod: "extraction" | "model";
  /** The reason if the answer was not made by the requested method. */
  comment?: string;
  hasPart: Sentence[];
  /** Whether the graph answers the question. */
  isInGraph: boolean;
  /** The sentences as one text. */
  text: string;
  type: string[];
  wasGeneratedBy: Json | (Json | { languageModel: string; task: string; type: string[] })[];
}

/** The contents of a community. */
export interface Community {
  /** The communities in it, the larger ones first. */
  communities: PartOfGraph[];
  /** Whether all edges were looked at. */
  complete: boolean;
  /** The edges among these nodes. */
  edges: OverviewEdge[];
  id: string;
  /** The heaviest edges between these communities. */
  links: CommunityLink[];
  /** Its nodes, where it is small enough to be shown whole. */
  nodes: OverviewNode[];
  /** The revision of these communities; an earlier one until those of the newest are found. */
  revision: number;
}

/** The edges between two communities. */
export interface CommunityLink {
  /** The number of edges between nodes of the two. */
  count: number;
  source: string;
  target: string;
}

/** The result of a statement or a program. */
export interface Computed {
  /** The chunks in the column `_chunk` of each row. */
  chunks: string[][];
  columns: AnsweredColumn[];
  /** Whether these are all rows. */
  complete: boolean;
  /** The output of the program. */
  printed?: string;
  /** The program, where the setting reasoning_code is python. */
  python?: string;
  revision?: number;
  rows: unknown[][];
  sql?: string;
  /** The tables that the statement names. */
  tables: NamedTable[];
}

/** A new access token. */
export interface CreatedToken {
  created: string;
  /** The owner of the token. */
  name: string;
  /** Each role includes those before it. */
  role: "read" | "write" | "admin";
  /** The token itself: it is shown here, and never again. */
  token: string;
}

/** An edge that a client stated. */
export interface CuratedEdge {
  comment?: string;
  id: string;
  /** The end of its IRI, by which /v1/edges/{identifier} names it. */
  identifier: string;
  metadata?: Json;
  /** The name of its type; its IRI where that has none. */
  relation: string;
  relationType: string;
  source: string;
  target: string;
  validFrom?: string;
  validThrough?: string;
  weight: number;
}

/** A page of the list of edges. */
export interface CuratedEdges {
  edges: CuratedEdge[];
  limit: number;
  /** The cursor of the next page, if there may be more edges. */
  nextCursor?: string;
  numberOfItems: number;
}

/** A document, with its metadata. */
export interface DescribedDocument {
  /** The number of its chunks; /v1/chunks?documents= lists them. */
  chunks: number;
  /** SHA-256 over what the document was made of: its content, and the metadata sent or read with it. PATCH does not change it; the ETag does change. */
  contentHash: string;
  /** The file that it came from; missing where a program added the document. */
  file?: File;
  id: string;
  identifier: string;
  language?: string;
  mediaType: string;
  /** Values by key; of several values, a list. */
  metadata: Json;
  name?: string;
  /** The keys of metadata that PATCH has set or removed; missing if there are none. */
  patched?: string[];
  url?: string;
}

/** A difference, with its confidence interval. */
export interface Difference {
  difference: number;
  high: number;
  low: number;
}

/** The measures of an evaluation. */
export interface Evaluation {
  baseline?: string;
  budgets: number[];
  confidence?: number;
  dataset: string;
  differences?: Record<string, Record<string, Difference>>;
  /** Mode, or recipe of several, to measure to value. */
  modes: Record<string, Record<string, number>>;
  qrels: string;
  queries: number;
  /** Left out, since no document is judged relevant to them. */
  unjudged_queries: number;
  /** Judged, but not in the graph: they are missed. */
  unknown_documents: number;
  /** The first of these. */
  unknown_example?: string;
}

/** The reasons why a chunk is, or is not, in an answer. */
export interface Explanation {
  chunk: string;
  document: string;
  /** The conditions of the filter that it does not meet. */
  excludedBy: string[];
  /** Its place and score by flat ranking. */
  flat: Record<string, FlatPlace>;
  from_graph: number;
  /** Whether an edge led to it from where that began. */
  isReached: boolean;
  /** Whether the graph was followed from it. */
  isStart: boolean;
  k: number;
  matches: Matches;
  mode: "sage" | "hybrid" | "dense" | "bm25";
  name: string;
  offset: number;
  parts: Record<string, number>;
  /** The best path from a seed to it. */
  path: PlainStep[];
  question: string;
  /** Its rank, in the answer or behind it. */
  rank: number | null;
  /** How many chunks were ranked, at most max_results. */
  ranked: number;
  ranking: string;
  /** The verdict with the numbers that decide it, for a person. */
  reason: string;
  /** What would have to be there for it to be ranked, or a result. */
  remedies: Remedy[];
  revision: number;
  role: "seed" | "neighbour" | null;
  score: number | null;
  /** What its score lacks to that of the last result. */
  scoreMissing: number | null;
  text: string;
  verdict: "filtered out" | "a near-duplicate" | "not a candidate" | "beyond the limit" | "ranked too low" | "on an earlier page" | "a result";
}

/** A facet. */
export interface Facet {
  /** Whether it is a key of metadata. */
  metadata: boolean;
  /** The number of further values. */
  more: number;
  /** kind, format, language, year or class; or a key of metadata. */
  name: string;
  values: FacetValue[];
}

/** A value of a facet. */
export interface FacetValue {
  /** The number of chunks with it. */
  chunks: number;
  /** The parameters that select these chunks alone. */
  filter: Json;
  value: string;
}

/** The facets of the chunks that a filter lets through. */
export interface Facets {
  /** The number of chunks that pass the filter. */
  chunks: number;
  /** Whether all statements about documents were read (max_facet_statements). */
  complete: boolean;
  facets: Facet[];
  revision: number;
}

/** A text or file that was not stored. */
export interface FailedSource {
  detail: string;
  source: string;
}

/** A file of an ingest. */
export interface File {
  path: string;
  root: string;
}

/** A fault of the graph. */
export interface Finding {
  check: string;
  meaning: string;
  remedy: string;
  where: string;
}

/** A place in a flat ranking. */
export interface FlatPlace {
  place: number | null;
  score: number;
}

/** The answer to a question by a query. */
export interface GraphAnswer {
  /** Queries of the model that failed or found nothing. */
  attempts: Attempt[];
  /** What words of the question were taken for. */
  bindings: Binding[];
  columns: string[];
  /** Whether these are all rows. */
  complete: boolean;
  confidence: number;
  /** Chunks that a search finds, where the query is not sure. */
  fallback?: PlainResult[];
  language: string | null;
  /** Names in the question that the graph does not have, if it is not sure. */
  missing: MissingName[];
  query: string | null;
  question: string;
  revision: number;
  /** Each a list by column. */
  rows: (({ id: string } | string | number | boolean | null)[])[];
  /** What the rows come from. */
  sources: Source[];
  /** Whether the query is taken for what the question means; else it has no rows, or rows to be checked. */
  sure: boolean;
  /** Words of the question that the query does not use. */
  unused: string[];
  /** The way in which the rows were found. */
  way: string;
}

/** An edge of a neighbourhood. */
export interface GraphEdge {
  /** The resource that has the edge's evidence. */
  edge?: string;
  kind: "part" | "next" | "mention" | "link" | "similarity" | "analogy" | "about" | "relation" | "statement";
  /** The origin of the edge; absent from statements of files and of your own RDF. */
  origin?: "analogous" | "computed" | "curated";
  /** The property, of a statement or a part. */
  property?: string;
  source: string;
  target: string;
  weight: number;
}

/** A node of a neighbourhood. */
export interface GraphNode {
  /** The number of edges between it and the node in the middle. */
  hops: number;
  id: string;
  kind: "document" | "section" | "chunk" | "entity" | "concept" | "resource";
  label: string;
}

/** A job. */
export interface Job {
  created: string;
  ended?: string;
  id: string;
  /** The reason why it failed. */
  problem?: Problem;
  /** The step (reading, encoding), the part of it that is done, and the whole. */
  progress?: Progress;
  /** What was done, as a request that waits gets it; long lists are cut. */
  report?: { chunks: number; documents: ({ id: string; identifier: string; source: string; status: "added" | "replaced" | "unchanged" | "duplicate" })[]; failed: { detail: string; source: string }[]; leftOut: { detail: string; identifier: string }[]; omitted?: { documents?: number; failed?: number; leftOut?: number; passedOver?: number; warnings?: number }; passedOver?: { count: number; identifier: string; kind: string; places: string[] }[]; removedEdges?: { comment?: string; id: string; identifier: string; metadata?: Json; relation: string; relationType: string; source: string; target: string; validFrom?: string; validThrough?: string; weight: number }[]; revision: number; warnings: string[] } | { edges: Record<string, number>; revision: number; warnings: string[] } | { clean: boolean; findings: { check: string; meaning: string; remedy: string; where: string }[]; more: number; repaired: { check: string; meaning: string; remedy: string; where: string }[]; revision: number };
  state: "queued" | "running" | "done" | "failed" | "cancelled" | "interrupted";
}

/** A file inside another one that gave no document. */
export interface LeftOut {
  detail: string;
  identifier: string;
}

/** The words that match. */
export interface Matches {
  /** Offsets in characters, the end exclusive, and the term of the word in the indexes. */
  name: Span[];
  /** Offsets in characters, the end exclusive, and the term of the word in the indexes. */
  question: Span[];
  /** Offsets in characters, the end exclusive, and the term of the word in the indexes. */
  text: Span[];
}

/** An entity that a chunk mentions. */
export interface Mention {
  id: string;
  prefLabel: string;
}

/** A name in a question that the graph does not have. */
export interface MissingName {
  /** The most similar names that it has. */
  nearest: string[];
  words: string;
}

/** A table that a statement names. */
export interface NamedTable {
  name: string;
  source: string;
}

/** A chunk before or after a result. */
export interface NeighbourText {
  chunk: string;
  name: string;
  text: string;
}

/** The nodes and edges around a resource. */
export interface Neighbourhood {
  /** Whether no limit left anything out. */
  complete: boolean;
  edges: GraphEdge[];
  nodes: GraphNode[];
  revision: number;
  /** The IRI of the node in the middle. */
  start: string;
}

/** The lengths by which the lists of a report were cut. */
export interface Omitted {
  documents?: number;
  failed?: number;
  leftOut?: number;
  passedOver?: number;
  warnings?: number;
}

/** An edge within a community. */
export interface OverviewEdge {
  kind: "part" | "link" | "similarity" | "mention";
  source: string;
  target: string;
  weight: number;
}

/** A node of a community. */
export interface OverviewNode {
  id: string;
  kind: "document" | "section" | "chunk" | "entity" | "concept" | "resource";
  label: string;
}

/** A community. */
export interface PartOfGraph {
  chunks: number;
  documents: number;
  entities: number;
  /** The identifier with which /v1/graph/communities/{id} opens it. */
  id: string;
  /** Its strongest document and entities. */
  label: string;
  /** The number of its nodes. */
  size: number;
}

/** The parts of one kind that the file of a document has and its text has not. */
export interface PassedOver {
  count: number;
  identifier: string;
  /** A noun, such as chart or hidden text. */
  kind: string;
  /** The first places, such as page 3, at most twenty. */
  places: string[];
}

/** An answer. */
export interface PlainAnswer {
  /** Whether a result has something of the question; false where all have the score 0 by their text. */
  matched: boolean;
  question: string;
  /** As sage-ld search --format json prints them. */
  results: PlainResult[];
  /** Where the retrieval is kept: the name by which the answer can be cited. */
  retrieval?: string;
  /** The revision of the graph that was asked. */
  revision: number;
}

/** A document in flat JSON. */
export interface PlainDocument {
  contentHash: string;
  id: string;
  identifier: string;
  name?: string;
  url?: string;
}

/** A page of the list of documents in flat JSON. */
export interface PlainDocuments {
  documents: PlainDocument[];
  limit: number;
  /** The cursor of the next page; missing on the last one. */
  nextCursor?: string;
  /** How many there are in all. */
  numberOfItems: number;
  offset: number;
}

/** A result whose chunk an event before has shown. */
export interface PlainRanked {
  chunk: string;
  parts: Record<string, number>;
  rank: number;
  role: "seed" | "neighbour";
  score: number;
}

/** The ranking of an answer, of chunks that events before have shown. */
export interface PlainRanking {
  /** Whether a result has something of the question; false where all have the score 0 by their text. */
  matched: boolean;
  question: string;
  results: PlainRanked[];
  /** Where the retrieval is kept: the name by which the answer can be cited. */
  retrieval?: string;
  /** The revision of the graph that was asked. */
  revision: number;
}

/** A result: a chunk, its score, and the way that led to it. */
export interface PlainResult {
  /** Those after it. */
  after?: NeighbourText[];
  /** The chunks before it in its document, as many as window says. */
  before?: NeighbourText[];
  /** Where it begins in its document's text, in characters from 0. */
  begin: number | null;
  /** The IRI of the chunk. */
  chunk: string;
  /** The identifier of the document. */
  document: string;
  /** What it is about, where view is summary and the graph has abstracts. */
  documentAbstract?: string;
  /** Where it ends there, exclusive. */
  end: number | null;
  kind: "text" | "table" | "record";
  /** The names of the chunks and nodes on its path, by IRI, on request (labels). */
  labels?: Record<string, string>;
  /** The words that match, on request (highlight). */
  matches?: Matches;
  name: string;
  /** What the score is made of: bm25, dense … */
  parts: Record<string, number>;
  /** The steps that led here from a seed; none for a seed. */
  path: PlainStep[];
  /** Where it stands in its file: page 3, lines 10–24, Budget!A3:F20. */
  place: string | null;
  rank: number;
  role: "seed" | "neighbour";
  score: number;
  /** What it is about, where view is summary and the graph has abstracts. */
  sectionAbstract?: string;
  text: string;
  title: string;
  url: string | null;
}

/** A step of a path, from a chunk to a chunk. */
export interface PlainStep {
  channel: "similarity" | "entity" | "concept" | "link" | "statement" | "relation" | "structure" | "analogy";
  /** The chunk that it leads to. */
  chunk: string;
  /** The edge as the graph has it, or the edges. */
  edge?: string | string[];
  /** The shared entity or concept, or the resources that statements join. */
  entity?: string | string[];
  /** What the edge is, within its channel: TableDocument, links to, next … */
  kind: string;
  /** The properties that lead from node to node. */
  properties?: string | string[];
  /** The index that gave the step in place of the channel's query. */
  readFrom?: string;
  /** The row of the table that holds the link, from 0. */
  row?: number;
  /** The chunk that the step starts from. */
  seed: string;
  /** The weight of the edge. */
  weight: number;
}

/** The load of a pool of workers. */
export interface Pool {
  busy?: number;
  waiting?: number;
}

/** An error, as RFC 9457 has it. */
export interface Problem {
  /** The value, the limit that it broke, and the remedy. */
  detail: string;
  status: number;
  title: string;
  type: string;
}

/** The progress of a job. */
export interface Progress {
  done: number;
  step: string;
  total: number;
}

/** The figures of a question. */
export interface QuestionFigures {
  count: number;
  last: string;
  /** Absent where there never was a result. */
  meanBestScore?: number;
  question: string;
}

/** A quotation from a document. */
export interface Quotation {
  beginIndex: number;
  endIndex: number;
  isPartOf: Chunk[];
  /** The text of the document from beginIndex to endIndex. */
  text: string;
  type: string[];
}

/** An answer with the steps that led to it. */
export interface ReasonedAnswer {
  answer: string;
  /** Whether the model wrote the answer; if not, the answer is what was found. */
  byModel: boolean;
  /** Calls of the model, without those that a cache answered. */
  calls: number;
  /** The chunks that the answer rests on. */
  citations: string[];
  question: string;
  revision: number;
  steps: ReasoningStep[];
  tokens: number;
}

/** One step; what does not concern its kind is left out. */
export interface ReasoningStep {
  error?: string;
  keyEntities?: string[];
  kind: string;
  nodes?: SeenNode[];
  python?: string;
  queryType?: "ANALYTICAL" | "RELATIONAL";
  result?: Computed;
  sql?: string;
  tables?: string[];
  targetTypes?: string[];
  thought?: string;
}

/** A type of relation. */
export interface RelationType {
  comment?: string;
  id: string;
  /** The inverse type, from target to source. */
  inverse?: string;
  label?: string;
  /** Properties of other vocabularies that count as this type. */
  matches: string[];
  /** The first of its names; its IRI where it has none. */
  name: string;
  names: string[];
  /** The weight of an edge of the type. */
  weight: number;
}

/** The types of relation. */
export interface RelationTypes {
  relationTypes: RelationType[];
}

/** The report of a relink. */
export interface Relinked {
  /** Edges by their kind. */
  edges: Record<string, number>;
  revision: number;
  /** What was not derived as the recipe asks. */
  warnings: string[];
}

/** A parameter with which the chunk would be ranked, or a result. */
export interface Remedy {
  /** A value that is enough. */
  enough: unknown;
  /** The parameter, setting, or key of the recipe; such as `k`. */
  name: string;
  /** The rank of the chunk then; null where that was not tried. */
  rank: number | null;
  /** What it is. */
  value: unknown;
}

/** A node that the model was shown. */
export interface SeenNode {
  /** Whether its label is a value in a table. */
  aggregates: boolean;
  id: string;
  /** text, table or record of a chunk; else entity, document, … */
  kind: string;
  label: string;
  /** The way in which it was found. */
  relation: string;
  score: number;
}

/** A sentence of an answer, with what it cites. */
export interface Sentence {
  citation: Quotation[];
  position: number;
  text: string;
  type: string[];
}

/** A setting, with its meaning. */
export interface Setting {
  default: string | number | boolean;
  help: string;
  maximum?: number;
  minimum?: number;
  name: string;
  /** Whether only the environment may set it, not the graph's file. */
  only_environment: boolean;
  unit: string;
  value: string | number | boolean;
}

/** The settings in force. */
export interface Settings {
  settings: Setting[];
}

/** A snapshot of the graph. */
export interface Snapshot {
  created: string;
  /** The time and the revision of the snapshot. */
  name: string;
  revision: number;
}

/** The snapshots. */
export interface Snapshots {
  snapshots: Snapshot[];
}

/** A source of rows. */
export interface Source {
  chunks?: string[];
  /** The IRI of the document. */
  document?: string;
  /** The named graph that has the statements. */
  graph?: string;
  identifier?: string | null;
}

/** A word that matches: its place in a text. */
export interface Span {
  begin: number;
  end: number;
  term: string;
}

/** The state of the service. */
export interface State {
  baseIri: string;
  /** Sizes of the served revision by part: the store and each index. */
  bytes: Record<string, number>;
  encoder: string;
  /** Bytes of memory that these processes use, without mapped files. */
  memory: number;
  /** Worker processes by pool, over all web processes. */
  pools: Record<string, Pool>;
  /** Processes of the service. */
  processes: number;
  python: string;
  revision: number;
  version: string;
}

/** The report of what a job stored. */
export interface StoredByJob {
  /** Chunks of the documents that were stored. */
  chunks: number;
  documents: StoredDocument[];
  /** The texts and files that were not stored, each with the reason. */
  failed: FailedSource[];
  /** Files inside others that gave no document. */
  leftOut: LeftOut[];
  /** How many entries a list lacks, where it had more than the setting max_report_entries. */
  omitted?: Omitted;
  /** What the files of the stored documents have and their text has not; missing if nothing. */
  passedOver?: PassedOver[];
  /** The users' edges that were removed with their ends, at most as many as the setting max_report_entries says; missing where there are none. */
  removedEdges?: CuratedEdge[];
  /** The revision that shows the change. */
  revision: number;
  warnings: string[];
}

/** The fate of a document that was sent. */
export interface StoredDocument {
  id: string;
  identifier: string;
  /** The first 200 characters of the identifier or file name. */
  source: string;
  /** Of a duplicate, id and identifier are those of the document that is there. */
  status: "added" | "replaced" | "unchanged" | "duplicate";
}

/** An access token, without the token itself. */
export interface Token {
  created: string;
  /** The owner of the token. */
  name: string;
  /** Each role includes those before it. */
  role: "read" | "write" | "admin";
}

/** The access tokens. */
export interface Tokens {
  tokens: Token[];
}
