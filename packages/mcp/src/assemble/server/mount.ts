import { takeLateFailure } from "@tenon/base";
import { ErrorCode, isRpcError, type CallOptions, type Scope } from "@tenon/jsonrpc2/core";
import type { Implementation, Revision, ServerCapabilities } from "@tenon/protocol";

import type { RegisteredMessage } from "../../feature/extensions/registry.ts";
import type { InnerServerRequest, ServerRequest } from "../../request/server/request.ts";
import type { ServerSession } from "../../request/server/session.ts";
import { rulesOf } from "../../revisions/index.ts";
import { admit } from "../../session/server/admission.ts";
import { LiveServerRequest } from "../../session/server/request.ts";
import { knowing, timing } from "../../session/server/serve.ts";
import { install } from "../extension.ts";
import type { Server } from "../server.ts";
import type { ServerParts } from "./assemble.ts";

/** A change of a list or a resource of a mounted server. */
export interface MountedChange {
  /** The method of the notification, such as `notifications/tools/list_changed`. */
  readonly method: string;
  /** The resource that has changed. Absent for lists. */
  readonly uri?: string | undefined;
}

/** A server whose requests another server of this process receives: see {@link mountServer}. */
export interface MountedServer {
  /** Name and version of the server. */
  readonly info: Implementation;
  /** Advice for the model on using the server. */
  readonly instructions: string | undefined;
  /**
   * Whether lists are the same for all requests of a protocol version, because the server has no
   * middleware.
   */
  readonly isBare: boolean;
  /**
   * Returns the capabilities that the server declares to clients of a protocol version. Default:
   * the newest version that the server supports.
   */
  capabilities(revision?: Revision): ServerCapabilities;
  /**
   * Handles a request that the outer server has received. Input, progress, messages and
   * cancellation belong to the client of the outer server. The outer server encrypts the state
   * between rounds of input. Only return what the outer server's middleware may return.
   *
   * @param method - A method of the protocol. Default: the method of the request.
   * @param params - Default: the params of the request.
   * @returns The result, or a promise of it if something was asynchronous.
   * @throws `RpcError`, the error response that a client would receive.
   */
  answer(request: ServerRequest, method?: string, params?: Readonly<Record<string, unknown>>): unknown;
  /**
   * Calls the hook of the server for a legacy client of the outer server that has subscribed to a
   * resource, or that does not watch it any more.
   *
   * @throws The error of the hook.
   */
  subscribed(uri: string, session: ServerSession, isWatched: boolean): Promise<void>;
  /**
   * Declares the extensions of the server on the outer server, and passes their requests on. If
   * several servers have one method, each gets the request in turn, until one accepts the params:
   * only one of them knows a task, for example.
   *
   * @param except - Methods that only the outer server handles. By default, there are none.
   */
  adopt(outer: Server, except?: ReadonlySet<string>): void;
  /**
   * Calls `listener` after each change, even if no client has subscribed. Its errors are passed
   * to `onError` of the server.
   *
   * @returns Ends it.
   */
  onChange(listener: (change: MountedChange) => void): () => void;
}

/**
 * Mounts a server in another server of this process: the outer server's middleware passes requests
 * on, without serialization and without a session. Middleware, validation, time limits and handlers
 * of the inner server run as for its own clients, and the outer server may adopt its extensions.
 *
 * @param inner - May be mounted in several servers, and have clients of its own.
 */
export function mountServer(inner: Server): MountedServer {
  const { definition, options, load, publisher } = partsOf(inner);
  const changes = changesOf(publisher, definition.onError);
  // Asking all features costs more than a call, and later additions are announced.
  let loadedAt = -1;

  const handle = (request: LiveServerRequest): unknown => definition.middleware.receive(request);

  function timed(request: LiveServerRequest): unknown {
    const { limits, tools } = definition;
    const isTool = tools.isTimed && request.method === "tools/call";
    const ofTool = isTool ? tools.timeoutOf(request.params["name"]) : undefined;
    const timeoutMs = ofTool ?? limits.handlerTimeoutMs;
    const name = ofTool === undefined ? "handlerTimeoutMs" : "timeoutMs of the tool";
    return timeoutMs < Infinity
      ? timing.use(({ withinTime }) => withinTime(request, timeoutMs, name, () => handle(request)))
      : handle(request);
  }

  function serve(request: LiveServerRequest): unknown {
    admit(definition, request);
    return request.method.startsWith("resources/")
      ? knowing.use(({ withKnownUris }) => withKnownUris(definition, request, (_, known) => timed(known)))
      : timed(request);
  }

  const mounted: MountedServer = {
    info: definition.info,
    instructions: definition.instructions,
    get isBare() {
      return definition.middleware.isBare;
    },
    capabilities(revision) {
      const [newest] = [...definition.revisions.modern, ...definition.revisions.legacy];
      const rules = revision === undefined ? newest : rulesOf(revision);
      return rules === undefined ? {} : definition.declaration.capabilities(rules);
    },
    answer(request, method = request.method, params = request.params) {
      const outside = request as LiveServerRequest;
      const own = new LiveServerRequest(
        definition,
        outside.session,
        new MountedScope(outside, method, params),
        outside.rules,
        outside.client,
        params,
        outside.original,
      );
      if (loadedAt !== changes.count) {
        const loading = load();
        if (loading !== undefined) {
          return loading.then(() => serve(own));
        }
        loadedAt = changes.count;
      }
      return serve(own);
    },
    async subscribed(uri, session, isWatched) {
      const hook = isWatched ? options.onSubscribe : options.onUnsubscribe;
      await hook?.(definition.addedUri(uri) ?? uri, session);
    },
    adopt(outer, except) {
      const own = definition.extensions;
      const theirs = partsOf(outer).definition.extensions;
      own.declared.forEach((declared, id) => theirs.declared.has(id) || theirs.declare(id, declared));
      own.resultTypes.forEach((extension, key) => theirs.resultTypes.set(key, extension));
      for (const [method, { definition: message }] of own.messages) {
        if (message.kind === "request" && except?.has(method) !== true) {
          const before = theirs.messages.get(method);
          const handle = async (params: Params, request: ServerRequest): Promise<unknown> =>
            mounted.answer(request, method, params);
          theirs.messages.set(method, { definition: message, handle: inTurn(before?.handle, handle) });
        }
      }
    },
    onChange(listener) {
      changes.listeners.add(listener);
      return () => changes.listeners.delete(listener);
    },
  };
  return mounted;
}

