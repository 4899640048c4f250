/**
 * The modern era for official servers: a Tenon server whose methods are handled by the handlers of
 * the official server. Loaded with the first modern request.
 *
 * @packageDocumentation
 */

import { AsyncLocalStorage } from "node:async_hooks";

import { isLocalError, RpcError, type Scope } from "@tenon/jsonrpc2/core";
import { defineMethod, defineNotification, isMcpError, Server, type ServerRequest } from "@tenon/mcp/server";
import { eraOf, findMethod, revisions } from "@tenon/protocol";
import type { RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import { ErrorCode } from "mcp-sdk-1/types.js";

import { toRpcError } from "../shared/errors.ts";
import type { Named, OfficialHandler, RawRequest, Schema } from "../shared/internals.ts";
import { ownMeta } from "../shared/own-meta.ts";
import { undeclared, undeclaredIn } from "./capabilities.ts";
import type { ServerInternals } from "./engine.ts";
import { forget, resume, runOf, start, within, type Run } from "./runs.ts";

export { ask, runOf } from "./runs.ts";

/** A request over HTTP. */
export interface Serving {
  readonly official: ServerInternals;
  /** The method that the header names. */
  readonly method: string | undefined;
  /** The address of the request, as the official transport knows it. */
  readonly url: URL | undefined;
}

/** The request over HTTP that is handled. */
export const serving: AsyncLocalStorage<Serving> = new AsyncLocalStorage();

const servers = new WeakMap<ServerInternals, Server>();
/** Methods that official servers do not have. */
const own: ReadonlySet<string> = new Set(["server/discover", "subscriptions/listen"]);

/** How many methods a server may handle that only its fallback handler takes. */
const maxCustom = 1000;

/** The Tenon server of an official one, prepared for a method. */
export function tenonServerOf(official: ServerInternals, method: string | undefined): Server {
  let server = servers.get(official);
  if (server === undefined) {
    server = createServer(official);
    servers.set(official, server);
  }
  if (method !== undefined && findMethod(method) === undefined) {
    answerCustom(official, server, method);
  }
  return server;
}

/** Programs may handle any method, and all of the others by `fallbackRequestHandler`. */
function answerCustom(official: ServerInternals, server: Server, method: string): void {
  const known = customs.get(server) ?? new Map<string, boolean>();
  customs.set(server, known);
  // The program bounds the number of its own methods, and clients choose the others.
  const isOwn = official._requestHandlers.has(method);
  const hasRoom = isOwn || [...known.values()].filter((own) => !own).length < maxCustom;
  const isHandled = isOwn || official.fallbackRequestHandler !== undefined;
  if (isHandled && isName(method) && !known.has(method) && hasRoom) {
    known.set(method, isOwn);
    // The middleware handles it.
    server.addMethod(defineMethod({ method, eras: ["modern"] }), () => ({}));
  }
}

/** The methods that were added, and whether the program names them. */
const customs = new WeakMap<Server, Map<string, boolean>>();

/** Whether Tenon takes the name of a method. */
function isName(method: string): boolean {
  return method.length > 0 && method.length <= 256 && !method.startsWith("rpc.");
}

function createServer(official: ServerInternals): Server {
  const declared = official._capabilities;
  const list = (name: string): false | { listChanged: boolean } => {
    const value = declared[name] as { readonly listChanged?: unknown } | undefined;
    return value === undefined ? false : { listChanged: value.listChanged === true };
  };
  const resources = list("resources");
  const server = new Server(official._serverInfo, {
    instructions: official._instructions,
    revisions: revisions.filter((revision) => eraOf(revision) === "modern"),
    capabilities: {
      tools: list("tools"),
      prompts: list("prompts"),
      resources: resources && {
        ...resources,
        subscribe: (declared["resources"] as { readonly subscribe?: unknown }).subscribe === true,
      },
      completions: declared["completions"] !== undefined,
    },
    logging: declared["logging"] !== undefined,
    // The official package does not report deviations that it tolerates.
    onError: (error) => (isMcpError(error, "TOLERATED") ? undefined : official._onerror(error as Error)),
  });
  server.addReceivingMiddleware((next) => (request) => {
    if (request.method === "server/discover") {
      return declareAll(official, next(request));
    }
    return own.has(request.method) || request.id === undefined ? next(request) : answer(official, request);
  });
  return server;
}

/**
 * Capabilities that Tenon does not know are declared as the program wrote them. From `tasks`, which
 * does not exist in the modern era, clients of this package see that they need an older version.
 */
async function declareAll({ _capabilities: declared }: ServerInternals, result: unknown): Promise<unknown> {
  const { capabilities, ...rest } = (await result) as { readonly capabilities: object };
  return { ...rest, capabilities: { ...declared, ...capabilities } };
}

async function answer(official: ServerInternals, request: ServerRequest): Promise<unknown> {
  const { method } = request;
  const resumed = resume(request);
  if (resumed !== undefined) {
    return resumed;
  }
  const handler = official._requestHandlers.get(method) ?? official.fallbackRequestHandler;
  if (handler === undefined) {
    throw new RpcError(ErrorCode.MethodNotFound, "Method not found");
  }
  return start(official, request, (run) => handle(official, run, handler));
}

async function handle(official: ServerInternals, run: Run, handler: OfficialHandler): Promise<unknown> {
  const { request } = run;
  const { id, method, auth, http } = request;
  const { inputResponses: _, requestState: __, _meta, ...params } = request.params;
  const meta = ownMeta(_meta as object | undefined);
  const message: RawRequest = {
    jsonrpc: "2.0",
    id: id as RawRequest["id"],
    method,
    params: Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params,
  };
  const extra = {
    signal: run.signal,
    sessionId: undefined,
    _meta: meta,
    requestId: id,
    authInfo: auth?.claims?.["official"],
    requestInfo: http && { headers: Object.fromEntries(http.headers), url: serving.getStore()?.url },
    // The client knows no tasks, but the official package makes one for a tool that can have them,
    // and waits for its end.
    taskStore: official._taskStore === undefined ? undefined : official.requestTaskStore(message, undefined),
    // Of this run, wherever the program calls them from.
    sendNotification: (notification: Named) => within(run, () => official.notification(notification)),
    sendRequest: (wanted: Named, schema: Schema, options?: RequestOptions) =>
      within(run, () => official.request(wanted, schema, options)),
  };
  let result: unknown;
  try {
    result = await handler(message, extra);
  } catch (error) {
    throw undeclared(Object(error)["message"]) ?? toRpcError(error);
  }
  const refused = undeclaredIn(result);
  if (refused !== undefined) {
    throw refused;
  }
  return result;
}

/** Sends a notification to modern clients; `undefined` if legacy clients get it, too. */
export function notify(official: ServerInternals, { method, params }: Named): Promise<void> | undefined {
  const run = runOf(official);
  if (run !== undefined && method === "notifications/message") {
    official.assertNotificationCapability(method);
    const { level, data, logger } = params as { level: "info"; data: unknown; logger?: string };
    return unlessOver(run.request.log(level, data, logger));
  }
  if (run !== undefined && method === "notifications/progress") {
    return unlessOver(run.request.notify(method, params as never));
  }
  if (run !== undefined && findMethod(method) === undefined) {
    return unlessOver(run.request.notify(defineNotification({ method }), params ?? {}));
  }
  const server = servers.get(official);
  if (method === "notifications/resources/updated") {
    server?.resourceUpdated(String(params?.["uri"]));
  } else {
    server?.announce({ method, origin: "official" });
  }
  return undefined;
}

/**
 * A run that is parked or has ended has no request to send notifications with. They are dropped, as
 * programs do not expect rejections: the official package drops them, too.
 */
async function unlessOver(sent: Promise<void>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!isLocalError(error, "CONNECTION_CLOSED")) {
      throw error;
    }
  }
}

/** Called when the connection of a server has ended: its input requests get no response. */
export function ended(official: ServerInternals): void {
  forget(official);
}

/** Handles a modern request that came on the connection of a server. */
export function serve(official: ServerInternals, scope: Scope): Promise<unknown> {
  const { id, method, params } = scope;
  if (id === undefined) {
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const message = {
      jsonrpc: "2.0" as const,
      id,
      method,
      ...(params === undefined ? {} : { params }),
    };
    const handling = tenonServerOf(official, method).handle(message, {
      extra: scope.extra,
      notify: (notification) => scope.notify(notification.method, notification.params),
      answer: (response) => {
        if ("error" in response) {
          const { code, message: text, data } = response.error;
          reject(new RpcError(code, text, { data }));
        } else {
          resolve(response.result);
        }
      },
    });
    scope.signal.addEventListener("abort", () => {
      handling.cancel(scope.signal.reason);
      resolve(undefined);
    });
    if (method === "subscriptions/listen") {
      scope.park(() => void handling.close());
    }
  });
}
