import { markDrainable } from "@tenon/base";
import { connectionClosed } from "@tenon/jsonrpc2/core";
import type { Caller, CloseOptions, ConnectOptions, Handling, Transport } from "@tenon/jsonrpc2/core";
import type { Notification, Request } from "@tenon/jsonrpc2/core";
import type { Implementation, RequestFacts } from "@tenon/protocol";

import { lazy } from "../base/lazy.ts";
import type { PromptDefinition, PromptHandler } from "../feature/prompts/define.ts";
import type {
  ResourceDefinition,
  ResourceHandler,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
} from "../feature/resources/define.ts";
import type { RegisteredTool } from "../feature/tools/server/register.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "../request/extension.ts";
import type { ReceivingMiddleware, SendingMiddleware } from "../request/middleware.ts";
import type { ChangeOptions } from "../request/server/change.ts";
import type { RequestContext } from "../request/server/context.ts";
import type { ServerRequest } from "../request/server/request.ts";
import type { InnerServerSession, ServerSession } from "../request/server/session.ts";
import type { AddToolHint, DefinedTool, ToolArguments, ToolDefinition, ToolReturn } from "../request/tool.ts";
import { checkTransport } from "../session/check-transport.ts";
import { StatelessDoor } from "../session/server/stateless-door.ts";
import { waitOrClose } from "../session/wait.ts";
import { install, type ServerExtension } from "./extension.ts";
import { assembleServer, type ServerParts } from "./server/assemble.ts";
import type { ServerOptions } from "./server/options.ts";

/** Loaded with the first connection, because a server of stateless requests has no sessions. */
const opening = lazy(() => import("../session/server/session.lazy.ts"));

/**
 * A server: its tools, prompts, resources and sessions. Any number of clients may be connected at a
 * time, with any protocol version. All state of a client is kept in its session. Tools, prompts and
 * resources may be added and removed at any time.
 *
 * @example
 * const server = new Server({ name: "greeter", version: "1.0.0" });
 * server.addTool({ name: "greet" }, () => "Hello!");
 * await server.run(new StdioTransport());
 *
 * @source S-055, S-067
 */
export class Server implements AsyncDisposable {
  /** Name and version, as clients see them. */
  readonly info: Implementation;
  readonly #parts: ServerParts;
  readonly #sessions = new Set<InnerServerSession>();
  /** Number of calls of `close`: a session that connects during `close` must end too. */
  #closes = 0;
  readonly #stateless: StatelessDoor;

  /**
   * Creates a server without tools, prompts and resources.
   *
   * @throws `McpError` `INVALID_DEFINITION` for options that are not valid.
   */
  constructor(info: Implementation, options: ServerOptions = {}) {
    this.info = info;
    markDrainable(this);
    this.#parts = assembleServer(info, options, this.#sessions, this);
    this.#stateless = new StatelessDoor(this.#parts.definition, this.#parts.load);
  }

  /**
   * Adds a tool. Arguments are validated against `input` before the handler runs, and the result of
   * the handler is validated against `output`. The handler returns a string, content blocks, a
   * value that matches `output`, or a full result. The message of a `ToolError` is returned to the
   * model; any other error becomes a generic failure. Schemas are compiled here, once for all
   * sessions. Connected clients are notified of the new tool.
   *
   * @example
   * const input = { type: "object", properties: { name: { type: "string" } } } as const;
   * server.addTool({ name: "greet", input }, ({ name = "you" }) => `Hello, ${name}!`);
   *
   * @param definition - `input` and `output` are JSON Schemas, classes with described fields, or
   *   schemas of a library; the handler's types follow from them. Neither is modified.
   * @throws `McpError` `INVALID_DEFINITION` for a bad or taken name, or a schema that is not valid.
   */
  addTool<const I = unknown, const O = undefined>(
    definition: ToolDefinition<I, O>,
    // `ToolHandler<I, O>`, written out and kept from inference: the compiler has a third less to
    // do, and knows what the handler has to return while it reads it, so literals and tuples keep
    // their types.
    handler: NoInfer<
      (args: ToolArguments<I>, context: RequestContext) => ToolReturn<O> | Promise<ToolReturn<O>>
    >,
  ): void;
  /**
   * Adds a tool that {@link defineTool} returned.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a bad or taken name, or a schema that is not valid.
   */
  addTool(tool: DefinedTool): void;
  /** Refuses the arguments of other SDKs. The compiler shows the hint. */
  addTool(definition: AddToolHint, options: never, handler: never): never;
  addTool(
    definition: ToolDefinition | DefinedTool | string,
    handler: RegisteredTool["handler"] = (definition as DefinedTool).handler,
  ): void {
    this.#parts.tools.add(definition as ToolDefinition, handler);
  }