type Params = Readonly<Record<string, unknown>>;
type Handle = RegisteredMessage<InnerServerRequest>["handle"];

/** Handles a message by the second handler if the first refuses its params. */
function inTurn(first: Handle | undefined, second: Handle): Handle {
  return first === undefined
    ? second
    : (params, request) =>
        first(params, request).catch((error: unknown) => {
          if (isRpcError(error) && error.code === ErrorCode.InvalidParams) {
            return second(params, request);
          }
          throw error;
        });
}

/** The parts of a server: only code of this package can take them out. */
function partsOf(server: Server): ServerParts {
  let parts: ServerParts | undefined;
  server.use({
    id: "mount",
    [install]: (_server: unknown, its: ServerParts) => {
      parts = its;
    },
  });
  return parts as unknown as ServerParts;
}

/** The facts of the transport about a request, as the inner server receives them. */
class MountedScope implements Scope {
  readonly method: string;
  readonly params: object;
  readonly #request: LiveServerRequest;

  constructor(request: LiveServerRequest, method: string, params: object) {
    this.#request = request;
    this.method = method;
    this.params = params;
  }

  get id(): Scope["id"] {
    return this.#request.id;
  }

  get extra(): Scope["extra"] {
    const { http, auth } = this.#request;
    return { http, auth };
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  call(method: string, params: object | undefined, options?: CallOptions): Promise<unknown> {
    return this.#request.call(method as "ping", params as never, options);
  }

  notify(method: string, params: object = {}): Promise<void> {
    return this.#request.notify(method, params);
  }

  park(end?: () => void): () => void {
    return this.#request.park(end);
  }
}

/** The changes of a server that is mounted. */
interface Changes {
  readonly listeners: Set<(change: MountedChange) => void>;
  /** How many there were. */
  count: number;
}

const known = /* @__PURE__ */ new WeakMap<object, Changes>();

/**
 * The changes of a publisher, which is made to tell them. Servers that are not mounted have no code
 * for it, and a mount leaves nothing behind on its server.
 */
function changesOf(publisher: ServerParts["publisher"], onError: (error: unknown) => void): Changes {
  const before = known.get(publisher);
  if (before !== undefined) {
    return before;
  }
  const changes: Changes = { listeners: new Set(), count: 0 };
  known.set(publisher, changes);
  const tell = (change: MountedChange): void => {
    changes.count++;
    for (const listener of changes.listeners) {
      try {
        takeLateFailure(listener(change), onError);
      } catch (error) {
        onError(error);
      }
    }
  };
  const { listChanged, resourceUpdated, announce } = publisher;
  Object.assign(publisher, {
    listChanged(method: string) {
      listChanged.call(publisher, method);
      tell({ method });
    },
    resourceUpdated(uri: string, to: Parameters<typeof resourceUpdated>[1]) {
      resourceUpdated.call(publisher, uri, to);
      tell({ method: "notifications/resources/updated", uri });
    },
    announce(change: unknown, to: Parameters<typeof announce>[1]) {
      announce.call(publisher, change, to);
      const { method, uri } = (change ?? {}) as Partial<MountedChange>;
      (typeof method === "string" ? [{ method, uri }] : everything()).forEach(tell);
    },
  });
  return changes;
}

/** A change that names no method concerns all lists. */
function everything(): readonly MountedChange[] {
  return ["tools", "prompts", "resources"].map((list) => ({ method: `notifications/${list}/list_changed` }));
}
