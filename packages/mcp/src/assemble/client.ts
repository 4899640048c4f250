import { errorSink, systemClock } from "@tenon/base";
import { isLocalError, type Connection, type Transport } from "@tenon/jsonrpc2/core";
import type { Implementation, Root } from "@tenon/protocol";

import { limitsOf } from "../base/limits.ts";
import { toleranceOf } from "../base/strictness.ts";
import { contextBy } from "../feature/cache/client.ts";
import { cacheLimits } from "../feature/cache/client/cache.ts";
import { elicitationFeature } from "../feature/elicitation/client.ts";
import { Extensions } from "../feature/extensions/registry.ts";
import { askForLogs, loggingFeature } from "../feature/logging/client.ts";
import { RootList, rootsFeature } from "../feature/roots/client.ts";
import { samplingFeature } from "../feature/sampling/client.ts";
import { changesFeature, listenForLists } from "../feature/subscriptions/client.ts";
import { declarationOf } from "../request/capabilities.ts";
import { clientMethods, type ClientFeature } from "../request/client/feature.ts";
import { clientLimits } from "../request/client/limits.ts";
import type { ClientRequest, InnerClientRequest } from "../request/client/request.ts";
import type { Negotiated, ClientSession } from "../request/client/session.ts";
import type { MethodDefinition, NotificationDefinition, Received, Sent } from "../request/extension.ts";
import { checkImplementation } from "../request/implementation.ts";
import { MiddlewareStack, type ReceivingMiddleware, type SendingMiddleware } from "../request/middleware.ts";
import { spokenRevisions } from "../revisions/index.ts";
import { checkTransport } from "../session/check-transport.ts";
import type { ClientDefinition } from "../session/client/definition.ts";
import { withEarlier } from "../session/client/negotiation/with-earlier.ts";
import { openClientSession, type Opening } from "../session/client/open.ts";
import type { LiveClientSession } from "../session/client/session.ts";
import { keepAliveOf } from "../session/keep-alive.ts";
import { Attempts } from "./client/attempts.ts";
import { clientOptionNames, type ClientOptions } from "./client/options.ts";
import { dispatchByMethod } from "./dispatch.ts";
import { install, type ClientExtension } from "./extension.ts";
import { checkOptionNames } from "./option-names.ts";

/** Responds to `ping`, even before the handshake completes. @source */
const ping: ClientFeature = { methods: { ping: () => ({}) } };

/** The type of methods that belong to sessions. The compiler shows the hint, the type of `this`. */
export type OnSession = (
  this: "const session = await client.connect(transport), then session.callTool(…)",
  ...args: readonly never[]
) => never;

/** Options of {@link Client.connect}. */
export interface ClientConnectOptions {
  /** Ends the attempt; whatever was started is ended too. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The result of an earlier negotiation with this server (`ClientSession.negotiated`): a modern
   * server is then not probed again.
   *
   * @source R-219
   */
  readonly prior?: Negotiated | undefined;
}

/**
 * A client: its identity, its handlers and its sessions with servers. It can connect to any number
 * of servers.
 *
 * @example
 * const client = new Client({ name: "my-app", version: "1.0.0" });
 * const transport = new CommandTransport({ command: "node", args: ["server.js"] });
 * const session = await client.connect(transport);
 * const result = await session.callTool({ name: "greet", arguments: { name: "you" } });
 *
 * @source S-055
 */
export class Client implements AsyncDisposable {
  /** Name and version, as servers see them. */
  readonly info: Implementation;
  /** Requests belong to the session. */
  declare readonly callTool: OnSession;
  /** Requests belong to the session. */
  declare readonly listTools: OnSession;
  /** Requests belong to the session. */
  declare readonly readResource: OnSession;
  /** Requests belong to the session. */
  declare readonly getPrompt: OnSession;
  readonly #definition: ClientDefinition;
  readonly #roots: RootList;
  readonly #sessions = new Set<LiveClientSession>();
  readonly #attempts = new Attempts();

