// Generated from schema/2024-11-05/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: a14216d3743ca9164f89cf5751f2963d49aa06f8941cd29ec975131cd2faec4c
// To change it: edit schema/, then run `npm run codegen -- generate`.

/** Any notification a client may send. */
export type ClientNotification =
  | CancelledNotification
  | InitializedNotification
  | ProgressNotification
  | RootsListChangedNotification;

/** Any request a client may send. */
export type ClientRequest =
  | InitializeRequest
  | PingRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | ListPromptsRequest
  | GetPromptRequest
  | ListToolsRequest
  | CallToolRequest
  | SetLevelRequest
  | CompleteRequest;

/** Any result a client may return to a request of the server. */
export type ClientResult = Result | CreateMessageResult | ListRootsResult;

/** Position in a paged list: an opaque string made by the server, sent back unchanged to get the next page. */
export type Cursor = string;

/** Result with nothing to report: a plain acknowledgement. */
export type EmptyResult = Result;

/** Anything that may travel on the wire: request, notification or response. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

/**
 * How grave a log message is, after syslog; from least to most severe `debug`, `info`, `notice`,
 * `warning`, `error`, `critical`, `alert`, `emergency`.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export type LoggingLevel =
  | "alert"
  | "critical"
  | "debug"
  | "emergency"
  | "error"
  | "info"
  | "notice"
  | "warning";

/**
 * String or integer that ties progress reports to a request; chosen by the requester, unique among its
 * running requests.
 */
export type ProgressToken = string | number;

/** Id that pairs a response with its request: a string or an integer, never null. */
export type RequestId = string | number;

/** Whose voice a message is in: `user` or `assistant`. */
export type Role = "assistant" | "user";

/** Any notification a server may send. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | ToolListChangedNotification
  | LoggingMessageNotification;

/** Any request a server may send to a client. Gone in 2026-07-28, where servers send none. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest;

/** Any result a server may return. */
export type ServerResult =
  | Result
  | InitializeResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | ListPromptsResult
  | GetPromptResult
  | ListToolsResult
  | CallToolResult
  | CompleteResult;

/** Base of everything that may carry annotations; replaced by `Annotations` since 2025-03-26. */
export interface Annotated {
  /** Hints on audience and importance of the object. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
}

/** Contents of a resource as binary data in base64. */
export interface BlobResourceContents {
  /** Bytes of the resource in base64. */
  blob: string;
  /** Media type of the decoded bytes, when the server knows it. */
  mimeType?: string;
  /** URI these bytes belong to; may lie below the URI that was read. */
  uri: string;
}

/** Asks the server to run one tool. */
export interface CallToolRequest {
  method: "tools/call";
  params: CallToolRequestParams;
}

/** Which tool to run and with which arguments. */
export interface CallToolRequestParams {
  /** Argument values by parameter name; they have to fit the tool's `inputSchema`. */
  arguments?: {
    [k: string]: unknown;
  };
  /** Tool to run, as given in `tools/list`. */
  name: string;
}

/** Outcome of one tool run, successful or failed. */
export interface CallToolResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Output as content blocks; required, but may be an empty array. */
  content: (TextContent | ImageContent | EmbeddedResource)[];
  /**
   * True when the tool ran and failed, so that the model can read why; default false. Bad arguments are a
   * protocol error instead.
   */
  isError?: boolean;
}

/**
 * Tells the other side to stop work on a running request; either side may send it, but never for
 * `initialize`.
 */
export interface CancelledNotification {
  method: "notifications/cancelled";
  params: CancelledNotificationParams;
}

/** Which request to stop, and why. */
export interface CancelledNotificationParams {
  /** Why the request was dropped, for logs or for showing to a person. */
  reason?: string;
  /** Id of the running request to stop, one the sender made itself. */
  requestId: RequestId;
}

/**
 * Optional features the client offers, declared once in `initialize`; a key's presence means support, and
 * unknown keys are allowed.
 */
