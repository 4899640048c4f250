import type { Closed, CloseOptions, Network } from "@tenon/jsonrpc2";
import type {
  CallToolResult,
  ClientCapabilities,
  Era,
  Implementation,
  InputRequests,
  InputRequiredResult,
  InputResponses,
  LoggingLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  Revision,
  Root,
  ServerCapabilities,
  SubscriptionFilter,
  Tool,
} from "@tenon/protocol";

import type { ItemOf, MethodDefinition, NotificationDefinition, Received, Sent } from "../extension.ts";
import type { ByHand, Method, RequestParamsOf, ResultOf } from "../method-types.ts";
import type { SessionExtensionProperties } from "../open.ts";
import type { DefinedTool, ToolCallArguments, ToolOutput, ToolReference } from "../tool.ts";
import type { ListOptions, RequestOptions } from "./options.ts";
import type { ListenOptions, ResourceWatch, Subscription } from "./subscription.ts";
import type { CallToolParams, TypedToolNames, TypedTools } from "./tools.ts";

/**
 * The negotiated protocol version and the description of a server. Plain data: you can store it and
 * pass it as `prior` to the next `connect`.
 */
export interface Negotiated {
  readonly revision: Revision;
  readonly capabilities: ServerCapabilities;
  /** Unverified, for display and logs. Absent if a modern server does not say. */
  readonly serverInfo?: Implementation | undefined;
  /** Advice for the model on using the server. */
  readonly instructions?: string | undefined;
}

/** The client of a session: the object that `new Client` returned. */
export interface ClientOfSession {
  /** Name and version, as servers see them. */
  readonly info: Implementation;
  /** The roots, which servers can list. */
  readonly roots: readonly Root[];
  /** The sessions that exist at the time of the call. A session may end during the iteration. */
  sessions(): IterableIterator<ClientSession>;
  /**
   * Adds roots and replaces roots with the same URI. Notifies the legacy servers that the client
   * has declared roots to.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a URI that does not start with `file://`.
   */
  addRoots(...roots: readonly Root[]): void;
  /** Removes roots. Unknown URIs are ignored. Returns whether any root was removed. */
  removeRoots(...uris: readonly string[]): boolean;
  /** Replaces all roots. @throws As {@link addRoots}; the roots are then unchanged. */
  setRoots(roots: readonly Root[]): void;
}