  /**
   * Makes a client that is connected to nothing yet.
   *
   * @throws `McpError` `INVALID_DEFINITION` for options that make no sense.
   */
  constructor(info: Implementation, options: ClientOptions = {}) {
    checkImplementation(info);
    checkOptionNames("new Client", options, clientOptionNames, clientLimits);
    if (options.sampling !== undefined) {
      checkOptionNames("sampling", options.sampling, "createMessage:function tools context");
    }
    if (options.elicitation !== "cancel") {
      checkOptionNames("elicitation", options.elicitation ?? {}, "form:function url:function onComplete");
    }
    const limits = limitsOf(options.limits, clientLimits);
    this.info = info;
    const { clock = systemClock, cache = {}, authorizationContext, onLog } = options;
    const { sampling, elicitation, capabilities } = options;
    const onError = errorSink(options.onError);
    this.#roots = new RootList(options.roots, () => this.#rootsChanged());
    const extensions = new Extensions<InnerClientRequest>(options.extensions);
    const features: readonly ClientFeature[] = [
      ping,
      extensions,
      rootsFeature(this.#roots),
      ...(sampling === undefined ? [] : [samplingFeature(sampling)]),
      ...(elicitation === undefined ? [] : [elicitationFeature(elicitation)]),
      loggingFeature(onLog),
      changesFeature(options),
    ];
    const methods = clientMethods(features);
    this.#definition = {
      info,
      revisions: spokenRevisions(options.revisions),
      methods,
      hooks: new Map(),
      requestOptions: {},
      onOpen: [],
      beforeClose: [],
      middleware: new MiddlewareStack(dispatchByMethod(methods, extensions)),
      extensions,
      limits,
      keepAlive: keepAliveOf(options.keepAlive),
      onError,
      tolerate: toleranceOf(options.strictness, onError),
      clock,
      caching:
        cache === false
          ? undefined
          : {
              limits: limitsOf(cache, cacheLimits, "cache"),
              clock,
              context: contextBy(authorizationContext),
            },
      changeHandlers: options,
      logLevel: options.logLevel,
      modernLogLevel: options.logLevel ?? (onLog === undefined ? undefined : "info"),
      declaration: declarationOf(features),
      inputs: typeof capabilities === "object" ? () => capabilities : capabilities,
    };
  }

  /** The roots, which servers can list. */
  get roots(): readonly Root[] {
    return this.#roots.roots;
  }

  /**
   * Adds roots, replaces roots with the same URI, and notifies the legacy sessions that were opened
   * with roots. Modern servers request the roots every time.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a URI that is not `file://`.
   * @source R-601
   */
  addRoots(...roots: readonly Root[]): void {
    this.#roots.add(roots);
  }

  /** Removes roots. Unknown URIs are ignored. Returns whether any root was removed. */
  removeRoots(...uris: readonly string[]): boolean {
    return this.#roots.remove(uris);
  }

  /** Replaces all roots. @throws As {@link addRoots}. */
  setRoots(roots: readonly Root[]): void {
    this.#roots.set(roots);
  }

  /**
   * Adds extensions to the sessions that are opened from now on: see {@link defineClientExtension}.
   *
   * @throws `McpError` `INVALID_DEFINITION` for an extension that the client has, or whose parts
   *   are invalid.
   */
  use(...extensions: readonly ClientExtension[]): void {
    for (const extension of extensions) {
      extension[install](this as never, this.#definition as never);
    }
  }

  /**
   * Handles a request of an extension from legacy servers, and declares the extension to servers
   * that connect from now on.
   *
   * @throws `McpError` `INVALID_DEFINITION` for a method name that is taken or belongs to the
   *   protocol, or for an invalid name of an extension.
   */
  addMethod<P, R>(
    method: MethodDefinition<P, R>,
    handler: (params: Received<P>, request: ClientRequest) => Sent<R> | Promise<Sent<R>>,
  ): void {
    this.#definition.extensions.addMethod(method, handler);
  }

  /** Handles a notification of an extension from servers; otherwise as {@link addMethod}. */
  addNotification<P>(
    notification: NotificationDefinition<P>,
    handler: (params: Received<P>, request: ClientRequest) => unknown,
  ): void {
    this.#definition.extensions.addNotification(notification, handler);
  }

  /** Removes methods and notifications of extensions. Unknown names are ignored. */
  removeMethods(...methods: readonly string[]): void {
    this.#definition.extensions.remove(methods);
  }

  /**
   * Wraps the handling of every request and notification that is received from now on, in all
   * sessions. The first in the list runs first.
   */
  addReceivingMiddleware(...middleware: readonly ReceivingMiddleware<ClientRequest>[]): void {
    this.#definition.middleware.addReceiving(middleware);
  }

  /**
   * Wraps the sending of every request and notification from now on, in all sessions. The first in
   * the list runs first.
   */
  addSendingMiddleware(...middleware: readonly SendingMiddleware<ClientSession>[]): void {
    this.#definition.middleware.addSending(middleware);
  }

  /**
   * Connects to a server and negotiates the protocol version: modern if the server supports it,
   * otherwise the legacy handshake on the same connection. If the server closes the connection
   * instead of responding, the client connects once more.
   *
   * @throws `McpError` `UNSUPPORTED_REVISION` if there is no common version; the error of the
   *   transport; `signal.reason`; jsonrpc2's `CONNECTION_CLOSED` if the client is closed during the
   *   attempt.
   */
  connect(transport: Transport, options: ClientConnectOptions = {}): Promise<ClientSession> {
    const { signal, prior } = options;
    return this.#attempts.run(
      signal,
      (either) => this.#connect(transport, either, prior),
      (session) => session.close({ drainMs: 0 }),
    );
  }

