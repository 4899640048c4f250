import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { isRecord } from "@tenon/jsonrpc2/transport";
import { Server, type ServerRequest } from "@tenon/mcp/server";

import { messageOf } from "../output/escape.ts";
import { everyTool, isOffered, type ProxySource, type ToolFilter } from "./source.ts";
import { createWatching } from "./watching.ts";

type Serve = (request: ServerRequest) => Promise<object>;

/** Options of {@link proxyServer}. */
export interface ProxyOptions {
  /** The tools that are offered. By default all tools are offered. */
  readonly filter?: ToolFilter | undefined;
  /** Called if a resource cannot be watched. */
  readonly onError: (error: unknown) => void;
}

/** A server that forwards every request to a source. It speaks every protocol version. */
export function proxyServer(source: ProxySource, { filter = everyTool, onError }: ProxyOptions): Server {
  const { capabilities, info, instructions, watch } = source;
  const watching =
    watch &&
    createWatching(
      (uri, signal) => (source.watch ?? watch)(uri, signal),
      () => server,
      onError,
    );
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
    onRootsListChanged: () => source.rootsChanged(),
    ...(watching === undefined ? {} : { onSubscribe: watching.start, onUnsubscribe: watching.stop }),
  });
  source.onListChange?.((change) => server.announce(change));
  const methods = methodsOf(source, filter);
  server.addReceivingMiddleware((next) => (request) => {
    const serve = methods.get(request.method);
    if (serve !== undefined) {
      return forwarded(serve, request);
    }
    return watching !== undefined && request.method === "subscriptions/listen"
      ? watching.during(urisIn(request.params["notifications"]), async () => next(request))
      : next(request);
  });
  return server;
}

/** The resources that a client subscribes to with a stream. */
function urisIn(filter: unknown): readonly string[] {
  const uris = isRecord(filter) ? filter["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? [...new Set(uris)].filter((uri) => typeof uri === "string") : [];
}

function methodsOf(source: ProxySource, filter: ToolFilter): ReadonlyMap<string, Serve> {
  const offered = async (signal: AbortSignal): Promise<readonly { readonly name: string }[]> =>
    (await source.tools(signal)).filter((tool) => isOffered(filter, tool));
  const isFiltered = filter.readOnly || filter.allow.length > 0;
  return new Map<string, Serve>([
    ["tools/list", async ({ signal }) => ({ tools: await offered(signal) })],
    ["prompts/list", async ({ signal }) => ({ prompts: await source.prompts(signal) })],
    ["resources/list", async ({ signal }) => ({ resources: await source.resources(signal) })],
    [
      "resources/templates/list",
      async ({ signal }) => ({ resourceTemplates: await source.resourceTemplates(signal) }),
    ],
    [
      "tools/call",
      async (request) => {
        const { name, arguments: args } = request.params;
        if (isFiltered && !(await offered(request.signal)).some((tool) => tool.name === name)) {
          throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${String(name)}`);
        }
        return source.callTool(String(name), isRecord(args) ? args : {}, request);
      },
    ],
    [
      "prompts/get",
      (request) => {
        const { name, arguments: args } = request.params;
        return source.getPrompt(
          String(name),
          (isRecord(args) ? args : {}) as Record<string, string>,
          request,
        );
      },
    ],
    ["resources/read", (request) => source.readResource(String(request.params["uri"]), request)],
    ["completion/complete", (request) => source.complete(request.params, request)],
  ]);
}

/** An error of the server behind the proxy reaches the client with its own code and message. */
async function forwarded(serve: Serve, request: ServerRequest): Promise<object> {
  try {
    return await serve(request);
  } catch (error) {
    if (isRpcError(error) || request.signal.aborted || isSuspension(error)) {
      throw error;
    }
    throw new RpcError(ErrorCode.InternalError, messageOf(error), { cause: error });
  }
}

/** Input requests of 2026-07-28 end the run by an exception that is not an error. */
function isSuspension(error: unknown): boolean {
  return !(error instanceof Error);
}
