// Generated from schema/2025-11-25/schema.json by tools/codegen, version 2. Do not edit.
// Schema sha256: 3478f2b06b8f914d32c64d47f1a4c900916d046513b4f0cc891ee9da7856c511
// To change it: edit schema/, then run `npm run codegen -- generate`.

/** Any notification a client may send. */
export type ClientNotification =
  | CancelledNotification
  | InitializedNotification
  | ProgressNotification
  | TaskStatusNotification
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
  | GetTaskRequest
  | GetTaskPayloadRequest
  | CancelTaskRequest
  | ListTasksRequest
  | SetLevelRequest
  | CompleteRequest;

/** Any result a client may return to a request of the server. */
export type ClientResult =
  | Result
  | GetTaskResult
  | GetTaskPayloadResult
  | CancelTaskResult
  | ListTasksResult
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult;

/** One piece of output: text, image, audio, a link to a resource, or a resource carried inline. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** Position in a paged list: an opaque string made by the server, sent back unchanged to get the next page. */
export type Cursor = string;

/** Parameters of `elicitation/create`: a form or a web page. */
export type ElicitRequestParams = ElicitRequestURLParams | ElicitRequestFormParams;

/** Result with nothing to report: a plain acknowledgement. */
export type EmptyResult = Result;

/** Form field with a fixed set of choices: one or several, with or without labels (since 2025-06-18). */
export type EnumSchema =
  | UntitledSingleSelectEnumSchema
  | TitledSingleSelectEnumSchema
  | UntitledMultiSelectEnumSchema
  | TitledMultiSelectEnumSchema
  | LegacyTitledEnumSchema;

/** Anything that may travel on the wire: request, notification or response. */
export type JSONRPCMessage =
  | JSONRPCRequest
  | JSONRPCNotification
  | JSONRPCResultResponse
  | JSONRPCErrorResponse;

/** Envelope of an answer, with either a result or an error. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

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

/** Form field where several choices may be ticked, with or without labels (since 2025-11-25). */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** Schema of one form field in an elicitation: text, number, yes/no or a choice (since 2025-06-18). */
export type PrimitiveSchemaDefinition =
  | StringSchema
  | NumberSchema
  | BooleanSchema
  | UntitledSingleSelectEnumSchema
  | TitledSingleSelectEnumSchema
  | UntitledMultiSelectEnumSchema
  | TitledMultiSelectEnumSchema
  | LegacyTitledEnumSchema;

/**
 * String or integer that ties progress reports to a request; chosen by the requester, unique among its
 * running requests.
 */
export type ProgressToken = string | number;

/** Id that pairs a response with its request: a string or an integer, never null. */
export type RequestId = string | number;

/** Whose voice a message is in: `user` or `assistant`. */
export type Role = "assistant" | "user";

/**
 * One piece of a sampling message: text, image, audio, a tool call or its outcome (since 2025-11-25).
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** Any notification a server may send. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | ResourceListChangedNotification
  | ResourceUpdatedNotification
  | PromptListChangedNotification
  | ToolListChangedNotification
  | TaskStatusNotification
  | LoggingMessageNotification
  | ElicitationCompleteNotification;

/** Any request a server may send to a client. Gone in 2026-07-28, where servers send none. */
export type ServerRequest =
  | PingRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | CancelTaskRequest
  | ListTasksRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest;

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
  | GetTaskResult
  | GetTaskPayloadResult
  | CancelTaskResult
  | ListTasksResult
  | CompleteResult;

/** Form field where exactly one choice is picked, with or without labels. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/**
 * Stage of a task: `working` and `input_required` are open, `completed`, `failed` and `cancelled` final
 * (2025-11-25 only).
 */
export type TaskStatus = "cancelled" | "completed" | "failed" | "input_required" | "working";

/**
 * Hints about who a piece of content is meant for and how much it matters; a client may act on them or
 * not.
 */
export interface Annotations {
  /** Roles the content is meant for: `user`, `assistant` or both. */
  audience?: Role[];
  /**
   * Time of the last change to the underlying data, as an ISO 8601 string such as `2026-01-31T09:30:00Z`
   * (since 2025-06-18); set by the server.
   */
  lastModified?: string;
  /** Weight from 0 (can be dropped) to 1 (needed); set by the server. */
  priority?: number;
}

/** Content block holding one sound clip as base64 (since 2025-03-26). */
export interface AudioContent {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of this clip. */
  annotations?: Annotations;
  /** Bytes of the clip in base64. */
  data: string;
  /** Media type of the decoded bytes, for example `audio/wav`. */
  mimeType: string;
  /** Always `audio`; tells this block from the other kinds. */
  type: "audio";
}

/**
 * Name pair shared by everything that can be listed: an identifier for code and an optional label for
 * people.
 */
export interface BaseMetadata {
  /** Identifier used in code and on the wire; shown to people only when no title is given. */
  name: string;
  /** Label for people to read; when absent, show `name` instead. */
  title?: string;
}

/** Contents of a resource as binary data in base64. */
export interface BlobResourceContents {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Bytes of the resource in base64. */
  blob: string;
  /** Media type of the decoded bytes, when the server knows it. */
  mimeType?: string;
  /** URI these bytes belong to; may lie below the URI that was read. */
  uri: string;
}

/** Form field answered with yes or no (since 2025-06-18). */
export interface BooleanSchema {
  /** Value the form starts with. */
  default?: boolean;
  /** Help text shown with the field. */
  description?: string;
  /** Label shown for the field. */
  title?: string;
  /** Always `boolean`. */
  type: "boolean";
}

