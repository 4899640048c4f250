import { checkOptionNames, errorSink, markDrainable, readLimits } from "@tenon/base";
import {
  FrontDoor,
  NodeExchange,
  WebExchange,
  type Authenticate,
  type Exchange,
  type GuardOptions,
  type NodeRequest,
  type NodeResponse,
  type Visit,
} from "@tenon/http/server";
import { timerDelay, unref } from "@tenon/http/transport";
import type { Transport } from "@tenon/jsonrpc2";
import type { AuthInfo, HttpRequestInfo } from "@tenon/protocol";

import { sseHandlerLimits, type SSEHandlerLimits } from "./limits.ts";
import { refuse } from "./refuse.ts";
import { pathOf, sessionIdOf } from "./request-target.ts";
import { requestFor, SSEServerTransport, type SSEServerOptions } from "./transport.ts";

/** The required part of a session. */
export interface SSESessionLike {
  /**
   * Ends the session.
   *
   * @param options - `drainMs`: time that running handlers get to finish, in milliseconds.
   */
  close(options?: { drainMs?: number | undefined }): Promise<void>;
}

/** The required part of a server. `Server` of `@tenon/mcp` has it. */
export interface SSEServerLike {
  /** Starts a session on a transport; it ends with the connection, and the other way round. */
  connect(transport: Transport): Promise<SSESessionLike>;
}

