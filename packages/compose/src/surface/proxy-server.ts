import { isRecord } from "@tenon/base";
import { taskMethods, type CallRelay, type ListKind } from "@tenon/host";
import {
  Server,
  type ChangeOptions,
  type ServerRequest,
  type ServerSession,
  type StateKeys,
} from "@tenon/mcp/server";
import { eraOf, type Tool } from "@tenon/protocol";

import { skillMethods } from "../source/connected-skills.ts";
import { freshMsOf } from "../source/freshness.ts";
import { isTask } from "../source/source-tasks.ts";
import type { Audience, ProxySource } from "../source/source.ts";
import { failureFor, wholeError } from "./failures.ts";
import { createListsForRevisions, resultFor } from "./for-revision.ts";
import { offerSkills } from "./offer-skills.ts";
import { offerTasks, type OfferedTasks } from "./offer-tasks.ts";
import { offeringSource } from "./offering-source.ts";
import { createPages } from "./pages.ts";
import { createWatching } from "./watching.ts";

type Serve = (request: ServerRequest) => unknown;

/** Options of {@link proxyServer}. */
export interface ProxyOptions {
  /** Passes calls on to the source. */
  readonly relay: CallRelay;
  /** Whether a tool is offered. By default all tools are offered. */
  readonly offers?: ((tool: Tool) => boolean) | undefined;
  /** Maximum number of items of one page of a list. Default: `1_000`. */
  readonly pageSize?: number | undefined;
  /** The secrets for state and for the ids of tasks: see `InteractionOptions`. */
  readonly stateKeys?: StateKeys | undefined;
  /**
   * Called if a resource cannot be watched, a source cannot be listened to, or a request got no
   * response. The caller of the request does not get the message of the cause.
   */
  readonly onError: (error: unknown) => void;
}

/** Each proxy of a chain encrypts the state of the next proxy, which makes it larger. */
const maxStateBytes = 262_144;
/** The client limits the rounds. */
const maxRounds = 1000;
/** Further methods whose handlers use the source. */
const ofSource: ReadonlySet<string> = new Set([
  "subscriptions/listen",
  "tasks/result",
  ...taskMethods.keys(),
  ...skillMethods.keys(),
]);

