import { isHostError, type Manager } from "@tenon/host";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { isRecord } from "@tenon/jsonrpc2/transport";
import type { ServerRequest } from "@tenon/mcp/server";

import type { Forwarding } from "./forwarding.ts";
import { notifyOfRoots } from "./session-source.ts";
import type { ProxySource } from "./source.ts";

const noCompletion = { completion: { values: [] } };

/**
 * Many servers behind a proxy. Tools and prompts get the name of their server.
 *
 * @param forwardings - By the name of the server: a server gets the responses to its own input
 *   requests.
 */
export function managerSource(
  manager: Manager,
  version: string,
  forwardings: ReadonlyMap<string, Forwarding>,
): ProxySource {
  const prefixed = (server: string, name: string): string => manager.qualifiedToolName(server, name);
  const during = <T>(server: string, request: ServerRequest, work: () => Promise<T>): Promise<T> =>
    (forwardings.get(server)?.during(request, work) ?? work()).catch(rethrow);
  const promptAt = async (name: unknown): Promise<{ server: string; prompt: { name: string } } | undefined> =>
    (await manager.prompts()).find(({ server, prompt }) => prefixed(server, prompt.name) === name);
  const serverOf = async (uri: string): Promise<string | undefined> =>
    (await manager.resources()).find(({ resource }) => resource.uri === uri)?.server;

  return {
    info: { name: "tenon-proxy", version },
    instructions: undefined,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    tools: async () => (await manager.tools()).map(({ name, tool }) => ({ ...tool, name })),
    prompts: async () =>
      (await manager.prompts()).map(({ server, prompt }) => ({
        ...prompt,
        name: prefixed(server, prompt.name),
      })),
    resources: async () => (await manager.resources()).map(({ resource }) => resource),
    resourceTemplates: async () =>
      (await manager.resourceTemplates()).map(({ resourceTemplate }) => resourceTemplate),
    async callTool(name, args, request) {
      const found = (await manager.tools()).find((each) => each.name === name);
      if (found === undefined) {
        throw new RpcError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
      }
      const { signal, progress } = request;
      return during(found.server, request, () =>
        manager.callTool(found.server, found.tool.name, args, {
          signal,
          onProgress: ({ progress: done, total, message }) => void progress(done, total, message),
        }),
      );
    },
    async getPrompt(name, args, request) {
      const found = await promptAt(name);
      if (found === undefined) {
        throw new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`);
      }
      const { signal } = request;
      return during(found.server, request, () =>
        manager.getPrompt(found.server, found.prompt.name, args, { signal }),
      );
    },
    async readResource(uri, request) {
      const { signal } = request;
      const found = await serverOf(uri);
      let failure: unknown;
      // The address of a template does not name its server.
      for (const server of found === undefined ? manager.names() : [found]) {
        try {
          return await during(server, request, () => manager.readResource(server, uri, { signal }));
        } catch (error) {
          failure = error;
          signal.throwIfAborted();
        }
      }
      throw failure;
    },
    async complete(params, { signal }) {
      const reference = isRecord(params["ref"]) ? params["ref"] : {};
      const found = await promptAt(reference["name"]);
      const template = (await manager.resourceTemplates()).find(
        ({ resourceTemplate }) => resourceTemplate.uriTemplate === reference["uri"],
      );
      const session = manager.get(found?.server ?? template?.server ?? "");
      const ref = found === undefined ? reference : { ...reference, name: found.prompt.name };
      // A server without completions has nothing to offer.
      return session?.offers("completion/complete") === true
        ? session.complete({ ...params, ref } as never, { signal })
        : noCompletion;
    },
    async *watch(uri, signal) {
      const server = await serverOf(uri);
      // Only listed resources name their server.
      const servers = server === undefined ? manager.names() : [server];
      const [watched = servers[0]] = servers.filter(
        (name) => manager.get(name)?.serverCapabilities.resources?.subscribe === true,
      );
      if (watched !== undefined) {
        yield* manager.watchResource(watched, uri, { signal });
      }
    },
    rootsChanged() {
      const sessions = manager.names().map((name) => manager.get(name));
      sessions.forEach((session) => void (session && notifyOfRoots(session)));
    },
    onListChange(listener) {
      manager.on("list_changed", ({ server, list }) => {
        // Templates have no notification of their own.
        const name = list === "resourceTemplates" ? "resources" : list;
        listener({ method: `notifications/${name}/list_changed`, origin: `${server} behind the proxy` });
      });
    },
    [Symbol.asyncDispose]: () => manager.close(),
  };
}

/** The manager wraps what a server responded, and what suspends a request for input. */
function rethrow(error: unknown): never {
  let each: unknown = error;
  for (let depth = 0; isHostError(each) && depth < 8; depth++) {
    each = each.cause;
  }
  throw isRpcError(each) || (each !== undefined && !(each instanceof Error)) ? each : error;
}