export interface ClientCapabilities {
  /** Features outside the specification, keyed by a name the client picks; each value is a settings object. */
  experimental?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * Client can tell the server its root folders. Deprecated since 2026-07-28.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
   * configuration. Earliest removal: the first revision released on or after 2027-07-28.
   */
  roots?: {
    /** True when the client will send `notifications/roots/list_changed`. */
    listChanged?: boolean;
  };
  /**
   * Client can run prompts on a model for the server; an empty object is enough. Deprecated since
   * 2026-07-28.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  sampling?: {
    [k: string]: unknown;
  };
}

/** Asks for values that could finish what the user has typed into a prompt or template argument. */
export interface CompleteRequest {
  method: "completion/complete";
  params: CompleteRequestParams;
}

/** What is being filled in and how far the user got. */
export interface CompleteRequestParams {
  /** Argument being typed. */
  argument: {
    /** Which argument of the prompt or template this is. */
    name: string;
    /** Text typed so far, which suggestions should match. */
    value: string;
  };
  /** Prompt or resource template whose argument is being filled in. */
  ref: PromptReference | ResourceReference;
}

/** Suggestions for one argument. */
export interface CompleteResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Suggested values and how many there are. */
  completion: {
    /** True when the server knows further values beyond those listed. */
    hasMore?: boolean;
    /** Count of all matches, which may exceed the number listed. */
    total?: number;
    /** Suggestions, best first; 100 at most. */
    values: string[];
  };
}

/**
 * Asks the client to run a prompt on its model, with its user able to look in. Deprecated since
 * 2026-07-28: call a model provider directly instead.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/**
 * Prompt, limits and model wishes.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface CreateMessageRequestParams {
  /**
   * Which servers' context to add to the prompt: `none`, `thisServer` or `allServers`; the client may
   * ignore it.
   *
   * @deprecated since 2025-11-25 (SEP-2596): use "none", or leave it out. Earliest removal: with sampling
   * at the latest.
   */
  includeContext?: "allServers" | "none" | "thisServer";
  /** Upper bound on tokens to produce; the client may stop earlier. */
  maxTokens: number;
  /** Conversation to continue, oldest first. */
  messages: SamplingMessage[];
  /** Provider-specific settings, handed on as they are or ignored. */
  metadata?: {
    [k: string]: unknown;
  };
  /** Wishes about the model; the client decides. */
  modelPreferences?: ModelPreferences;
  /** Strings that end the generation when the model writes one of them. */
  stopSequences?: string[];
  /** System prompt the server would like; the client may change or drop it. */
  systemPrompt?: string;
  /** Sampling temperature the server would like; the client may ignore it. */
  temperature?: number;
}

/**
 * Message the client's model wrote for the server.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface CreateMessageResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** One content block: text or image. */
  content: TextContent | ImageContent;
  /** Model that answered, by name; the client picked it. */
  model: string;
  /** Author of the message, normally `assistant`. */
  role: Role;
  /** Why the model stopped: `endTurn`, `stopSequence`, `maxTokens` or a provider's own word. */
  stopReason?: string;
}

/** Content block that carries a resource inline. */
export interface EmbeddedResource {
  /** Hints on audience and importance of this resource. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
  /** The contents, as text or as base64 bytes. */
  resource: TextResourceContents | BlobResourceContents;
  /** Always `resource`; tells this block from the other kinds. */
  type: "resource";
}

/** Asks the server to fill in one prompt. */
export interface GetPromptRequest {
  method: "prompts/get";
  params: GetPromptRequestParams;
}

/** Which prompt to fill in and with which values. */
export interface GetPromptRequestParams {
  /** Values for the prompt's arguments by name; strings only. */
  arguments?: {
    [k: string]: string;
  };
  /** Prompt to fill in, as given in `prompts/list`. */
  name: string;
}

/** A filled-in prompt, ready to hand to a model. */
export interface GetPromptResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** What the prompt is for. */
  description?: string;
  /** The prompt as messages, in order. */
  messages: PromptMessage[];
}

/** Content block holding one picture as base64. */
export interface ImageContent {
  /** Hints on audience and importance of this picture. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
  /** Bytes of the picture in base64. */
  data: string;
  /** Media type of the decoded bytes, for example `image/png`. */
  mimeType: string;
  /** Always `image`; tells this block from the other kinds. */
  type: "image";
}

/**
 * Name and version of a client or server program; told by itself, so good for display and logs, not for
 * decisions.
 */
export interface Implementation {
  /** Identifier of the program; not guaranteed to be unique. */
  name: string;
  /** Version of the program, in its own numbering. */
  version: string;
}