/** Asks the server to run one tool. */
export interface CallToolRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tools/call";
  /** Which tool to run and with which arguments. */
  params: CallToolRequestParams;
}

/** What `tools/call` takes: a tool and its arguments. */
export interface CallToolRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Argument values by parameter name; they have to fit the tool's `inputSchema`. */
  arguments?: {
    [k: string]: unknown;
  };
  /** Tool to run, as given in `tools/list`. */
  name: string;
  /**
   * Present to run the call as a task: the server then answers with a `CreateTaskResult` (2025-11-25
   * only). Allowed only for tools whose `execution.taskSupport` says so.
   */
  task?: TaskMetadata;
}

/** Outcome of one tool run, successful or failed. */
export interface CallToolResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Output as content blocks; required, but may be an empty array. */
  content: ContentBlock[];
  /**
   * True when the tool ran and failed, including on bad arguments, so that the model can read why; default
   * false.
   */
  isError?: boolean;
  /** Output as a JSON object that fits the tool's `outputSchema` when there is one (since 2025-06-18). */
  structuredContent?: {
    [k: string]: unknown;
  };
}

/** Asks the side that runs a task to stop it; a finished task is answered with `-32602` (2025-11-25 only). */
export interface CancelTaskRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/cancel";
  params: CancelTaskRequestParams;
}

/** Which task to stop. */
export interface CancelTaskRequestParams {
  /** Id of the task to stop. */
  taskId: string;
}

/** The task after cancelling, its status now `cancelled` (2025-11-25 only). */
export interface CancelTaskResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Time the task was made, as an ISO 8601 string. */
  createdAt: string;
  /** Time of the latest change to the task, as an ISO 8601 string. */
  lastUpdatedAt: string;
  /** Milliseconds to wait between two `tasks/get` calls; set by the side that runs the task. */
  pollInterval?: number;
  /** Where the task stands. */
  status: TaskStatus;
  /** Remark on the status for people to read, such as why the task failed. */
  statusMessage?: string;
  /** Id of the task, made by the side that runs it and hard to guess. */
  taskId: string;
  /**
   * Milliseconds the task is kept, counted from `createdAt`; null means without end. May differ from what
   * was asked for.
   */
  ttl: number | null;
  [k: string]: unknown;
}

/**
 * Tells the other side to stop work on a running request; either side may send it, but never for
 * `initialize`.
 */
export interface CancelledNotification {
  jsonrpc: "2.0";
  method: "notifications/cancelled";
  /** Which request to stop, and why. */
  params: CancelledNotificationParams;
}

/** What `notifications/cancelled` carries: a request id and maybe a reason. */
export interface CancelledNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Why the request was dropped, for logs or for showing to a person. */
  reason?: string;
  /**
   * Id of the running request to stop, one the sender made itself; optional in the schema, yet always
   * needed. Tasks are stopped with `tasks/cancel`.
   */
  requestId?: RequestId;
}

/**
 * Optional features the client offers, declared once in `initialize`; a key's presence means support, and
 * unknown keys are allowed.
 */
export interface ClientCapabilities {
  /** Client can ask its user for input (since 2025-06-18); `{}` means form mode alone. */
  elicitation?: {
    /** Client can show forms (since 2025-11-25); an empty object is enough. */
    form?: {
      [k: string]: unknown;
    };
    /** Client can send its user to a web page (since 2025-11-25); an empty object is enough. */
    url?: {
      [k: string]: unknown;
    };
  };
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
   * Client can run prompts on a model for the server. Deprecated since 2026-07-28.
   *
   * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
   * first revision released on or after 2027-07-28.
   */
  sampling?: {
    /**
     * Client honours `includeContext` values other than `none` (since 2025-11-25); an empty object is
     * enough.
     */
    context?: {
      [k: string]: unknown;
    };
    /** Client accepts `tools` and `toolChoice` in sampling (since 2025-11-25); an empty object is enough. */
    tools?: {
      [k: string]: unknown;
    };
  };
  /** Task features the client offers for requests the server sends (2025-11-25 only). */
  tasks?: {
    /** Client answers `tasks/cancel`; an empty object is enough. */
    cancel?: {
      [k: string]: unknown;
    };
    /** Client answers `tasks/list`; an empty object is enough. */
    list?: {
      [k: string]: unknown;
    };
    /** Requests the server may send as tasks; any other one runs the normal way. */
    requests?: {
      /** Elicitation requests that may run as tasks. */
      elicitation?: {
        /** `elicitation/create` may run as a task; an empty object is enough. */
        create?: {
          [k: string]: unknown;
        };
      };
      /** Sampling requests that may run as tasks. */
      sampling?: {
        /** `sampling/createMessage` may run as a task; an empty object is enough. */
        createMessage?: {
          [k: string]: unknown;
        };
      };
    };
  };
}

/** Asks for values that could finish what the user has typed into a prompt or template argument. */
export interface CompleteRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "completion/complete";
  /** What is being filled in and how far the user got. */
  params: CompleteRequestParams;
}

/** What `completion/complete` takes: the argument being typed and where it belongs. */
export interface CompleteRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Argument being typed. */
  argument: {
    /** Which argument of the prompt or template this is. */
    name: string;
    /** Text typed so far, which suggestions should match. */
    value: string;
  };
  /** What is already known, to narrow the suggestions (since 2025-06-18). */
  context?: {
    /** Values already chosen for other arguments, by name. */
    arguments?: {
      [k: string]: string;
    };
  };
  /** Prompt or resource template whose argument is being filled in. */
  ref: PromptReference | ResourceTemplateReference;
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "sampling/createMessage";
  /** Prompt, limits and model wishes. */
  params: CreateMessageRequestParams;
}

