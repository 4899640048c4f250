import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2";
import { isRecord } from "@tenon/jsonrpc2/transport";
import { Server, type ServerRequest } from "@tenon/mcp/server";

import { messageOf } from "../output/escape.ts";
import { isOffered, type ProxySource, type ToolFilter } from "./source.ts";

type Serve = (request: ServerRequest) => Promise<object>;

/** A server that forwards every request to a source. It speaks every protocol version. */
export function proxyServer(source: ProxySource, filter: ToolFilter): Server {
  const { capabilities, info, instructions } = source;
  const server = new Server(info, {
    capabilities: {
      ...(capabilities.tools === undefined ? {} : { tools: true }),
      ...(capabilities.prompts === undefined ? {} : { prompts: true }),
      ...(capabilities.resources === undefined ? {} : { resources: true }),
      ...(capabilities.completions === undefined ? {} : { completions: true }),
    },
    ...(instructions === undefined ? {} : { instructions }),
  });
  const methods = methodsOf(source, filter);
  server.addReceivingMiddleware((next) => (request) => {
    const serve = methods.get(request.method);
    return serve === undefined ? next(request) : forwarded(serve, request);
  });
  return server;
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
