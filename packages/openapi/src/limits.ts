import type { LimitRules } from "@tenon/base";

/** Limits of {@link openapi}. */
export interface OpenApiLimits {
  /**
   * Maximum size of the document, and of all documents that it refers to, in bytes each and in all.
   * Default: `16_777_216` (16 MiB).
   */
  readonly maxDocumentBytes?: number | undefined;
  /** Maximum depth of objects and arrays in a document. Default: `200`. */
  readonly maxDepth?: number | undefined;
  /**
   * Maximum number of values in a document, with aliases of YAML replaced, and in all documents
   * that it refers to. Default: `4_000_000`.
   */
  readonly maxValues?: number | undefined;
  /**
   * Maximum number of anchors and aliases in a document of YAML: `&name` and `*name`. References
   * (`$ref`) do not count. Default: `5_000`.
   */
  readonly maxAliases?: number | undefined;
  /** Maximum number of documents that the document refers to. Default: `5_000`. */
  readonly maxDocuments?: number | undefined;
  /** Maximum number of tools and resources. Default: `2_000`. */
  readonly maxOperations?: number | undefined;
  /**
   * Maximum size of the input schema and of the output schema of a tool, in bytes each. Definitions
   * and parts of arguments that are farthest from the root and exceed it accept any value of their
   * type. Small arguments are kept even if they exceed it together. Default: `32_768` (32 KiB).
   */
  readonly maxSchemaBytes?: number | undefined;
  /** Maximum length of a description of a tool. Default: `2_000`. */
  readonly maxDescriptionLength?: number | undefined;
  /** Maximum time to read the documents, in milliseconds. Default: `30_000`. */
  readonly documentTimeoutMs?: number | undefined;
  /**
   * Maximum time for a call, in milliseconds, with its repetitions and the time to receive the
   * response. Default: `60_000`.
   */
  readonly totalTimeoutMs?: number | undefined;
  /** Maximum size of a body that is sent, in bytes. Default: `16_777_216` (16 MiB). */
  readonly maxRequestBytes?: number | undefined;
  /**
   * Maximum size of a response in bytes. The connection of a longer response is closed, and the
   * call fails. Default: `16_777_216` (16 MiB).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum size of a result in bytes. A longer result is shortened, and describes the missing
   * parts. Default: `262_144` (256 KiB).
   */
  readonly maxResultBytes?: number | undefined;
  /**
   * How often a request that may be repeated is sent again, after a failure of the connection or a
   * status 429, 502, 503 or 504. Default: `2`.
   */
  readonly maxRetries?: number | undefined;
  /** Maximum delay before the first repetition, in milliseconds. Default: `500`. */
  readonly initialDelayMs?: number | undefined;
  /**
   * Maximum delay before a repetition, in milliseconds. A request is not repeated if `Retry-After`
   * asks for more. Default: `10_000`.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * Maximum number of calls in flight; further calls fail. One client may use half of it; clients
   * are told apart by `auth.principal`, otherwise by their address. Clients that have neither, as
   * over stdio, may use all of it. Default: `128`.
   */
  readonly maxInFlight?: number | undefined;
}

/** The rules of {@link OpenApiLimits}. */
export const openApiLimits: LimitRules<OpenApiLimits> = {
  maxDocumentBytes: [16_777_216, 1],
  maxDepth: [200, 1, 1000],
  maxValues: [4_000_000, 1],
  maxAliases: [5000, 0],
  maxDocuments: [5000, 0],
  maxOperations: [2000, 0],
  maxSchemaBytes: [32_768, 256],
  maxDescriptionLength: [2000, 0],
  documentTimeoutMs: [30_000, 1],
  totalTimeoutMs: [60_000, 1],
  maxRequestBytes: [16_777_216, 0],
  maxMessageBytes: [16_777_216, 1],
  maxResultBytes: [262_144, 256],
  maxRetries: [2, 0],
  initialDelayMs: [500, 0],
  maxDelayMs: [10_000, 0],
  maxInFlight: [128, 1],
};