  async #connect(
    transport: Transport,
    signal: AbortSignal,
    prior: Negotiated | undefined,
  ): Promise<LiveClientSession> {
    checkTransport(
      transport,
      "connect",
      typeof transport === "string" || (transport as object) instanceof URL
        ? "new StreamableClientTransport(url)"
        : 'new CommandTransport({ command: "node", args: ["server.js"] })',
    );
    signal.throwIfAborted();
    const loading = this.#definition.extensions.loadSettings();
    if (loading !== undefined) {
      await loading;
    }
    const { authorization } = transport;
    const known = prior === undefined ? undefined : this.#definition.revisions.find(prior.revision);
    const probe = known?.era !== "legacy" && this.#definition.revisions.modern.length > 0;
    let connection = await transport.connect({ signal });
    let first: unknown;
    try {
      return await this.#open(connection, { signal, prior, probe, authorization });
    } catch (error) {
      const gaveUp = isLocalError(error, "CONNECTION_CLOSED") && !signal.aborted;
      if (!probe || !gaveUp || this.#definition.revisions.legacy.length === 0) {
        throw error;
      }
      first = error;
      try {
        connection = await transport.connect({ signal });
      } catch {
        // A transport that connects once only: what went wrong is what went wrong first.
        throw error;
      }
    }
    // a server that crashes on the probe is not probed again.
    try {
      return await this.#open(connection, { signal, prior: undefined, probe: false, authorization });
    } catch (error) {
      throw signal.aborted ? error : withEarlier(error, first);
    }
  }

  /** The sessions that exist at the time of the call. A session may end during the iteration. */
  sessions(): IterableIterator<ClientSession> {
    return [...this.#sessions].values();
  }

  /**
   * Ends all sessions. Calls of {@link connect} that are still pending reject. Sessions may be
   * started again afterwards.
   */
  async close(): Promise<void> {
    await Promise.all([this.#attempts.end(), ...[...this.#sessions].map((session) => session.close())]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #rootsChanged(): void {
    for (const session of this.#sessions) {
      session.notify("notifications/roots/list_changed").catch(this.#definition.onError);
    }
  }

  async #open(connection: Connection, opening: Opening): Promise<LiveClientSession> {
    const session = await openClientSession(this, this.#definition, connection, opening);
    this.#definition.onOpen.forEach((opened) => opened(session));
    this.#sessions.add(session);
    void session.closed.then(() => this.#sessions.delete(session));
    try {
      await this.#prepare(session, opening.signal);
    } catch (error) {
      await session.close({ drainMs: 0, reason: error });
      throw error;
    }
    return session;
  }

  /**
   * Sends the requests that the client's handlers need. An abort during these requests ends the
   * session.
   */
  async #prepare(session: LiveClientSession, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const abort = (): void => void session.close({ drainMs: 0, reason: signal?.reason });
    signal?.addEventListener("abort", abort);
    try {
      await askForLogs(session, this.#definition.logLevel);
      await listenForLists(session, this.#definition.changeHandlers);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    signal?.throwIfAborted();
  }
}
