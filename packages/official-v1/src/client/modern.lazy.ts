/**
 * The modern era for official clients: a Tenon client whose requests are handled by the handlers of
 * the official client. Loaded when a client connects over stdio.
 *
 * @packageDocumentation
 */

import { isLocalError, RpcError, type CallOptions, type Connection } from "@tenon/jsonrpc2/core";
import {
  Client,
  defineMethod,
  defineNotification,
  isMcpError,
  type ClientOptions,
  type ClientSession,
  type Subscription,
} from "@tenon/mcp/client";
import { eraOf, findMethod, MetaKey, metaOf, revisions } from "@tenon/protocol";
import { ErrorCode } from "mcp-sdk-1/types.js";

import { toRpcError } from "../shared/errors.ts";
import type { ModernSession, Negotiated, RawRequest } from "../shared/internals.ts";
import { legacyParams } from "../shared/own-meta.ts";
import { asOfficial } from "./as-official.ts";
import type { ClientInternals } from "./engine.ts";
import { lend } from "./lend.ts";

/** Options of a request that the session sends in its own way. */
export type BriefOptions = Pick<CallOptions, "signal"> & { readonly totalTimeoutMs: number };

/** The session of an official client with a modern server. */
export interface ModernClientSession extends ModernSession {
  /** The result that a legacy server would have sent for `initialize`. */
  readonly initialized: object;
  /** Sets the level of logs, which later requests name. */
  setLevel(level: unknown): void;
  /** Sends a request that has no effect. */
  ping(options: BriefOptions): Promise<void>;
  /** Subscribes to a resource. The signal ends the attempt, not the subscription. */
  subscribe(uri: string, options: BriefOptions): Promise<void>;
  /** Ends a subscription. */
  unsubscribe(uri: string): void;
}

/** Opens a modern session, or returns the connection as if nothing had been sent on it. */
export async function negotiate(
  official: ClientInternals,
  connection: Connection,
  signal: AbortSignal,
): Promise<Negotiated> {
  const { lent, back } = lend(connection);
  const client = createClient(official);
  try {
    const transport = asOfficial({ connect: () => Promise.resolve(lent) }, official);
    const session = await client.connect(transport, { signal });
    return { session: sessionOf(client, session) };
  } catch (error) {
    const connectionOrEnd = back();
    return isLocalError(error, "CONNECTION_CLOSED") && connectionOrEnd.isEnded
      ? { connection: undefined }
      : { connection: connectionOrEnd };
  }
}

/** A modern client whose requests the handlers of the official client handle. */
export function createClient(official: ClientInternals): Client {
  const { sampling, elicitation, roots, experimental } = official._capabilities;
  const ignore = (): void => {};
  const options: ClientOptions = {
    revisions: revisions.filter((revision) => eraOf(revision) === "modern"),
    strictness: "lenient",
    cache: false,
    // The official package does not report deviations that it tolerates.
    onError: (error) => (isMcpError(error, "TOLERATED") ? undefined : official._onerror(error as Error)),
    onToolsChanged: ignore,
    onPromptsChanged: ignore,
    onResourcesChanged: ignore,
    onResourceUpdated: ignore,
    ...(sampling === undefined
      ? {}
      : {
          sampling: {
            createMessage: unreachable,
            tools: sampling["tools"] !== undefined,
            context: sampling["context"] !== undefined,
          },
        }),
    ...(elicitation === undefined
      ? {}
      : {
          elicitation: {
            // As in the official package, `{}` means forms.
            ...(elicitation["form"] === undefined && elicitation["url"] !== undefined
              ? {}
              : { form: unreachable }),
            ...(elicitation["url"] === undefined ? {} : { url: unreachable }),
          },
        }),
    ...(roots === undefined ? {} : { roots: [] }),
  };
  const client = new Client(official._clientInfo, options);
  client.addReceivingMiddleware((next) => (request) => {
    const { id, method, params, signal } = request;
    if (id === undefined) {
      if (method !== "notifications/subscriptions/acknowledged") {
        official._onnotification({ jsonrpc: "2.0", method, params: legacyParams(params) });
      }
      return next(request);
    }
    const handler = official._requestHandlers.get(method) ?? official.fallbackRequestHandler;
    if (handler === undefined) {
      throw new RpcError(ErrorCode.MethodNotFound, "Method not found");
    }
    const message: RawRequest = { jsonrpc: "2.0", id, method, params };
    return Promise.resolve()
      .then(() => handler(message, { signal, requestId: id, _meta: metaOf(params) }))
      .catch((error: unknown) => {
        throw toRpcError(error);
      });
  });
  if (experimental !== undefined) {
    client.addSendingMiddleware(
      (next) => (call) => next({ ...call, params: declaring(call.params, experimental) }),
    );
  }
  return client;
}