/** A client's conversation with one server, ready for use. */
export interface ClientSession extends AsyncDisposable, SessionExtensionProperties {
  /** The client whose session this is. */
  readonly client: ClientOfSession;
  /** The network to the remote peer. `undefined` in memory, or if it is unknown. */
  readonly network: Network | undefined;
  /**
   * The result of the negotiation, which can be stored and passed to `Client.connect` as `prior`.
   */
  readonly negotiated: Negotiated;
  /** The revision of the protocol that was agreed on: a date. */
  readonly revision: Revision;
  /**
   * `legacy`: opened by a handshake, up to 2025-11-25. `modern`: stateless requests, since
   * 2026-07-28.
   */
  readonly era: Era;
  /** Unverified, for display and logs. */
  readonly serverInfo: Implementation | undefined;
  /** The capabilities that this client has declared to the server. */
  readonly declaredCapabilities: ClientCapabilities;
  /** The capabilities that the server has declared. */
  readonly serverCapabilities: ServerCapabilities;
  /**
   * True if the negotiated revision has a method or notification, and the server has declared the
   * capability that it requires.
   */
  offers(method: string): boolean;
  /** Advice for the model on using the server. */
  readonly instructions: string | undefined;
  /** True once the session has ended. */
  readonly isClosed: boolean;
  /** Resolves when the session has ended, with the error that broke it, if any. Never rejects. */
  readonly closed: Promise<Closed>;
  /**
   * Waits for the end of the session; rejects with what broke it, or with `signal.reason`.
   *
   * @source S-062
   */
  wait(options?: { signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Ends the session and its connection. Idempotent. Pending requests reject with
   * `CONNECTION_CLOSED`.
   */
  close(options?: CloseOptions): Promise<void>;
  /**
   * Sends a request, and returns what the server asks for if it needs input first; see
   * {@link RequestOptions.autoFulfil}.
   */
  request<M extends Method>(
    method: M,
    params: RequestParamsOf<M> | undefined,
    options: ByHand,
  ): Promise<ResultOf<M> | InputRequiredResult>;
  /**
   * Sends a request of the protocol and waits for its result. Most methods have a shorter way:
   * {@link callTool}, {@link listTools} and so on.
   *
   * @throws `RpcError` for an error response; `signal.reason` if aborted; `McpError`
   *   `NOT_IN_REVISION` for a method that the negotiated revision lacks, `CAPABILITY_MISSING` if
   *   the server has not declared what the method requires (see {@link offers} and the client's
   *   `strictness`), `INVALID_RESULT` for an invalid result; jsonrpc2's `LocalError` for a lost
   *   connection or a timeout.
   *
   * If a modern server requests input, this client's handlers provide it and the request is sent
   * again, until the result arrives; see {@link RequestOptions.autoFulfil}. Further errors in this
   * case: `McpError` `INPUT_FAILED` if a handler failed, `LIMIT_EXCEEDED` after
   * `limits.maxRounds`.
   */
  request<M extends Method>(
    method: M,
    params?: RequestParamsOf<M>,
    options?: RequestOptions,
  ): Promise<ResultOf<M>>;
  /**
   * Sends a request of an extension. Params and result are validated.
   *
   * @throws As for a request of the protocol; `McpError` `CAPABILITY_MISSING` if the server has not
   *   declared the extension; `TypeError` for invalid params.
   */
  request<P, R>(
    method: MethodDefinition<P, R>,
    params: Sent<P>,
    options?: RequestOptions,
  ): Promise<Received<R>>;
  /** Sends a notification of the protocol. A revision that lacks it is not told. */
  notify(method: string, params?: object): Promise<void>;
  /** Sends a notification of an extension; a server that has not declared it is not told. */
  notify<P>(notification: NotificationDefinition<P>, params: Sent<P>): Promise<void>;
  /**
   * Checks whether the server responds: sends `ping`, or `server/discover` in 2026-07-28, which
   * does not have `ping`.
   *
   * @source R-447
   */
  ping(params?: RequestParamsOf<"ping">, options?: RequestOptions): Promise<void>;
  /** Returns one page of the server's tools; {@link tools} iterates over all pages. */
  listTools(
    params?: RequestParamsOf<"tools/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"tools/list">>;
  /**
   * Yields all tools and fetches pages as needed: `for await (const tool of session.tools()) …`.
   */
  tools(options?: ListOptions): AsyncIterableIterator<Tool>;
  /**
   * Calls a tool whose definition is at hand, with types:
   * `session.callTool(greet, { name: "you" })`, where `greet` was made by `defineTool`.
   *
   * @returns Its output, checked; the whole result for a tool that does not describe its output.
   * @throws `ToolError` if the tool failed, with its message and the result as `cause`; `McpError`
   *   `INVALID_RESULT` if the output does not match its schema.
   */
  callTool<const I, const O>(
    tool: ToolReference<I, O>,
    args: ToolCallArguments<I>,
    options?: RequestOptions,
  ): Promise<ToolOutput<O>>;
  /**
   * Calls a tool by name, and returns what the server asks for if it needs input first; see
   * {@link RequestOptions.autoFulfil}.
   */
  callTool(params: CallToolParams, options: ByHand): Promise<CallToolResult | InputRequiredResult>;
  /**
   * Calls a tool by name: `session.callTool({ name: "greet", arguments: { name: "you" } })`. If the
   * tool failed, `isError` of the result is true. If the tool was listed before and the list has
   * not changed since, the result is validated against its `outputSchema`.
   *
   * @param params - `name` and `arguments`; also `inputResponses` and `requestState` if you respond
   *   to input requests yourself.
   * @throws As {@link request}; `McpError` `INVALID_RESULT` if the result does not match the
   *   `outputSchema`.
   * @source R-471
   */
  callTool(params: CallToolParams, options?: RequestOptions): Promise<CallToolResult>;
  /**
   * The server's tools by name, with types:
   * `session.typed(tools).callTool("greet", { name: "you" })`.
   */
  typed<T extends readonly DefinedTool[]>(tools: T): TypedTools<T>;
  /**
   * The server's tools by name, where only their types can be imported:
   * `session.typed<typeof tools>()`.
   */
  typed<T extends readonly DefinedTool[]>(): TypedToolNames<T>;
  /** Returns one page of the server's prompts; {@link prompts} iterates over all pages. */
  listPrompts(
    params?: RequestParamsOf<"prompts/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"prompts/list">>;
  /** Yields all prompts and fetches pages as needed. */
  prompts(options?: ListOptions): AsyncIterableIterator<Prompt>;
  /**
   * Has a prompt filled in: `session.getPrompt({ name: "review", arguments: { code } })`.
   *
   * @throws `RpcError` `-32602` for an unknown prompt or invalid arguments.
   */
  getPrompt(
    params: RequestParamsOf<"prompts/get">,
    options?: RequestOptions,
  ): Promise<ResultOf<"prompts/get">>;
  /** Returns one page of the server's resources; {@link resources} iterates over all pages. */
  listResources(
    params?: RequestParamsOf<"resources/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/list">>;
  /** Yields all resources and fetches pages as needed. */
  resources(options?: ListOptions): AsyncIterableIterator<Resource>;
  /**
   * Returns one page of the server's resource templates; {@link resourceTemplates} iterates over
   * all pages.
   */
  listResourceTemplates(
    params?: RequestParamsOf<"resources/templates/list">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/templates/list">>;
  /** Yields all resource templates and fetches pages as needed. */
  resourceTemplates(options?: ListOptions): AsyncIterableIterator<ResourceTemplate>;
  /**
   * Reads a resource: `session.readResource({ uri: "notes://1" })`.
   *
   * @throws `RpcError` if there is none: {@link isResourceNotFound} knows its codes.
   */
  readResource(
    params: RequestParamsOf<"resources/read">,
    options?: RequestOptions,
  ): Promise<ResultOf<"resources/read">>;
  /** Requests values that complete an argument of a prompt or a variable of a resource template. */
  complete(
    params: RequestParamsOf<"completion/complete">,
    options?: RequestOptions,
  ): Promise<ResultOf<"completion/complete">>;
  /**
   * Sets the least severe level of log messages that the server sends from now on: to a legacy
   * server by one request, to a modern server with every further request.
   *
   * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577). Earliest removal: the first
   *   revision released on or after 2027-07-28.
   */
  setLogLevel(level: LoggingLevel, options?: RequestOptions): Promise<void>;
  /**
   * Subscribes to changes of a resource on a legacy server; `onResourceUpdated` of the client is
   * called. {@link ClientSession.watch} works in both eras.
   */
  subscribe(params: { readonly uri: string }, options?: RequestOptions): Promise<void>;
  /** Unsubscribes from a resource on a legacy server. */
  unsubscribe(params: { readonly uri: string }, options?: RequestOptions): Promise<void>;
  /**
   * Opens a subscription of the modern era, and waits until the server has acknowledged it.
   * {@link ClientSession.watch} works in both eras.
   */
  listen(filter: SubscriptionFilter, options: ListenOptions): Promise<Subscription>;
  /**
   * Responds to input requests of a modern server by this client's handlers, without sending the
   * responses: for input requests that an extension receives, which are not the result of a
   * request.
   *
   * @param options - `signal` and `totalTimeoutMs` end the handlers.
   * @throws As a request that requires input.
   */
  answerInputs(requests: InputRequests, options?: RequestOptions): Promise<InputResponses>;
  /**
   * Yields the items of all pages of an extension's method, and fetches pages as needed: see
   * `paged` of `defineMethod`.
   *
   * @throws As {@link tools}; `McpError` `INVALID_DEFINITION` for a method without pages.
   */
  pages<P, R>(
    method: MethodDefinition<P, R>,
    params: Sent<P>,
    options?: ListOptions,
  ): AsyncIterableIterator<ItemOf<Received<R>>>;
  /**
   * Watches a resource, in either era: `for await (const { uri } of session.watch("notes://1"))`.
   * The subscription starts at once (`await watch.ready` to be sure), is opened again when it is
   * interrupted, and ends with the loop. After an interruption one update is given, because there
   * may have been some.
   *
   * @param options - `signal` ends the iteration with its reason.
   */
  watch(uri: string, options?: { readonly signal?: AbortSignal | undefined }): ResourceWatch;
}