/**
 * What `sampling/createMessage` takes: a conversation, limits and wishes about the model.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface CreateMessageRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /**
   * Which servers' context to add to the prompt; default `none`, and the other two values are deprecated
   * since 2025-11-25.
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
  /**
   * Present to run the request as a task: the client then answers with a `CreateTaskResult` (2025-11-25
   * only).
   */
  task?: TaskMetadata;
  /** Sampling temperature the server would like; the client may ignore it. */
  temperature?: number;
  /**
   * Whether the model may, must or must not use the tools (since 2025-11-25); default mode `auto`. Needs
   * `sampling.tools`.
   */
  toolChoice?: ToolChoice;
  /**
   * Tools the model may call in this request only (since 2025-11-25); they need not be tools of the
   * server. Needs `sampling.tools`.
   */
  tools?: Tool[];
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
  /** One content block or an array of them. */
  content:
    | TextContent
    | ImageContent
    | AudioContent
    | ToolUseContent
    | ToolResultContent
    | SamplingMessageContentBlock[];
  /** Model that answered, by name; the client picked it. */
  model: string;
  /** Author of the message, normally `assistant`. */
  role: Role;
  /**
   * Why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` (since 2025-11-25) or a
   * provider's own word.
   */
  stopReason?: string;
}

/**
 * Immediate answer to a request that was sent as a task; the real result comes through `tasks/result`
 * (2025-11-25 only).
 */
export interface CreateTaskResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** The new task, in status `working`. */
  task: Task;
}

/** Asks the client to get input from its user, by form or by web page (since 2025-06-18). */
export interface ElicitRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "elicitation/create";
  /** Form or web page to show. */
  params: ElicitRequestParams;
}

/** Parameters of `elicitation/create` in form mode; never for passwords, keys or payment data. */
export interface ElicitRequestFormParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Text telling the user what is asked and why. */
  message: string;
  /** `form` (since 2025-11-25); a request without a mode is form mode too. */
  mode?: "form";
  /** The form: a flat object schema whose properties are simple fields. */
  requestedSchema: {
    /** URI of the JSON Schema dialect (since 2025-11-25); 2020-12 when left out. */
    $schema?: string;
    /** Form fields by name; each is text, a number, yes/no or a choice. */
    properties: {
      [k: string]: PrimitiveSchemaDefinition;
    };
    /** Names of fields the user has to fill in. */
    required?: string[];
    /** Always `object`. */
    type: "object";
  };
  /**
   * Present to run the request as a task: the client then answers with a `CreateTaskResult` (2025-11-25
   * only).
   */
  task?: TaskMetadata;
}

/**
 * Parameters of `elicitation/create` in URL mode, for secrets and outside sign-ins the client must not
 * see.
 */
export interface ElicitRequestURLParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /**
   * Id the server gives this elicitation, unique within the server and opaque to the client; ties it to
   * `notifications/elicitation/complete` (2025-11-25 only).
   */
  elicitationId: string;
  /** Text telling the user why the page has to be opened. */
  message: string;
  /** Always `url`. */
  mode: "url";
  /**
   * Present to run the request as a task: the client then answers with a `CreateTaskResult` (2025-11-25
   * only).
   */
  task?: TaskMetadata;
  /** Page to open after the user agrees; must hold no secrets and should be HTTPS. */
  url: string;
}

/** User's answer to an elicitation (since 2025-06-18). */
export interface ElicitResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /**
   * `accept` (in URL mode only consent to open the page), `decline` for a clear no, `cancel` when the user
   * closed the dialog.
   */
  action: "accept" | "cancel" | "decline";
  /**
   * Field values by name, only for an accepted form; strings, numbers, booleans or (since 2025-11-25)
   * string arrays.
   */
  content?: {
    [k: string]: string[] | string | number | boolean;
  };
}

/**
 * Tells the client that the user has finished on the web page, so the blocked call may be tried again
 * (2025-11-25 only). Servers need not send it.
 */
export interface ElicitationCompleteNotification {
  jsonrpc: "2.0";
  method: "notifications/elicitation/complete";
  params: ElicitationCompleteNotificationParams;
}

/** Which elicitation is done. */
export interface ElicitationCompleteNotificationParams {
  /** Id of the finished elicitation; the client ignores ids it does not know. */
  elicitationId: string;
}

/** Content block that carries a resource inline. */
export interface EmbeddedResource {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of this resource. */
  annotations?: Annotations;
  /** The contents, as text or as base64 bytes. */
  resource: TextResourceContents | BlobResourceContents;
  /** Always `resource`; tells this block from the other kinds. */
  type: "resource";
}

/** The error member of a failed response. */
export interface Error {
  /**
   * Error number; JSON-RPC's own codes, `-32002` (resource not found), `-32042` (web page needed) or one
   * of the application.
   */
  code: number;
  /** Further facts about the failure, in a shape the sender chooses or the code prescribes. */
  data?: unknown;
  /** One short sentence saying what went wrong. */
  message: string;
}

/** Asks the server to fill in one prompt. */
export interface GetPromptRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "prompts/get";
  /** Which prompt to fill in and with which values. */
  params: GetPromptRequestParams;
}

/** What `prompts/get` takes: a prompt and the values for its blanks. */
export interface GetPromptRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
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