/**
 * First request of a connection: the client proposes a revision and says what it can do. Gone in
 * 2026-07-28, where each request carries this in `_meta`.
 */
export interface InitializeRequest {
  method: "initialize";
  params: InitializeRequestParams;
}

/** Proposed revision, client features and identity. */
export interface InitializeRequestParams {
  /** Features the client offers for the whole connection. */
  capabilities: ClientCapabilities;
  /** Name and version of the client program. */
  clientInfo: Implementation;
  /** Revision the client proposes, normally the newest it speaks. */
  protocolVersion: string;
}

/** Server's answer to `initialize`: agreed revision, features and identity. */
export interface InitializeResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Features the server offers for the whole connection. */
  capabilities: ServerCapabilities;
  /** Advice for the model on using this server, fit for a system prompt. */
  instructions?: string;
  /**
   * Revision to be spoken: the proposed one, or another the server speaks. The client disconnects if it
   * does not know it.
   */
  protocolVersion: string;
  /** Name and version of the server program. */
  serverInfo: Implementation;
}

/** Client's word that it has taken in the `initialize` result and normal traffic may begin. */
export interface InitializedNotification {
  method: "notifications/initialized";
  params?: InitializedNotificationParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface InitializedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/** Envelope of a failed response; named `JSONRPCErrorResponse` since 2025-11-25. */
export interface JSONRPCError {
  /** What went wrong. */
  error: {
    /** Error number; JSON-RPC's own codes or one of the application. */
    code: number;
    /** Further facts about the failure, in a shape the sender chooses. */
    data?: unknown;
    /** One short sentence saying what went wrong. */
    message: string;
  };
  /** Id of the failed request. */
  id: RequestId;
  jsonrpc: "2.0";
}

/** Envelope of a one-way message; it has no id and gets no answer. */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  /** Name of the notification. */
  method: string;
  /** Parameters of the notification; their shape depends on the method. */
  params?: {
    /** Extra data attached to the notification. */
    _meta?: {
      [k: string]: unknown;
    };
    [k: string]: unknown;
  };
}

/** Envelope of a message that wants an answer. */
export interface JSONRPCRequest {
  /** Id chosen by the sender, never used twice in a session. */
  id: RequestId;
  jsonrpc: "2.0";
  /** Name of the operation. */
  method: string;
  /** Parameters of the operation; may be left out where the method needs none. */
  params?: {
    /** Extra data attached to the request; `progressToken` asks for progress reports. */
    _meta?: {
      /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
      progressToken?: ProgressToken;
    };
    [k: string]: unknown;
  };
}

/** Envelope of a successful response; named `JSONRPCResultResponse` since 2025-11-25. */
export interface JSONRPCResponse {
  /** Id of the answered request, same value and JSON type. */
  id: RequestId;
  jsonrpc: "2.0";
  /** What the operation returned. */
  result: Result;
}

/** Asks for the prompts a server offers, page by page. */
export interface ListPromptsRequest {
  method: "prompts/list";
  params?: ListPromptsRequestParams;
}

/** Page to fetch; the first when there is no cursor. */
export interface ListPromptsRequestParams {
  /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
  cursor?: string;
}

/** One page of prompts. */
export interface ListPromptsResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
  /** Prompts on this page. */
  prompts: Prompt[];
}

/** Asks for the resource templates a server offers, page by page. */
export interface ListResourceTemplatesRequest {
  method: "resources/templates/list";
  params?: ListResourceTemplatesRequestParams;
}

/** Page to fetch; the first when there is no cursor. */
export interface ListResourceTemplatesRequestParams {
  /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
  cursor?: string;
}

/** One page of resource templates. */
export interface ListResourceTemplatesResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
  /** Templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/** Asks for the resources a server offers, page by page. */
export interface ListResourcesRequest {
  method: "resources/list";
  params?: ListResourcesRequestParams;
}

/** Page to fetch; the first when there is no cursor. */
export interface ListResourcesRequestParams {
  /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
  cursor?: string;
}

/** One page of resources. */
export interface ListResourcesResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
  /** Resources on this page. */
  resources: Resource[];
}

/**
 * Asks the client for its root folders. Deprecated since 2026-07-28: use tool parameters, resource URIs or
 * server settings.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
 * configuration. Earliest removal: the first revision released on or after 2027-07-28.
 */