  /** Removes tools. Unknown names are ignored. */
  removeTools(...names: readonly string[]): void {
    this.#parts.tools.registry.remove(names);
  }

  /**
   * Adds a prompt: a message template, or several messages, that a user selects and fills in.
   * Connected clients are notified.
   *
   * @example server.addPrompt({ name: "review", arguments: [{ name: "code", required: true }] }, ({ code }) => `Review this:\n${code}`);
   *
   * @throws `McpError` `INVALID_DEFINITION` for a bad or taken name, or arguments that are not
   *   valid.
   * @source S-148
   */
  addPrompt<const A = unknown>(definition: PromptDefinition<A>, handler: PromptHandler<A>): void {
    this.#parts.prompts.add(definition, handler);
  }

  /** Removes prompts. Unknown names are ignored. */
  removePrompts(...names: readonly string[]): void {
    this.#parts.prompts.registry.remove(names);
  }

  /**
   * Adds a resource: data that clients read by its URI. Connected clients are notified. Call
   * {@link resourceUpdated} when its contents change.
   *
   * @example server.addResource({ uri: "config://app", name: "config", mimeType: "application/json" }, () => JSON.stringify(config));
   *
   * @throws `McpError` `INVALID_DEFINITION` for a URI that is not absolute, or taken.
   * @source S-156
   */
  addResource(definition: ResourceDefinition, handler: ResourceHandler): void {
    this.#parts.resources.addResource(definition, handler);
  }

  /** Removes resources by URI. Unknown URIs are ignored. */
  removeResources(...uris: readonly string[]): void {
    this.#parts.resources.removeResources(uris);
  }

  /**
   * Adds a family of resources whose URIs follow a template. Connected clients are notified. A
   * resource with exactly the requested URI takes precedence. If several templates match, the
   * template with the longest literal prefix is used.
   *
   * @example server.addResourceTemplate({ uriTemplate: "notes://{id}", name: "note" }, ({ variables }) => notes.get(variables.id));
   *
   * @throws `McpError` `INVALID_DEFINITION` for a template that is not valid, or taken.
   * @source S-158
   */
  addResourceTemplate<const T extends string>(
    definition: ResourceTemplateDefinition<T>,
    handler: ResourceTemplateHandler<T>,
  ): void {
    this.#parts.resources.addTemplate(definition, handler);
  }

  /** Removes templates by URI template. Unknown templates are ignored. */
  removeResourceTemplates(...uriTemplates: readonly string[]): void {
    this.#parts.resources.templates.remove(uriTemplates);
  }

  /**
   * Notifies clients that the resources of a template have changed: its `list` (see
   * {@link addResourceTemplate}) returns other resources than before.
   */
  resourcesChanged(): void {
    this.#parts.resources.changed();
  }

  /**
   * Notifies the clients that have subscribed to a resource; with `to` some of them, and not
   * `onChange`. The server does not watch resources itself.
   *
   * @source S-169, S-170
   */
  resourceUpdated(uri: string, { to }: ChangeOptions = {}): void {
    this.#parts.publisher.resourceUpdated(uri, to);
  }

  /**
   * Notifies the clients of this server of a change on another instance. The change itself is not
   * applied: a new tool, for example, must be added on each instance.
   *
   * @param change - What `onChange` got on the other instance. `{ origin }` without a method means
   *   that everything may have changed. Changes of this server itself, and invalid values, are
   *   ignored.
   */
  announce(change: unknown, { to }: ChangeOptions = {}): void {
    this.#parts.publisher.announce(change, to);
  }

  /**
   * The input schema of a tool, or `undefined` if the tool does not exist. HTTP transports read
   * from it which arguments are repeated in headers.
   *
   * @source R-316
   */
  toolInputSchema(name: string): object | undefined {
    return this.#parts.tools.registry.get(name)?.tool.inputSchema;
  }

  /**
   * The param that the `Mcp-Name` header repeats for a method of an extension, if it has such a
   * header. HTTP transports check the header.
   *
   * @source R-313
   */
  headerParam(method: string): string | undefined {
    return this.#parts.definition.extensions.headerOf(method);
  }