/** Asks for the outcome of a task and waits until there is one (2025-11-25 only). */
export interface GetTaskPayloadRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/result";
  params: GetTaskPayloadRequestParams;
}

/** Which task's outcome to return. */
export interface GetTaskPayloadRequestParams {
  /** Id of the task. */
  taskId: string;
}

/** Exactly what the wrapped request would have returned, for example a `CallToolResult` (2025-11-25 only). */
export interface GetTaskPayloadResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}

/** Asks how a task is doing; meant for polling (2025-11-25 only). */
export interface GetTaskRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/get";
  params: GetTaskRequestParams;
}

/** Which task to report on. */
export interface GetTaskRequestParams {
  /** Id of the task. */
  taskId: string;
}

/** Current state of a task (2025-11-25 only). */
export interface GetTaskResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Time the task was made, as an ISO 8601 string. */
  createdAt: string;
  /** Time of the latest change to the task, as an ISO 8601 string. */
  lastUpdatedAt: string;
  /** Milliseconds to wait between two `tasks/get` calls; set by the side that runs the task. */
  pollInterval?: number;
  /** Where the task stands. */
  status: TaskStatus;
  /** Remark on the status for people to read, such as why the task failed. */
  statusMessage?: string;
  /** Id of the task, made by the side that runs it and hard to guess. */
  taskId: string;
  /**
   * Milliseconds the task is kept, counted from `createdAt`; null means without end. May differ from what
   * was asked for.
   */
  ttl: number | null;
  [k: string]: unknown;
}

/** Picture that stands for a server, tool, prompt or resource on screen (since 2025-11-25). */
export interface Icon {
  /** Media type of the picture, for when the address does not reveal it or reveals it wrongly. */
  mimeType?: string;
  /** Sizes the picture suits, as `48x48` in pixels or `any` for vector art; absent means any size. */
  sizes?: string[];
  /**
   * Address of the picture, `https:`, `http:` or `data:`; a client refuses other schemes and fetches
   * without credentials.
   */
  src: string;
  /** Background the picture was drawn for, `light` or `dark`; absent means both. */
  theme?: "dark" | "light";
}

/** Shared base of everything that can carry icons. */
export interface Icons {
  /** Pictures to choose from, usually one motif in several sizes or themes. */
  icons?: Icon[];
}

/** Content block holding one picture as base64. */
export interface ImageContent {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of this picture. */
  annotations?: Annotations;
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
  /** What the program does, in a sentence or two (since 2025-11-25). */
  description?: string;
  /** Pictures that stand for the program (since 2025-11-25). */
  icons?: Icon[];
  /** Identifier of the program; not guaranteed to be unique. */
  name: string;
  /** Name of the program for people to read (since 2025-06-18); when absent, show `name`. */
  title?: string;
  /** Version of the program, in its own numbering. */
  version: string;
  /** Home page of the program (since 2025-11-25). */
  websiteUrl?: string;
}

/**
 * First request of a connection: the client proposes a revision and says what it can do. Gone in
 * 2026-07-28, where each request carries this in `_meta`.
 */
export interface InitializeRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "initialize";
  /** Proposed revision, client features and identity. */
  params: InitializeRequestParams;
}

/** What `initialize` takes: a revision, the client's features and its identity. */
export interface InitializeRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
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
  jsonrpc: "2.0";
  method: "notifications/initialized";
  /** May be left out; holds nothing but `_meta`. */
  params?: NotificationParams;
}

/** Envelope of a failed response. */
export interface JSONRPCErrorResponse {
  /** What went wrong. */
  error: Error;
  /** Id of the failed request; absent only if it could not be read. */
  id?: RequestId;
  jsonrpc: "2.0";
}

/** Envelope of a one-way message; it has no id and gets no answer. */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  /** Name of the notification. */
  method: string;
  /** Parameters of the notification; their shape depends on the method. */
  params?: {
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
    [k: string]: unknown;
  };
}

/** Envelope of a successful response. */
export interface JSONRPCResultResponse {
  /** Id of the answered request, same value and JSON type. */
  id: RequestId;
  jsonrpc: "2.0";
  /** What the operation returned. */
  result: Result;
}

/**
 * Older single-choice field with labels in `enumNames`; use `TitledSingleSelectEnumSchema` instead.
 * Deprecated since 2025-11-25.
 *
 * @deprecated since 2025-11-25 (SEP-1330): use TitledSingleSelectEnumSchema (oneOf with const and title).
 * Earliest removal: not stated.
 */
export interface LegacyTitledEnumSchema {
  /** Choice the form starts with (since 2025-11-25). */
  default?: string;
  /** Help text shown with the field. */
  description?: string;
  /** The values on offer; one of them is sent back. */
  enum: string[];
  /** Labels for the values, in the same order; not a JSON Schema keyword. */
  enumNames?: string[];
  /** Label shown for the field. */
  title?: string;
  /** Always `string`. */
  type: "string";
}

/** Asks for the prompts a server offers, page by page. */
export interface ListPromptsRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "prompts/list";
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "resources/templates/list";
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "resources/list";
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "roots/list";
  /** May be left out; holds nothing but `_meta`. */
  params?: RequestParams;
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

/** Asks for the tasks the other side is keeping, page by page (2025-11-25 only). */
export interface ListTasksRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tasks/list";
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
}

/** One page of tasks (2025-11-25 only). */
export interface ListTasksResult {
  /** Extra data attached to the result. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Where the next page begins; absent on the last page. */
  nextCursor?: string;
  /** Tasks on this page. */
  tasks: Task[];
}

