import type { Era, MemberTable, MethodTable, Revision } from "@tenon/protocol";

/**
 * The differences between one protocol version and the superset that features are written in. All
 * code that depends on the version reads this data.
 */
export interface RevisionRules {
  readonly revision: Revision;
  readonly era: Era;
  /** The methods of the version. Any other method gets `-32601`. */
  readonly methods: MethodTable;
  /** The properties of its types. Other properties are never sent. @source */
  readonly members: MemberTable;
  /**
   * The values that `structuredContent` may have. Other values are omitted; their text stays in
   * `content`.
   *
   * @source
   */
  readonly structuredContent: "none" | "object" | "any";
  /** The capabilities of servers that exist. */
  readonly serverCapabilities: ReadonlySet<string>;
  /** The error code for a resource that is not there. @source */
  readonly resourceNotFound: number;
  /** Whether `outputSchema` may have a root type other than `object`. @source R-470 */
  readonly anyOutputSchema: boolean;
  /**
   * The way to report invalid arguments of a tool: a JSON-RPC error or a result with `isError`.
   *
   * @source
   */
  readonly invalidArguments: "error" | "result";
  /**
   * The way to request input from a client: by requests, or in the result of the client's request.
   *
   * @source
   */
  readonly inputs: "requests" | "results";
  /**
   * The capabilities of clients and their properties. Other properties are omitted when
   * capabilities are declared.
   *
   * @source T-46
   */
  readonly clientCapabilities: Readonly<Record<string, ReadonlySet<string>>>;
  /**
   * The part of a capability that a request to a client needs, by method. The first row that
   * matches the params counts. If no row matches, the method table names the required capability.
   */
  readonly requiredParts: Readonly<Record<string, readonly RequiredPart[]>>;
  /** The part that a capability means if a client declares it without parts. */
  readonly impliedParts: Readonly<Record<string, string>>;
  /**
   * The fields that a form may have: `plain` has no multi-select, no titled `oneOf`, and defaults
   * on booleans only.
   *
   * @source, T-45
   */
  readonly formFields: "plain" | "full";
  /** Whether an elicitation by URL is named by an `elicitationId`. @source R-632 */
  readonly elicitationIds: boolean;
  /**
   * Whether a request that requires URL mode elicitation first may get the error `-32042`.
   *
   * @source
   */
  readonly urlElicitationError: boolean;
  /** Whether the content of a sampling message may be several blocks, tool calls among them. */
  readonly samplingBlocks: boolean;
  /**
   * The response to a call of a tool that requires an undeclared client capability: `-32021`, or a
   * result with `isError`.
   *
   * @source R-143
   */
  readonly missingCapability: "error" | "result";
}

/** A row of {@link RevisionRules.requiredParts}. */
export interface RequiredPart {
  /** The required capability, as a dotted path. */
  readonly path: string;
  /** The row matches params with this property only. By default it matches all params. */
  readonly member?: string;
  /** The value that the property must have. By default any value. */
  readonly value?: string;
}