/** A server that forwards every request to a source. It speaks every protocol version. */
export function proxyServer(source: ProxySource, options: ProxyOptions): Server {
  const { relay } = options;
  const onError = (error: unknown): void => options.onError(wholeError(error));
  const { capabilities, info, instructions, watch } = source;
  const toAudience = (audience: Audience): ChangeOptions =>
    audience === undefined
      ? {}
      : { to: (receiver) => relay.callerOfReceiver(receiver)?.key === audience.key };
  const watching =
    watch &&
    createWatching({
      watch: (uri, caller, signal) => (source.watch ?? watch)(uri, caller, signal),
      audienceOf: (caller) => source.audienceOf(caller),
      onUpdate: (uri, audience) => server.resourceUpdated(uri, toAudience(audience)),
      onSession: (session) => relay.beginUse(session),
      onError,
    });
  const lists = { listChanged: source.onListChange !== undefined };
  const { title } = info;
  const server: Server = new Server(
    { name: info.name, version: info.version, ...(title === undefined ? {} : { title }) },
    {
      capabilities: {
        ...(capabilities.tools === undefined ? {} : { tools: lists }),
        ...(capabilities.prompts === undefined ? {} : { prompts: lists }),
        ...(capabilities.resources === undefined
          ? {}
          : { resources: { ...lists, subscribe: watching !== undefined } }),
        ...(capabilities.completions === undefined ? {} : { completions: true }),
      },
      ...(instructions === undefined ? {} : { instructions }),
      ...(capabilities.logging === undefined ? {} : { logging: true }),
      ...(options.stateKeys === undefined ? {} : { interaction: { stateKeys: options.stateKeys } }),
      limits: { maxStateBytes, maxRounds },
      onRootsListChanged: (session) => source.rootsChanged(session),
      ...(watching === undefined
        ? {}
        : {
            async onSubscribe(uri, session) {
              const isNew = watching.start(uri, relay.callerOfSession(session), session);
              try {
                await source.subscribed?.(uri, session, true);
              } catch (error) {
                if (isNew) {
                  watching.stop(uri, session);
                }
                throw error;
              }
            },
            async onUnsubscribe(uri, session) {
              watching.stop(uri, session);
              await source.subscribed?.(uri, session, false);
            },
          }),
    },
  );
  source.onListChange?.((change, audience) => server.announce(change, toAudience(audience)));
  offerSkills(server, source);
  const methods = methodsOf(source, options, offerTasks(server, source, options.stateKeys));
  server.addReceivingMiddleware((next) => (request) => {
    const serve = methods.get(request.method);
    if (serve !== undefined) {
      return forwarded(serve, request);
    }
    if (request.method === "logging/setLevel") {
      return levelSet(request, async () => next(request));
    }
    const isListen = request.method === "subscriptions/listen";
    const handle: Serve = isListen ? (it) => listening(it, async () => next(it)) : next;
    return ofSource.has(request.method) ? forwarded(handle, request) : next(request);
  });
  server.addReceivingMiddleware((next) => (request) => {
    const { session, revision, method } = request;
    if (session === undefined || method === "ping" || eraOf(revision) === "modern") {
      return next(request);
    }
    return using(session, async () => next(request));
  });

  /** Notes a request that may run at a server of this process, and so use no connection. */
  async function using(session: ServerSession, work: () => Promise<unknown>): Promise<unknown> {
    const endUse = relay.beginUse(session);
    try {
      return await work();
    } finally {
      endUse();
    }
  }

  /** The server itself knows what its client wants, and now the source learns it. */
  async function levelSet(
    { session, params: { level } }: ServerRequest,
    set: () => Promise<unknown>,
  ): Promise<unknown> {
    const result = await set();
    if (session !== undefined) {
      relay.setLogLevel(session, level);
      source.logLevelChanged?.(session, level);
    }
    return result;
  }

  /** Runs a listen, with the connections that its changes come from. */
  async function listening(request: ServerRequest, work: () => Promise<unknown>): Promise<unknown> {
    const caller = relay.callerOf(request);
    // A source that does not connect must not delay the changes of other servers.
    const kept = source.keep(caller, request.signal).catch((error: unknown) => {
      if (!request.signal.aborted) {
        onError(error);
      }
      return () => {};
    });
    try {
      const uris = urisIn(request.params["notifications"]);
      return await (watching === undefined ? work() : watching.during(uris, caller, work));
    } finally {
      void kept.then((release) => release());
    }
  }

  /** An error of the server behind reaches the client with its own code and message. */
  function forwarded(serve: Serve, request: ServerRequest): unknown {
    try {
      const result = serve(request);
      return result instanceof Promise ? result.catch((error: unknown) => failed(request, error)) : result;
    } catch (error) {
      return failed(request, error);
    }
  }

  function failed({ signal }: ServerRequest, error: unknown): never {
    throw signal.aborted ? error : failureFor(error, { onError });
  }
  return server;
}

/** The resources that a client subscribes to with a stream. */
function urisIn(filter: unknown): readonly string[] {
  const uris = isRecord(filter) ? filter["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? [...new Set(uris)].filter((uri) => typeof uri === "string") : [];
}

function methodsOf(
  all: ProxySource,
  { offers, pageSize }: ProxyOptions,
  tasks: OfferedTasks | undefined,
): ReadonlyMap<string, Serve> {
  const source = offers === undefined ? all : offeringSource(all, offers);
  const pages = createPages(pageSize);
  const lists = createListsForRevisions();
  const list =
    (kind: ListKind): Serve =>
    async (request) => {
      const items = await source.list(kind, request);
      const page = pages.page(kind, lists.list(kind, items, request.revision), request.params["cursor"]);
      const ttlMs = freshMsOf([items]);
      // Middleware may filter the list, so that it is not the same for everyone.
      return ttlMs > 0 && eraOf(request.revision) === "modern"
        ? { ...page, ttlMs, cacheScope: "private" }
        : page;
    };
  const forward: Serve = (request) => {
    const result = source.forward(request);
    return result instanceof Promise
      ? result.then((value: unknown) => answered(request, value))
      : answered(request, result);
  };
  const answered = (request: ServerRequest, result: unknown): unknown =>
    tasks !== undefined && isTask(result) ? tasks.sealed(request, result) : resultFor(request, result);
  return new Map<string, Serve>([
    ["tools/list", list("tools")],
    ["prompts/list", list("prompts")],
    ["resources/list", list("resources")],
    ["resources/templates/list", list("resourceTemplates")],
    ["tools/call", forward],
    ["prompts/get", forward],
    ["resources/read", forward],
    ["completion/complete", async (request) => resultFor(request, await source.complete(request))],
  ]);
}