export interface ListRootsRequest {
  method: "roots/list";
  params?: ListRootsRequestParams;
}

/**
 * May be left out; holds nothing but `_meta`.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
 * configuration. Earliest removal: the first revision released on or after 2027-07-28.
 */
export interface ListRootsRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
  };
  [k: string]: unknown;
}

/**
 * Root folders the client lets the server know about.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
 * configuration. Earliest removal: the first revision released on or after 2027-07-28.
 */
export interface ListRootsResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** The root folders; may be empty. */
  roots: Root[];
}

/** Asks for the tools a server offers, page by page. */
export interface ListToolsRequest {
  method: "tools/list";
  params?: ListToolsRequestParams;
}

/** Page to fetch; the first when there is no cursor. */
export interface ListToolsRequestParams {
  /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
  cursor?: string;
}

/** One page of tools. */
export interface ListToolsResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
  /** Tools on this page. */
  tools: Tool[];
}

/**
 * Log line from the server; sent at will until the client sets a level with `logging/setLevel`. Deprecated
 * since 2026-07-28: use stderr or OpenTelemetry.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface LoggingMessageNotification {
  method: "notifications/message";
  params: LoggingMessageNotificationParams;
}

/**
 * The log line.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface LoggingMessageNotificationParams {
  /** What to log, as any JSON value; no secrets or personal data. */
  data: unknown;
  /** Severity of the line. */
  level: LoggingLevel;
  /** Name of the part of the server that wrote the line. */
  logger?: string;
}

/**
 * One wish for a certain model or model family.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface ModelHint {
  /**
   * Part of a model name, matched as a substring: `sonnet` fits any model with that word in its name. The
   * client may map it to an equal from another provider.
   */
  name?: string;
}

/**
 * Server's wishes for the model in a sampling request; the client has the last word. Deprecated since
 * 2026-07-28 together with sampling.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface ModelPreferences {
  /** Weight of a low price, from 0 (does not matter) to 1 (matters above all). */
  costPriority?: number;
  /** Models by name, tried in order, first match wins; they outrank the three weights. */
  hints?: ModelHint[];
  /** Weight of ability, from 0 (does not matter) to 1 (matters above all). */
  intelligencePriority?: number;
  /** Weight of quick answers, from 0 (does not matter) to 1 (matters above all). */
  speedPriority?: number;
}

/** Core of a notification: method and parameters, without the envelope. */
export interface Notification {
  /** Name of the notification. */
  method: string;
  /** Parameters of the notification; their shape depends on the method. */
  params?: {
    /** Extra data attached to the notification. */
    _meta?: {
      [k: string]: unknown;
    };
    [k: string]: unknown;
  };
}

/** Core of a request whose answer comes in pages. */
export interface PaginatedRequest {
  /** Name of the list operation. */
  method: string;
  /** Page to fetch; the first when there is no cursor. */
  params?: {
    /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
    cursor?: string;
  };
}

/** Base of results that come in pages. */
export interface PaginatedResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
}

/**
 * Checks that the other side is alive; either side may send it and gets an empty result at once. Gone in
 * 2026-07-28.
 */
export interface PingRequest {
  method: "ping";
  params?: PingRequestParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface PingRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
  };
  [k: string]: unknown;
}

/**
 * Reports how far a running request has come; sent by the side that works on it, only if the request
 * carried a progress token.
 */
export interface ProgressNotification {
  method: "notifications/progress";
  params: ProgressNotificationParams;
}

/** How far the request has come. */
export interface ProgressNotificationParams {
  /** Amount done so far, in a unit the sender picks; grows with each report and may be fractional. */
  progress: number;
  /** Token the request carried in `_meta`, same value and JSON type. */
  progressToken: ProgressToken;
  /** Amount that counts as finished, in the unit of `progress`; left out when unknown. */
  total?: number;
}

/** A prompt the server offers for people to pick and fill in. */
export interface Prompt {
  /** Blanks to fill in; absent means there are none. */
  arguments?: PromptArgument[];
  /** What the prompt is good for, for people to read. */
  description?: string;
  /** Identifier to pass to `prompts/get`. */
  name: string;
}

/** One blank in a prompt. */
export interface PromptArgument {
  /** What to fill in, for people to read. */
  description?: string;
  /** Key under which `prompts/get` takes the value. */
  name: string;
  /** True when a value has to be given; default false. */
  required?: boolean;
}