/** Asks for the tools a server offers, page by page. */
export interface ListToolsRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "tools/list";
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
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
  jsonrpc: "2.0";
  method: "notifications/message";
  /** The log line. */
  params: LoggingMessageNotificationParams;
}

/**
 * What `notifications/message` carries: a severity and the thing to log.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface LoggingMessageNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
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
    [k: string]: unknown;
  };
}

/** Parameters any notification may have. */
export interface NotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
}

/** Form field for a number (since 2025-06-18). */
export interface NumberSchema {
  /** Value the form starts with (since 2025-11-25). */
  default?: number;
  /** Help text shown with the field. */
  description?: string;
  /** Largest value allowed, itself included. */
  maximum?: number;
  /** Smallest value allowed, itself included. */
  minimum?: number;
  /** Label shown for the field. */
  title?: string;
  /** `integer` for whole numbers, `number` for any. */
  type: "integer" | "number";
}

/** Core of a request whose answer comes in pages. */
export interface PaginatedRequest {
  id: RequestId;
  jsonrpc: "2.0";
  /** Name of the list operation. */
  method: string;
  /** Page to fetch; the first when there is no cursor. */
  params?: PaginatedRequestParams;
}

/** What every list request takes: maybe a cursor. */
export interface PaginatedRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** `nextCursor` of the page before, unchanged; leave it out for the first page. */
  cursor?: string;
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "ping";
  /** May be left out; holds nothing but `_meta`. */
  params?: RequestParams;
}

/**
 * Reports how far a running request has come; sent by the side that works on it, only if the request
 * carried a progress token.
 */
export interface ProgressNotification {
  jsonrpc: "2.0";
  method: "notifications/progress";
  /** How far the request has come. */
  params: ProgressNotificationParams;
}

/** What `notifications/progress` carries: a token and the amount done. */
export interface ProgressNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  /** What is happening now, for people to read (since 2025-03-26). */
  message?: string;
  /** Amount done so far, in a unit the sender picks; grows with each report and may be fractional. */
  progress: number;
  /** Token the request carried in `_meta`, same value and JSON type. */
  progressToken: ProgressToken;
  /** Amount that counts as finished, in the unit of `progress`; left out when unknown. */
  total?: number;
}

/** A prompt the server offers for people to pick and fill in. */
export interface Prompt {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Blanks to fill in; absent means there are none. */
  arguments?: PromptArgument[];
  /** What the prompt is good for, for people to read. */
  description?: string;
  /** Pictures that stand for the prompt (since 2025-11-25). */
  icons?: Icon[];
  /** Identifier to pass to `prompts/get`. */
  name: string;
  /** Label for people to read (since 2025-06-18); when absent, show `name`. */
  title?: string;
}

/** One blank in a prompt. */
export interface PromptArgument {
  /** What to fill in, for people to read. */
  description?: string;
  /** Key under which `prompts/get` takes the value. */
  name: string;
  /** True when a value has to be given; default false. */
  required?: boolean;
  /** Label for people to read (since 2025-06-18); when absent, show `name`. */
  title?: string;
}

/** Says that the set of prompts has changed, so fetch it again; sent without having been asked for. */
export interface PromptListChangedNotification {
  jsonrpc: "2.0";
  method: "notifications/prompts/list_changed";
  /** May be left out; holds nothing but `_meta`. */
  params?: NotificationParams;
}

/** One message of a filled-in prompt. */
export interface PromptMessage {
  /** The message's one content block. */
  content: ContentBlock;
  /** Whose voice the message is in: `user` or `assistant`. */
  role: Role;
}

/** Points to a prompt by name, for completion. */
export interface PromptReference {
  /** Identifier of the prompt, as given in `prompts/list`. */
  name: string;
  /** Label of the prompt for people to read (since 2025-06-18). */
  title?: string;
  /** Always `ref/prompt`. */
  type: "ref/prompt";
}

/** Asks for the contents of one resource. */
export interface ReadResourceRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "resources/read";
  /** Which resource to read. */
  params: ReadResourceRequestParams;
}

/** What `resources/read` takes: one URI. */
export interface ReadResourceRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
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

/** Ties a message to a task; stored in `_meta` as `io.modelcontextprotocol/related-task` (2025-11-25 only). */
export interface RelatedTaskMetadata {
  /** Id of the task the message belongs to. */
  taskId: string;
}

/** Core of a request: method and parameters, without the envelope. */
export interface Request {
  /** Name of the operation. */
  method: string;
  /** Parameters of the operation; their shape depends on the method. */
  params?: {
    [k: string]: unknown;
  };
}

/** Parameters every request has. */
export interface RequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
}

/** Something the server can be asked to read: a file, a record, a page. */
export interface Resource {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of this resource. */
  annotations?: Annotations;
  /** What the resource holds, written so that a model can judge its use. */
  description?: string;
  /** Pictures that stand for the resource (since 2025-11-25). */
  icons?: Icon[];
  /** Media type of the contents, when the server knows it. */
  mimeType?: string;
  /** Identifier for code; shown to people only when there is no title. */
  name: string;
  /** Length of the raw contents in bytes, before base64; left out when unknown. */
  size?: number;
  /** Label for people to read (since 2025-06-18); when absent, show `name`. */
  title?: string;
  /** Address of the resource, to pass to `resources/read`. */
  uri: string;
}

/** What text and binary contents have in common. */
export interface ResourceContents {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Media type of the contents, when the server knows it. */
  mimeType?: string;
  /** URI these contents belong to; may lie below the URI that was read. */
  uri: string;
}