/** Options of {@link createSSEHandler}. */
export interface SSEHandlerOptions extends GuardOptions, Pick<SSEServerOptions, "authorize" | "whenFull"> {
  /** Chooses the server for a new session. `undefined` refuses with 404. @source S-021 */
  readonly getServer: (
    request: HttpRequestInfo & { readonly auth: AuthInfo | undefined },
  ) => SSEServerLike | undefined | Promise<SSEServerLike | undefined>;
  /**
   * Identifies the sender of each request: see `authenticate` of `createStreamableHandler`. By
   * default the sender is `auth` of the {@link SSEServeContext}, and requests without it are
   * anonymous.
   */
  readonly authenticate?: Authenticate<AuthInfo> | undefined;
  /**
   * Called by `revoke`, so that `authenticate` forgets the cached results of the principal.
   */
  readonly onRevoked?: ((principal: string) => void) | undefined;
  /**
   * The path or URL to which the client of a session sends its messages. Default: the path of the
   * GET with `?sessionId=…`.
   *
   * @source S-026
   */
  readonly endpointFor?: ((sessionId: string, request: HttpRequestInfo) => string) | undefined;
  /** Limits on messages, event streams and sessions. Each limit has its own default. */
  readonly limits?: SSEHandlerLimits | undefined;
  /**
   * Called with errors that are not returned to a caller. Default: `console.error`; `() => {}`
   * silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Facts about a request that the caller of a handler has verified. They are trusted: never pass
 * values that a client or a platform sets.
 */
export interface SSEServeContext {
  /**
   * The sender, if it is already verified. A value without a `principal` rejects the request with
   * 500.
   */
  readonly auth?: AuthInfo | undefined;
  /** The body, if a framework has read and parsed it already (Node only). */
  readonly parsedBody?: unknown;
}

/** Serves the transport of 2024-11-05. */
export interface SSEHandler extends AsyncDisposable {
  /**
   * Serves a web-standard request. Never rejects. Further arguments, such as the bindings of a
   * Worker, are ignored.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Serves a web-standard request whose sender the caller knows. Never rejects.
   *
   * @param context - Trusted: see {@link SSEServeContext}.
   */
  serve(request: Request, context: SSEServeContext): Promise<Response>;
  /** Serves a request of `node:http`. Never rejects. */
  node(request: NodeRequest, response: NodeResponse, context?: SSEServeContext): Promise<void>;
  /**
   * Whether `allowedHosts` or `authenticate` was given. Do not expose a handler without them to
   * other machines.
   */
  readonly restricted: boolean;
  /**
   * Ends the sessions of a principal at once: see `revoke` of `createStreamableHandler`. Settles
   * when they have ended.
   */
  revoke(principal: string): Promise<void>;
  /**
   * Rejects new sessions and ends the existing ones. Settles when all have ended. Idempotent.
   *
   * @param options - `drainMs`: how long running handlers may take to finish, in milliseconds. If
   *   `close` is called again, the earlier deadline counts. Default: the `drainMs` of the server.
   * @source S-024
   */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

interface Entry {
  readonly principal: string | undefined;
  readonly transport: SSEServerTransport;
  readonly session: Promise<SSESessionLike>;
}

/**
 * Makes the handler of the transport of 2024-11-05: GET opens a session, POST with its id brings a
 * message. For clients that know nothing newer.
 *
 * @deprecated since 2025-03-26: use `createStreamableHandler`.
 * @throws `TypeError` for options that do not exist or are out of range, and for `allowedHosts` and
 *   `allowedOrigins` that no request can meet.
 * @source R-380…R-382
 */
export function createSSEHandler(options: SSEHandlerOptions): SSEHandler {
  checkOptionNames(
    "createSSEHandler",
    options,
    [
      "getServer:function authenticate:function authorize:function onRevoked endpointFor limits",
      "onError allowedHosts allowedOrigins whenFull",
    ],
    sseHandlerLimits,
  );
  const { getServer, whenFull } = options;
  const { maxSessions, maxSessionsPerPrincipal, heartbeatMs, ...limits } = readLimits(
    options.limits,
    sseHandlerLimits,
  );
  const onError = errorSink(options.onError);
  const { maxMessageBytes: maxBytes, bodyTimeoutMs: timeoutMs } = limits;
  const door = new FrontDoor<AuthInfo>({
    ...options,
    cors: {
      allowedOrigins: options.allowedOrigins,
      methods: ["GET", "POST", "OPTIONS"],
      exposedHeaders: ["WWW-Authenticate", "DPoP-Nonce", "Retry-After"],
    },
    body: { maxBytes, timeoutMs },
    refuse,
    onError,
  });
  const entries = new Map<string, Entry>();
  let timer: ReturnType<typeof setInterval> | undefined;

  async function open(visit: Visit<AuthInfo>): Promise<void> {
    const { exchange, headers, auth } = visit;
    const info = requestFor(exchange, auth);
    const server = await getServer({ ...info, auth });
    // Others may have come while this one's server was being chosen.
    if (!door.isOpen(visit)) {
      return;
    }
    if (door.isRevoked(visit)) {
      return;
    }
    if (server === undefined) {
      refuse(exchange, 404, "getServer returned no server", headers);
      return;
    }
    if (entries.size >= maxSessions || isGreedy(auth)) {
      refuse(exchange, 503, "Too many sessions", { ...headers, "retry-after": "5" });
      return;
    }
    const sessionId = crypto.randomUUID();
    const endpoint =
      options.endpointFor?.(sessionId, info) ?? `${pathOf(exchange.url)}?sessionId=${sessionId}`;
    const { authorize, allowedHosts, allowedOrigins } = options;
    const transport = new SSEServerTransport({
      endpoint,
      sessionId,
      limits,
      whenFull,
      authorize,
      allowedHosts,
      allowedOrigins,
      onClosed: () => entries.delete(sessionId),
      onError,
    });
    const session = server.connect(transport);
    entries.set(sessionId, { principal: auth?.principal, transport, session });
    beat();
    await transport.serve(exchange, headers, auth);
    try {
      await session;
    } catch (error) {
      await transport.close();
      throw error;
    }
  }

  function isGreedy(auth: AuthInfo | undefined): boolean {
    if (auth === undefined || entries.size < maxSessionsPerPrincipal) {
      return false;
    }
    const own = [...entries.values()].filter(({ principal }) => principal === auth.principal);
    return own.length >= maxSessionsPerPrincipal;
  }

  function beat(): void {
    if (timer !== undefined || heartbeatMs === Infinity) {
      return;
    }
    timer = setInterval(() => {
      for (const { transport } of entries.values()) {
        transport.beat();
      }
      if (entries.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    }, timerDelay(heartbeatMs));
    unref(timer);
  }

  function admit(visit: Visit<AuthInfo>): Promise<void> | undefined {
    const { exchange, headers, auth } = visit;
    if (exchange.method === "GET") {
      // Not awaited: this settles when the session has begun.
      open(visit).catch((error: unknown) => door.fail(visit, error));
    } else if (exchange.method === "POST") {
      const entry = entries.get(sessionIdOf(exchange.url));
      if (entry !== undefined) {
        return entry.transport.serve(exchange, headers, auth);
      }
      refuse(exchange, 404, "There is no such session", headers);
    } else {
      exchange.respond(405, { ...headers, allow: "GET, POST" });
    }
    return undefined;
  }

  async function revoke(principal: string): Promise<void> {
    door.revoke(principal);
    const revoked = [...entries.values()].filter((entry) => entry.principal === principal);
    await endAll(revoked, 0);
  }

  async function close(drainMs?: number): Promise<void> {
    door.close();
    clearInterval(timer);
    await endAll([...entries.values()], drainMs);
  }

  const serve = (exchange: Exchange, { auth }: SSEServeContext): Promise<void> =>
    door.serve(exchange, auth, admit);
  const fetch = async (request: Request, context: SSEServeContext): Promise<Response> => {
    const exchange = new WebExchange(request);
    await serve(exchange, context);
    return exchange.response;
  };
  return markDrainable({
    fetch: (request) => fetch(request, {}),
    serve: (request, context) => fetch(request, context),
    node: (request, response, context = {}) =>
      serve(new NodeExchange(request, response, context.parsedBody, limits.stallMs), context),
    restricted: options.allowedHosts !== undefined || options.authenticate !== undefined,
    revoke,
    close: ({ drainMs } = {}) => close(drainMs),
    [Symbol.asyncDispose]: () => close(),
  });
}

async function endAll(entries: readonly Entry[], drainMs: number | undefined): Promise<void> {
  await Promise.all(
    entries.map(async ({ session, transport }) => {
      try {
        // The caller that opened the session gets the error, so it is not reported here.
        const connected = await session.catch(() => undefined);
        await connected?.close({ drainMs });
      } finally {
        await transport.close();
      }
    }),
  );
}
