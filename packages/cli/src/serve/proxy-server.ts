import { isRecord } from "@tenon/base";
import type { CallRelay, LaneCaller } from "@tenon/host";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { Server, type ChangeOptions, type ServerRequest } from "@tenon/mcp/server";

import { messageOf } from "../output/escape.ts";
import { everyTool, isOffered, type Audience, type ProxySource, type ToolFilter } from "./source.ts";
import { createWatching } from "./watching.ts";

type Serve = (request: ServerRequest) => Promise<object>;

/** Options of {@link proxyServer}. */
export interface ProxyOptions {
  /** Passes calls on to the source. */
  readonly relay: CallRelay;
  /** The tools that are offered. By default all tools are offered. */
  readonly filter?: ToolFilter | undefined;
  /** Called if a resource cannot be watched. */
  readonly onError: (error: unknown) => void;
}

/** Each proxy of a chain encrypts the state of the next proxy, which makes it larger. */
const maxStateBytes = 262_144;
/** The client limits the rounds. */
const maxRounds = 1000;

/** A server that forwards every request to a source. It speaks every protocol version. */
export function proxyServer(
  source: ProxySource,
  { relay, filter = everyTool, onError }: ProxyOptions,
): Server {
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
      onError,
    });
  const lists = { listChanged: source.onListChange !== undefined };
  const server: Server = new Server(info, {
    capabilities: {
      ...(capabilities.tools === undefined ? {} : { tools: lists }),
      ...(capabilities.prompts === undefined ? {} : { prompts: lists }),
      ...(capabilities.resources === undefined
        ? {}
        : { resources: { ...lists, subscribe: watching !== undefined } }),
      ...(capabilities.completions === undefined ? {} : { completions: true }),
    },
    ...(instructions === undefined ? {} : { instructions }),
    limits: { maxStateBytes, maxRounds },
    onRootsListChanged: (session) => source.rootsChanged(session),
    ...(watching === undefined
      ? {}
      : {
          onSubscribe: (uri, session) => watching.start(uri, relay.callerOfSession(session), session),
          onUnsubscribe: (uri, session) => watching.stop(uri, session),
        }),
  });
  source.onListChange?.((change, audience) => server.announce(change, toAudience(audience)));
  const methods = methodsOf(source, relay, filter);
  server.addReceivingMiddleware((next) => (request) => {
    const serve = methods.get(request.method);
    if (serve !== undefined) {
      return forwarded(serve, request);
    }
    return request.method === "subscriptions/listen"
      ? forwarded(() => listening(request, async () => next(request)), request)
      : next(request);
  });

  /** Runs a listen, with the connections that its changes come from. */
  async function listening(request: ServerRequest, work: () => Promise<unknown>): Promise<object> {
    const caller = relay.callerOf(request);
    const release = await source.keep(caller, request.signal);
    try {
      const uris = urisIn(request.params["notifications"]);
      return (await (watching === undefined ? work() : watching.during(uris, caller, work))) as object;
    } finally {
      release();
    }
  }
  return server;
}

/** The resources that a client subscribes to with a stream. */
function urisIn(filter: unknown): readonly string[] {
  const uris = isRecord(filter) ? filter["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? [...new Set(uris)].filter((uri) => typeof uri === "string") : [];
}

function methodsOf(source: ProxySource, relay: CallRelay, filter: ToolFilter): ReadonlyMap<string, Serve> {
  const seen = <T>(list: (caller: LaneCaller, signal: AbortSignal) => Promise<T>) => {
    return (request: ServerRequest): Promise<T> => list(relay.callerOf(request), request.signal);
  };
  const offered = async (request: ServerRequest): Promise<readonly { readonly name: string }[]> =>
    (await seen(source.tools)(request)).filter((tool) => isOffered(filter, tool));
  const isFiltered = filter.readOnly || filter.allow.length > 0;
  const forward: Serve = (request) => source.forward(request);
  return new Map<string, Serve>([
    ["tools/list", async (request) => ({ tools: await offered(request) })],
    ["prompts/list", async (request) => ({ prompts: await seen(source.prompts)(request) })],
    ["resources/list", async (request) => ({ resources: await seen(source.resources)(request) })],
    [
      "resources/templates/list",
      async (request) => ({ resourceTemplates: await seen(source.resourceTemplates)(request) }),
    ],
    [
      "tools/call",
      async (request) => {
        const { name } = request.params;
        if (isFiltered && !(await offered(request)).some((tool) => tool.name === name)) {
          throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${String(name)}`);
        }
        return source.forward(request);
      },
    ],
    ["prompts/get", forward],
    ["resources/read", forward],
    ["completion/complete", (request) => source.complete(request, relay.callerOf(request))],
  ]);
}

/** An error of the server behind the proxy reaches the client with its own code and message. */
async function forwarded(serve: Serve, request: ServerRequest): Promise<object> {
  try {
    return await serve(request);
  } catch (error) {
    if (isRpcError(error) || request.signal.aborted) {
      throw error;
    }
    throw new RpcError(ErrorCode.InternalError, messageOf(error), { cause: error });
  }
}