/**
 * Content block that points to a resource instead of carrying it (since 2025-06-18); the resource need not
 * appear in `resources/list`.
 */
export interface ResourceLink {
  /** Extra data attached to this object; the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of the linked resource. */
  annotations?: Annotations;
  /** What the linked resource holds, written so that a model can judge its use. */
  description?: string;
  /** Pictures that stand for the linked resource (since 2025-11-25). */
  icons?: Icon[];
  /** Media type of the linked contents, when the server knows it. */
  mimeType?: string;
  /** Identifier for code; shown to people only when there is no title. */
  name: string;
  /** Length of the linked raw contents in bytes, before base64; left out when unknown. */
  size?: number;
  /** Label for people to read; when absent, show `name`. */
  title?: string;
  /** Always `resource_link`; tells this block from the other kinds. */
  type: "resource_link";
  /** Address of the linked resource, to pass to `resources/read`. */
  uri: string;
}

/** Says that the set of resources has changed, so fetch it again; sent without having been asked for. */
export interface ResourceListChangedNotification {
  jsonrpc: "2.0";
  method: "notifications/resources/list_changed";
  /** May be left out; holds nothing but `_meta`. */
  params?: NotificationParams;
}

/** Shared base of request parameters that name one resource. */
export interface ResourceRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Resource meant, in any URI scheme the server understands. */
  uri: string;
}

/** Pattern for a family of resources, with blanks in the URI. */
export interface ResourceTemplate {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of resources made from this template. */
  annotations?: Annotations;
  /** What the template is for, written so that a model can judge its use. */
  description?: string;
  /** Pictures that stand for the template (since 2025-11-25). */
  icons?: Icon[];
  /** Media type of the contents, given only if it is the same for every matching resource. */
  mimeType?: string;
  /** Identifier for code; shown to people only when there is no title. */
  name: string;
  /** Label for people to read (since 2025-06-18); when absent, show `name`. */
  title?: string;
  /** RFC 6570 pattern; filling its blanks gives a URI to read. */
  uriTemplate: string;
}

/** Points to a resource template, for completion. */
export interface ResourceTemplateReference {
  /** Always `ref/resource`. */
  type: "ref/resource";
  /** URI template, as given in `resources/templates/list`, or a plain URI. */
  uri: string;
}

/** Says that a watched resource has changed, so read it again; sent only after `resources/subscribe`. */
export interface ResourceUpdatedNotification {
  jsonrpc: "2.0";
  method: "notifications/resources/updated";
  /** Which resource has changed. */
  params: ResourceUpdatedNotificationParams;
}

/** What `notifications/resources/updated` carries: one URI. */
export interface ResourceUpdatedNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
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
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
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
  jsonrpc: "2.0";
  method: "notifications/roots/list_changed";
  /** May be left out; holds nothing but `_meta`. */
  params?: NotificationParams;
}

/**
 * One message of a sampling conversation. Deprecated since 2026-07-28 together with sampling.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface SamplingMessage {
  /** Extra data attached to this object (since 2025-11-25); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** One content block or an array; a user message with tool results holds nothing else. */
  content:
    | TextContent
    | ImageContent
    | AudioContent
    | ToolUseContent
    | ToolResultContent
    | SamplingMessageContentBlock[];
  /** Whose voice the message is in: `user` or `assistant`. */
  role: Role;
}

/** Optional features the server offers; a key's presence means support, and unknown keys are allowed. */
export interface ServerCapabilities {
  /** Server answers `completion/complete` (since 2025-03-26); an empty object is enough. */
  completions?: {
    [k: string]: unknown;
  };
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
  /** Task features the server offers for requests the client sends (2025-11-25 only). */
  tasks?: {
    /** Server answers `tasks/cancel`; an empty object is enough. */
    cancel?: {
      [k: string]: unknown;
    };
    /** Server answers `tasks/list`; an empty object is enough. */
    list?: {
      [k: string]: unknown;
    };
    /** Requests the client may send as tasks; any other one runs the normal way. */
    requests?: {
      /** Tool requests that may run as tasks. */
      tools?: {
        /**
         * `tools/call` may run as a task, tool by tool as `execution.taskSupport` allows; an empty object
         * is enough.
         */
        call?: {
          [k: string]: unknown;
        };
      };
    };
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
  id: RequestId;
  jsonrpc: "2.0";
  method: "logging/setLevel";
  /** The log level. */
  params: SetLevelRequestParams;
}

/**
 * What `logging/setLevel` takes: one level.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use stderr (stdio) or OpenTelemetry. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface SetLevelRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Least severe level wanted; this one and graver ones are sent. */
  level: LoggingLevel;
}

/** Form field for text (since 2025-06-18). */
export interface StringSchema {
  /** Text the form starts with (since 2025-11-25). */
  default?: string;
  /** Help text shown with the field. */
  description?: string;
  /** What the text has to be: `email`, `uri`, `date` or `date-time`. */
  format?: "date" | "date-time" | "email" | "uri";
  /** Most characters allowed. */
  maxLength?: number;
  /** Fewest characters allowed. */
  minLength?: number;
  /** Label shown for the field. */
  title?: string;
  /** Always `string`. */
  type: "string";
}

/**
 * Asks to be told whenever one resource changes; needs the `resources.subscribe` capability. Gone in
 * 2026-07-28 in favour of `subscriptions/listen`.
 */
export interface SubscribeRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "resources/subscribe";
  /** Which resource to watch. */
  params: SubscribeRequestParams;
}

