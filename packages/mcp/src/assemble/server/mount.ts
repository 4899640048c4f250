import type { Scope } from "@tenon/jsonrpc2";
import type { Implementation, Revision, ServerCapabilities } from "@tenon/protocol";

import { asking } from "../../feature/interaction/server/ask.ts";
import type { ServerRequest } from "../../request/server/request.ts";
import { rulesOf } from "../../revisions/index.ts";
import { admit } from "../../session/server/admission.ts";
import type { ServerDefinition } from "../../session/server/definition.ts";
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
   * cancellation are those of the client of the outer server; the state between rounds of input is
   * encrypted by the outer server. Only return what the outer server's middleware may return.
   *
   * @param method - A method of the protocol. Default: the method of the request.
   * @param params - Default: the params of the request.
   * @returns The result, or a promise of it if something was asynchronous.
   * @throws `RpcError`, the error response that a client would receive.
   */
  answer(request: ServerRequest, method?: string, params?: Readonly<Record<string, unknown>>): unknown;
  /** Calls `listener` after each change, even if no client has subscribed. @returns Ends it. */
  onChange(listener: (change: MountedChange) => void): () => void;
}

/**
 * Mounts a server in another server of this process: the outer server's middleware passes requests
 * on, without serialization and without a session. Middleware, validation, time limits and handlers
 * of the inner server run as for its own clients. Its hooks for subscriptions and its extensions'
 * methods are not called.
 *
 * @param inner - May be mounted in several servers, and have clients of its own.
 */
export function mountServer(inner: Server, outer: Server): MountedServer {
  const { definition, load, publisher } = partsOf(inner);
  const outerParts = partsOf(outer);
  // The state of a round is sealed and opened by the server that the client talks to.
  const service = outerParts.definition.interactions;
  const mounted: ServerDefinition = { ...definition, interactions: service };
  const listeners = listenersOf(publisher);
  // Asking all features costs more than a call. What is added later announces itself.
  let isLoaded = false;
  listeners.add(() => {
    isLoaded = false;
  });

  function run(request: LiveServerRequest): unknown {
    const { middleware } = definition;
    const isAsked = request.rules.methods[request.method]?.inputRequired === true;
    if (!isAsked || request.rules.inputs === "requests" || request.interaction !== undefined) {
      return middleware.receive(request);
    }
    return asking.use(({ createInteraction }) => {
      // Otherwise the inner server would make it, with its own keys.
      request.interaction = createInteraction(request.original, service);
      return middleware.receive(request);
    });
  }

  function timed(request: LiveServerRequest): unknown {
    const { limits, tools } = definition;
    const isTool = tools.isTimed && request.method === "tools/call";
    const ofTool = isTool ? tools.timeoutOf(request.params["name"]) : undefined;
    const timeoutMs = ofTool ?? limits.handlerTimeoutMs;
    const name = ofTool === undefined ? "handlerTimeoutMs" : "timeoutMs of the tool";
    return timeoutMs < Infinity
      ? timing.use(({ withinTime }) => withinTime(request, timeoutMs, name, () => run(request)))
      : run(request);
  }

  function serve(request: LiveServerRequest): unknown {
    admit(mounted, request);
    return request.method.startsWith("resources/")
      ? knowing.use(({ withKnownUris }) => withKnownUris(mounted, request, (_, known) => timed(known)))
      : timed(request);
  }

  return {
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
        mounted,
        outside.session,
        scopeOf(outside, method, params),
        outside.rules,
        outside.client,
        params,
        outside.original,
      );
      const loading = isLoaded ? undefined : load();
      isLoaded ||= loading === undefined;
      return loading === undefined ? serve(own) : loading.then(() => serve(own));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
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

/** Returns the facts of the transport about the request, as the inner server receives them. */
function scopeOf(request: LiveServerRequest, method: string, params: object): Scope {
  return {
    id: request.id,
    method,
    params,
    get extra() {
      return { http: request.http, auth: request.auth };
    },
    get signal() {
      return request.signal;
    },
    call: (asked, given, options) => request.call(asked as "ping", given as never, options),
    notify: (told, given = {}) => request.notify(told, given),
    park: (end) => request.park(end),
  };
}

type Listeners = Set<(change: MountedChange) => void>;

const listening = /* @__PURE__ */ new WeakMap<object, Listeners>();

/**
 * The listeners of a publisher. They are attached to the publisher of a mounted server, so that
 * servers that are not mounted have no code for it.
 */
function listenersOf(publisher: ServerParts["publisher"]): Listeners {
  const known = listening.get(publisher);
  if (known !== undefined) {
    return known;
  }
  const listeners: Listeners = new Set();
  listening.set(publisher, listeners);
  const tell = (change: MountedChange): void => listeners.forEach((listener) => listener(change));
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
  return listeners;
}

/** A change that names no method concerns all lists. */
function everything(): readonly MountedChange[] {
  return ["tools", "prompts", "resources"].map((list) => ({ method: `notifications/${list}/list_changed` }));
}