/** Adds capabilities for which Tenon's client has no option. */
function declaring(params: object | undefined, experimental: object): object | undefined {
  const meta = metaOf(params);
  const declared = meta?.[MetaKey.clientCapabilities];
  return typeof declared === "object" && declared !== null
    ? { ...params, _meta: { ...meta, [MetaKey.clientCapabilities]: { ...declared, experimental } } }
    : params;
}

/** The handlers only declare the capabilities: middleware handles every request. */
function unreachable(): never {
  throw new Error("The middleware of this client handles every request.");
}

/** The session of an official client that uses a modern session. */
export function sessionOf(client: Client, session: ClientSession): ModernClientSession {
  let level: unknown;
  const subscriptions = new Map<string, Promise<Subscription>>();
  return {
    initialized: {
      capabilities: session.serverCapabilities,
      serverInfo: session.serverInfo ?? { name: "", version: "" },
      ...(session.instructions === undefined ? {} : { instructions: session.instructions }),
    },
    closed: session.closed,
    call: async (method, params, options) => {
      // Programs may send any method. Those of the protocol have a type of their own.
      const known = findMethod(method) === undefined ? defineMethod({ method }) : method;
      return asLegacy(
        await session.request(known as never, withLevel(params, level) as never, callOptions(options)),
      );
    },
    notify: (method, params) => {
      const known = findMethod(method) === undefined ? defineNotification({ method }) : method;
      return session.notify(known as never, params as never);
    },
    close: async () => {
      await session.close({ drainMs: 0 });
      await client.close();
    },
    setLevel: (wanted) => {
      level = wanted;
    },
    ping: ({ signal, totalTimeoutMs }) => session.ping({}, { signal, totalTimeoutMs }),
    subscribe: async (uri, options) => {
      const known = subscriptions.get(uri);
      const subscription = known ?? subscribe(session, uri, options);
      if (known === undefined) {
        subscriptions.set(uri, subscription);
        const end = (): void => {
          if (subscriptions.get(uri) === subscription) {
            subscriptions.delete(uri);
          }
        };
        // The next subscribe opens it again.
        subscription.then(({ closed }) => closed).then(end, end);
      }
      await subscription;
    },
    unsubscribe: (uri) => {
      const subscription = subscriptions.get(uri);
      subscriptions.delete(uri);
      // The caller of `subscribe` has got the error of one that failed.
      subscription?.then((opened) => opened.close()).catch(() => {});
    },
  };
}

/**
 * A result without what only modern results have. Programs pass results on, and some look different
 * with a `_meta`.
 */
function asLegacy(result: unknown): unknown {
  if (typeof result !== "object" || result === null) {
    return result;
  }
  const { resultType: _, _meta, ...more } = result as Readonly<Record<string, unknown>>;
  const { [MetaKey.serverInfo]: __, ...meta } = Object(_meta) as Readonly<Record<string, unknown>>;
  const { ttlMs, cacheScope, ...rest } = more;
  const isCaching = ttlMs !== undefined && cacheScope !== undefined;
  return { ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}), ...(isCaching ? rest : more) };
}

async function subscribe(
  session: ClientSession,
  uri: string,
  { signal, totalTimeoutMs: timeoutMs }: BriefOptions,
): Promise<Subscription> {
  const attempt = new AbortController();
  const abort = (): void => attempt.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await session.listen(
      { resourceSubscriptions: [uri] },
      // The middleware passes the updates on.
      { onChange: () => {}, signal: attempt.signal, timeoutMs },
    );
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function withLevel(params: object | undefined, level: unknown): object | undefined {
  return level === undefined
    ? params
    : { ...params, _meta: { ...metaOf(params), [MetaKey.logLevel]: level } };
}

function callOptions({ signal, timeoutMs, totalTimeoutMs, onRelated }: CallOptions): object {
  return {
    signal,
    timeoutMs,
    totalTimeoutMs,
    // With this option the request has a progress token.
    ...(onRelated === undefined
      ? {}
      : {
          onProgress: (params: object) =>
            onRelated({ jsonrpc: "2.0", method: "notifications/progress", params }),
        }),
  };
}