/** What `resources/subscribe` takes: one URI. */
export interface SubscribeRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Resource to watch. */
  uri: string;
}

/**
 * Long-running request that can be polled for its state (2025-11-25 only; tasks are an extension since
 * 2026-07-28).
 */
export interface Task {
  /** Time the task was made, as an ISO 8601 string. */
  createdAt: string;
  /** Time of the latest change to the task, as an ISO 8601 string. */
  lastUpdatedAt: string;
  /** Milliseconds to wait between two `tasks/get` calls; set by the side that runs the task. */
  pollInterval?: number;
  /** Where the task stands. */
  status: TaskStatus;
  /** Remark on the status for people to read, such as why the task failed. */
  statusMessage?: string;
  /** Id of the task, made by the side that runs it and hard to guess. */
  taskId: string;
  /**
   * Milliseconds the task is kept, counted from `createdAt`; null means without end. May differ from what
   * was asked for.
   */
  ttl: number | null;
}

/** Shared base of request parameters that may ask for a task (2025-11-25 only). */
export interface TaskAugmentedRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Present to run the request as a task; ignored by a side that did not declare it. */
  task?: TaskMetadata;
}

/** How a request should run as a task (2025-11-25 only). */
export interface TaskMetadata {
  /** Milliseconds to keep the task once made; the other side may choose otherwise. */
  ttl?: number;
}

/** Tells the requester that a task has a new status (2025-11-25 only); it may never come, so keep polling. */
export interface TaskStatusNotification {
  jsonrpc: "2.0";
  method: "notifications/tasks/status";
  /** The task as it now stands. */
  params: TaskStatusNotificationParams;
}

/** What `notifications/tasks/status` carries: the whole task (2025-11-25 only). */
export interface TaskStatusNotificationParams {
  /** Extra data attached to the notification. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Time the task was made, as an ISO 8601 string. */
  createdAt: string;
  /** Time of the latest change to the task, as an ISO 8601 string. */
  lastUpdatedAt: string;
  /** Milliseconds to wait between two `tasks/get` calls; set by the side that runs the task. */
  pollInterval?: number;
  /** Where the task stands. */
  status: TaskStatus;
  /** Remark on the status for people to read, such as why the task failed. */
  statusMessage?: string;
  /** Id of the task, made by the side that runs it and hard to guess. */
  taskId: string;
  /**
   * Milliseconds the task is kept, counted from `createdAt`; null means without end. May differ from what
   * was asked for.
   */
  ttl: number | null;
}

/** Content block holding text. */
export interface TextContent {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on audience and importance of this text. */
  annotations?: Annotations;
  /** What the block says. */
  text: string;
  /** Always `text`; tells this block from the other kinds. */
  type: "text";
}

/** Contents of a resource as text. */
export interface TextResourceContents {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Media type of the text, when the server knows it. */
  mimeType?: string;
  /** The text; binary data goes into `blob` instead. */
  text: string;
  /** URI this text belongs to; may lie below the URI that was read. */
  uri: string;
}

/** Several-choices field with a label per value (since 2025-11-25). */
export interface TitledMultiSelectEnumSchema {
  /** Values ticked when the form opens. */
  default?: string[];
  /** Help text shown with the field. */
  description?: string;
  /** The choices. */
  items: {
    /** One entry per choice. */
    anyOf: {
      /** Value sent back when this is ticked. */
      const: string;
      /** Label shown for this value. */
      title: string;
    }[];
  };
  /** Most values that may be ticked. */
  maxItems?: number;
  /** Fewest values that may be ticked. */
  minItems?: number;
  /** Label shown for the field. */
  title?: string;
  /** Always `array`. */
  type: "array";
}

/** Single-choice field with a label per value (since 2025-11-25). */
export interface TitledSingleSelectEnumSchema {
  /** Value picked when the form opens. */
  default?: string;
  /** Help text shown with the field. */
  description?: string;
  /** One entry per choice. */
  oneOf: {
    /** Value sent back when this is picked. */
    const: string;
    /** Label shown for this value. */
    title: string;
  }[];
  /** Label shown for the field. */
  title?: string;
  /** Always `string`. */
  type: "string";
}

/** A function the server offers to a model. */
export interface Tool {
  /** Extra data attached to this object (since 2025-06-18); the protocol itself gives it no meaning. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Hints on how the tool behaves (since 2025-03-26); not to be trusted unless the server is. */
  annotations?: ToolAnnotations;
  /** What the tool does and when to use it, written for the model. */
  description?: string;
  /** How the tool may be run (2025-11-25 only). */
  execution?: ToolExecution;
  /** Pictures that stand for the tool (since 2025-11-25). */
  icons?: Icon[];
  /** JSON Schema of the arguments, its root of type `object`. */
  inputSchema: {
    /** URI of the JSON Schema dialect (since 2025-11-25); 2020-12 when left out. */
    $schema?: string;
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
  /** JSON Schema of `structuredContent`, its root of type `object` (since 2025-06-18). */
  outputSchema?: {
    /** URI of the JSON Schema dialect (since 2025-11-25); 2020-12 when left out. */
    $schema?: string;
    /** Schema of each member of the output, by name. */
    properties?: {
      [k: string]: {
        [k: string]: unknown;
      };
    };
    /** Names of members the output always has. */
    required?: string[];
    /** Always `object` up to 2025-11-25. */
    type: "object";
  };
  /** Label for people to read (since 2025-06-18); when absent, show `annotations.title`, then `name`. */
  title?: string;
}

/**
 * Hints on how a tool behaves, given by the server and unverified: no ground for a safety decision unless
 * the server is trusted (since 2025-03-26).
 */
export interface ToolAnnotations {
  /**
   * False when the tool only ever adds and never overwrites or deletes; default true, without meaning for
   * a read-only tool.
   */
  destructiveHint?: boolean;
  /**
   * True when a second call with equal arguments changes nothing more; default false, without meaning for
   * a read-only tool.
   */
  idempotentHint?: boolean;
  /**
   * True when the tool reaches outside systems, such as the web; false when it stays within a fixed
   * domain. Default true.
   */
  openWorldHint?: boolean;
  /** True when the tool changes nothing; default false. */
  readOnlyHint?: boolean;
  /** Label for people to read; a `title` on the tool itself goes first. */
  title?: string;
}

/**
 * How freely the model may use tools in a sampling request (since 2025-11-25).
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface ToolChoice {
  /** `auto` leaves it to the model (default), `required` forces at least one call, `none` forbids calls. */
  mode?: "auto" | "none" | "required";
}