/** Says that the set of prompts has changed, so fetch it again; sent without having been asked for. */
export interface PromptListChangedNotification {
  method: "notifications/prompts/list_changed";
  params?: PromptListChangedNotificationParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface PromptListChangedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/** One message of a filled-in prompt. */
export interface PromptMessage {
  /** The message's one content block: text, image or a resource carried inline. */
  content: TextContent | ImageContent | EmbeddedResource;
  /** Whose voice the message is in: `user` or `assistant`. */
  role: Role;
}

/** Points to a prompt by name, for completion. */
export interface PromptReference {
  /** Identifier of the prompt, as given in `prompts/list`. */
  name: string;
  /** Always `ref/prompt`. */
  type: "ref/prompt";
}

/** Asks for the contents of one resource. */
export interface ReadResourceRequest {
  method: "resources/read";
  params: ReadResourceRequestParams;
}

/** Which resource to read. */
export interface ReadResourceRequestParams {
  /** Resource to read, in any URI scheme the server understands. */
  uri: string;
}

/** Contents of a resource. */
export interface ReadResourceResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** One entry per piece, as text or base64; a folder may yield several. */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/** Core of a request: method and parameters, without the envelope. */
export interface Request {
  /** Name of the operation. */
  method: string;
  /** Parameters of the operation; their shape depends on the method. */
  params?: {
    /** Extra data attached to the request; `progressToken` asks for progress reports. */
    _meta?: {
      /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
      progressToken?: ProgressToken;
    };
    [k: string]: unknown;
  };
}

/** Something the server can be asked to read: a file, a record, a page. */
export interface Resource {
  /** Hints on audience and importance of this resource. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
  /** What the resource holds, written so that a model can judge its use. */
  description?: string;
  /** Media type of the contents, when the server knows it. */
  mimeType?: string;
  /** Identifier for code; shown to people only when there is no title. */
  name: string;
  /** Length of the raw contents in bytes, before base64; left out when unknown. */
  size?: number;
  /** Address of the resource, to pass to `resources/read`. */
  uri: string;
}

/** What text and binary contents have in common. */
export interface ResourceContents {
  /** Media type of the contents, when the server knows it. */
  mimeType?: string;
  /** URI these contents belong to; may lie below the URI that was read. */
  uri: string;
}

/** Says that the set of resources has changed, so fetch it again; sent without having been asked for. */
export interface ResourceListChangedNotification {
  method: "notifications/resources/list_changed";
  params?: ResourceListChangedNotificationParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface ResourceListChangedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/**
 * Points to a resource or template, for completion; named `ResourceTemplateReference` since 2025-06-18,
 * unchanged on the wire.
 */
export interface ResourceReference {
  /** Always `ref/resource`. */
  type: "ref/resource";
  /** URI template, as given in `resources/templates/list`, or a plain URI. */
  uri: string;
}

/** Pattern for a family of resources, with blanks in the URI. */
export interface ResourceTemplate {
  /** Hints on audience and importance of resources made from this template. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
  /** What the template is for, written so that a model can judge its use. */
  description?: string;
  /** Media type of the contents, given only if it is the same for every matching resource. */
  mimeType?: string;
  /** Identifier for code; shown to people only when there is no title. */
  name: string;
  /** RFC 6570 pattern; filling its blanks gives a URI to read. */
  uriTemplate: string;
}

/** Says that a watched resource has changed, so read it again; sent only after `resources/subscribe`. */
export interface ResourceUpdatedNotification {
  method: "notifications/resources/updated";
  params: ResourceUpdatedNotificationParams;
}

/** Which resource has changed. */
export interface ResourceUpdatedNotificationParams {
  /** Resource that changed; may lie below the watched one, so do not compare for equality. */
  uri: string;
}

/** What every result has in common; further members are allowed. */
export interface Result {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/**
 * A folder or file the server may work on, as told by the client. Deprecated since 2026-07-28.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
 * configuration. Earliest removal: the first revision released on or after 2027-07-28.
 */
export interface Root {
  /** Label for people to read. */
  name?: string;
  /** Address of the folder or file; has to begin with `file://`. */
  uri: string;
}

/**
 * Client's word that its root folders have changed; the server may ask for them again. Gone in 2026-07-28.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use tool parameters, resource URIs or the server's own
 * configuration. Earliest removal: the first revision released on or after 2027-07-28.
 */
export interface RootsListChangedNotification {
  method: "notifications/roots/list_changed";
  params?: RootsListChangedNotificationParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface RootsListChangedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/**
 * One message of a sampling conversation. Deprecated since 2026-07-28 together with sampling.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface SamplingMessage {
  /** One content block: text or image. */
  content: TextContent | ImageContent;
  /** Whose voice the message is in: `user` or `assistant`. */
  role: Role;
}

/** Optional features the server offers; a key's presence means support, and unknown keys are allowed. */
export interface ServerCapabilities {
  /** Features outside the specification, keyed by a name the server picks; each value is a settings object. */
  experimental?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * Server sends log messages and answers `logging/setLevel`; an empty object is enough. Deprecated since
   * 2026-07-28.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  logging?: {
    [k: string]: unknown;
  };
  /** Server answers `prompts/list` and `prompts/get`. */
  prompts?: {
    /** True when the server will report changes to its set of prompts. */
    listChanged?: boolean;
  };
  /** Server answers `resources/list`, `resources/templates/list` and `resources/read`. */
  resources?: {
    /** True when the server will report changes to its set of resources. */
    listChanged?: boolean;
    /** True when the server answers `resources/subscribe` and `resources/unsubscribe`. */
    subscribe?: boolean;
  };
  /** Server answers `tools/list` and `tools/call`. */
  tools?: {
    /** True when the server will report changes to its set of tools. */
    listChanged?: boolean;
  };
}

/**
 * Sets the least severe log level the server should send from now on. Gone in 2026-07-28, where each
 * request names its own level.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface SetLevelRequest {
  method: "logging/setLevel";
  params: SetLevelRequestParams;
}

/**
 * The log level.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface SetLevelRequestParams {
  /** Least severe level wanted; this one and graver ones are sent. */
  level: LoggingLevel;
}

/**
 * Asks to be told whenever one resource changes; needs the `resources.subscribe` capability. Gone in
 * 2026-07-28 in favour of `subscriptions/listen`.
 */
export interface SubscribeRequest {
  method: "resources/subscribe";
  params: SubscribeRequestParams;
}

/** Which resource to watch. */
export interface SubscribeRequestParams {
  /** Resource to watch. */
  uri: string;
}

/** Content block holding text. */
export interface TextContent {
  /** Hints on audience and importance of this text. */
  annotations?: {
    /** Roles the content is meant for: `user`, `assistant` or both. */
    audience?: Role[];
    /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
    priority?: number;
  };
  /** What the block says. */
  text: string;
  /** Always `text`; tells this block from the other kinds. */
  type: "text";
}

/** Contents of a resource as text. */
export interface TextResourceContents {
  /** Media type of the text, when the server knows it. */
  mimeType?: string;
  /** The text; binary data goes into `blob` instead. */
  text: string;
  /** URI this text belongs to; may lie below the URI that was read. */
  uri: string;
}

/** A function the server offers to a model. */
export interface Tool {
  /** What the tool does and when to use it, written for the model. */
  description?: string;
  /** JSON Schema of the arguments, its root of type `object`. */
  inputSchema: {
    /** Schema of each argument, by parameter name. */
    properties?: {
      [k: string]: {
        [k: string]: unknown;
      };
    };
    /** Names of arguments that have to be given. */
    required?: string[];
    /** Always `object`, as arguments go by name. */
    type: "object";
  };
  /**
   * Identifier to pass to `tools/call`, unique in this server; best kept to 1–128 letters, digits, `_`,
   * `-` and `.`.
   */
  name: string;
}

/** Says that the set of tools has changed, so fetch it again; sent without having been asked for. */
export interface ToolListChangedNotification {
  method: "notifications/tools/list_changed";
  params?: ToolListChangedNotificationParams;
}

/** May be left out; holds nothing but `_meta`. */
export interface ToolListChangedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/** Ends the watch on one resource. Gone in 2026-07-28 in favour of `subscriptions/listen`. */
export interface UnsubscribeRequest {
  method: "resources/unsubscribe";
  params: UnsubscribeRequestParams;
}

/** Which resource to stop watching. */
export interface UnsubscribeRequestParams {
  /** Watched resource to let go of. */
  uri: string;
}