  /**
   * Adds extensions: see {@link defineServerExtension}. Add them before clients connect, because a
   * legacy client learns the extensions of a server once.
   *
   * @throws `McpError` `INVALID_DEFINITION` for an extension that the server has, or whose parts
   *   are invalid.
   */
  use(...extensions: readonly ServerExtension[]): void {
    for (const extension of extensions) {
      extension[install](this as never, this.#parts as never);
    }
  }

  /**
   * Handles a request of an extension, and declares the extension. Params and result are validated.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a method name that is taken or belongs to the
   *   protocol, or for an invalid name of an extension.
   */
  addMethod<P, R>(
    method: MethodDefinition<P, R>,
    handler: (params: Received<P>, context: RequestContext) => Sent<R> | Promise<Sent<R>>,
  ): void {
    this.#parts.definition.extensions.addMethod(method, handler);
    if (method.cacheable === true) {
      this.#parts.hint(method.method);
    }
  }

  /**
   * Handles a notification of an extension, and declares the extension.
   *
   * @throws As {@link addMethod}.
   */
  addNotification<P>(
    notification: NotificationDefinition<P>,
    handler: (params: Received<P>, context: RequestContext) => unknown,
  ): void {
    this.#parts.definition.extensions.addNotification(notification, handler);
  }

  /** Removes methods and notifications of extensions. Unknown names are ignored. */
  removeMethods(...methods: readonly string[]): void {
    this.#parts.definition.extensions.remove(methods);
  }

  /**
   * Wraps the handling of every request and notification that is received from now on, in all
   * sessions. The first in the list runs first.
   */
  addReceivingMiddleware(...middleware: readonly ReceivingMiddleware<ServerRequest>[]): void {
    this.#parts.definition.middleware.addReceiving(middleware);
  }

  /**
   * Wraps the sending of every request and notification from now on, in all sessions. The first in
   * the list runs first.
   */
  addSendingMiddleware(...middleware: readonly SendingMiddleware<ServerSession | undefined>[]): void {
    this.#parts.definition.middleware.addSending(middleware);
  }

  /**
   * Handles one message without a session: for transports whose messages arrive one by one, such as
   * HTTP. In the context of its handler, {@link RequestContext.session} is `undefined`.
   *
   * @param facts - What `requestFacts` of `@tenon/protocol` has read, if the transport knows more
   *   than the message. By default the message is read, and rejected if it names no protocol
   *   version.
   * @returns An object that can cancel the message, or wait for its end. The method never throws:
   *   errors become error responses.
   */
  handle(message: Request | Notification, caller: Caller, facts?: RequestFacts): Handling {
    return this.#stateless.handle(message, caller, facts);
  }

  /**
   * Starts a session on a transport, and resolves when the session is open. The session continues
   * until the client or the server closes it.
   *
   * @throws The error of the transport; `signal.reason`; jsonrpc2's `CONNECTION_CLOSED` if the
   *   server is closed during the attempt.
   */
  async connect(transport: Transport, options?: ConnectOptions): Promise<ServerSession> {
    checkTransport(transport, "connect", "new StdioTransport()");
    const closes = this.#closes;
    const [{ LiveServerSession }] = await Promise.all([opening.use((module) => module), this.#parts.load()]);
    const connection = await transport.connect(options);
    if (closes !== this.#closes) {
      await connection.close();
      throw connectionClosed("The server was closed while it was connecting.");
    }
    const session = new LiveServerSession(this, this.#parts.definition, connection);
    this.#sessions.add(session);
    void session.closed.then(() => this.#sessions.delete(session));
    return session;
  }

  /**
   * Serves one session until the client closes it or `signal` aborts. Use it for servers over
   * stdio.
   *
   * @param options - `signal` ends the session gracefully; the promise then resolves.
   * @throws The error that broke the connection.
   * @source S-063
   */
  async run(transport: Transport, options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal } = options;
    const session = await this.connect(transport, { signal });
    await waitOrClose(session, signal);
  }

  /** The sessions that exist at the time of the call. A session may end during the iteration. */
  sessions(): IterableIterator<ServerSession> {
    return [...this.#sessions].values();
  }

  /**
   * Ends all sessions. Calls of {@link connect} that are still pending reject. Sessions may be
   * started again afterwards.
   */
  async close(options?: CloseOptions): Promise<void> {
    this.#closes++;
    await Promise.all([
      ...[...this.#sessions].map((session) => session.close(options)),
      this.#stateless.close(options),
    ]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