/** How a tool may be run (2025-11-25 only). */
export interface ToolExecution {
  /**
   * Whether a call runs as a task: `forbidden` never (default), `optional` if the client likes, `required`
   * always.
   */
  taskSupport?: "forbidden" | "optional" | "required";
}

/** Says that the set of tools has changed, so fetch it again; sent without having been asked for. */
export interface ToolListChangedNotification {
  jsonrpc: "2.0";
  method: "notifications/tools/list_changed";
  /** May be left out; holds nothing but `_meta`. */
  params?: NotificationParams;
}

/**
 * Outcome of a tool call, handed back to the model in a sampling conversation (since 2025-11-25).
 * Deprecated since 2026-07-28 together with sampling.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface ToolResultContent {
  /** Extra data about this block; keep it when sending the block again in a later turn. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Output as content blocks, as in `CallToolResult`. */
  content: ContentBlock[];
  /** True when the call failed and the content says why; default false. */
  isError?: boolean;
  /** Output as a JSON object that fits the tool's `outputSchema`. */
  structuredContent?: {
    [k: string]: unknown;
  };
  /** Which call this answers: the `id` of a `tool_use` block in the preceding assistant message. */
  toolUseId: string;
  /** Always `tool_result`; tells this block from the other kinds. */
  type: "tool_result";
}

/**
 * Call the model wants made, in a sampling conversation (since 2025-11-25). Deprecated since 2026-07-28
 * together with sampling.
 *
 * @deprecated since 2026-07-28 (SEP-2577): use your model provider's API directly. Earliest removal: the
 * first revision released on or after 2027-07-28.
 */
export interface ToolUseContent {
  /** Extra data about this block; keep it when sending the block again in a later turn. */
  _meta?: {
    [k: string]: unknown;
  };
  /** Id of this call, repeated as `toolUseId` in its outcome. */
  id: string;
  /** Argument values by parameter name; they have to fit what the tool declares as `inputSchema`. */
  input: {
    [k: string]: unknown;
  };
  /** Which tool the model wants run, by its `name`. */
  name: string;
  /** Always `tool_use`; tells this block from the other kinds. */
  type: "tool_use";
}

/**
 * Response when a request cannot go on until the user has visited one or more web pages: code `-32042`
 * (2025-11-25 only).
 */
export interface URLElicitationRequiredError {
  /** The error itself. */
  error: {
    /** Always `-32042`. */
    code: -32042;
    data: URLElicitationRequiredErrorData;
    /** One short sentence saying what went wrong. */
    message: string;
  };
  id?: RequestId;
  jsonrpc: "2.0";
}

/** Tells the client which pages to open. */
export interface URLElicitationRequiredErrorData {
  /** Pages to open, each a URL-mode elicitation with its id. */
  elicitations: ElicitRequestURLParams[];
  [k: string]: unknown;
}

/** Ends the watch on one resource. Gone in 2026-07-28 in favour of `subscriptions/listen`. */
export interface UnsubscribeRequest {
  id: RequestId;
  jsonrpc: "2.0";
  method: "resources/unsubscribe";
  /** Which resource to stop watching. */
  params: UnsubscribeRequestParams;
}

/** What `resources/unsubscribe` takes: one URI. */
export interface UnsubscribeRequestParams {
  /** Extra data attached to the request; `progressToken` asks for progress reports. */
  _meta?: {
    /** Asks for progress reports, which will repeat this token; the receiver may still send none. */
    progressToken?: ProgressToken;
    [k: string]: unknown;
  };
  /** Watched resource to let go of. */
  uri: string;
}

/** Several-choices field that shows the bare values (since 2025-11-25). */
export interface UntitledMultiSelectEnumSchema {
  /** Values ticked when the form opens. */
  default?: string[];
  /** Help text shown with the field. */
  description?: string;
  /** The choices. */
  items: {
    /** The values on offer, shown as they are. */
    enum: string[];
    /** Always `string`. */
    type: "string";
  };
  /** Most values that may be ticked. */
  maxItems?: number;
  /** Fewest values that may be ticked. */
  minItems?: number;
  /** Label shown for the field. */
  title?: string;
  /** Always `array`. */
  type: "array";
}

/** Single-choice field that shows the bare values. */
export interface UntitledSingleSelectEnumSchema {
  /** Value picked when the form opens. */
  default?: string;
  /** Help text shown with the field. */
  description?: string;
  /** The values on offer, shown as they are. */
  enum: string[];
  /** Label shown for the field. */
  title?: string;
  /** Always `string`. */
  type: "string";
}
