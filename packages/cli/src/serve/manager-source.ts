import type { Manager } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import type { ProxySource } from "./source.ts";

/** Many servers behind a proxy. Tools and prompts get the name of their server. */
export function managerSource(manager: Manager, version: string): ProxySource {
  const prefixed = (server: string, name: string): string => manager.qualifiedToolName(server, name);
  return {
    info: { name: "tenon-proxy", version },
    instructions: undefined,
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    tools: async () => (await manager.tools()).map(({ name, tool }) => ({ ...tool, name })),
    prompts: async () =>
      (await manager.prompts()).map(({ server, prompt }) => ({
        ...prompt,
        name: prefixed(server, prompt.name),
      })),
    resources: async () => (await manager.resources()).map(({ resource }) => resource),
    resourceTemplates: async () =>
      (await manager.resourceTemplates()).map(({ resourceTemplate }) => resourceTemplate),
    callTool: (name, args, { signal }) => manager.callToolByName(name, args, { signal }),
    async getPrompt(name, args, { signal }) {
      const found = (await manager.prompts()).find(
        ({ server, prompt }) => prefixed(server, prompt.name) === name,
      );
      if (found === undefined) {
        throw new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`);
      }
      return manager.getPrompt(found.server, found.prompt.name, args, { signal });
    },
    async readResource(uri, { signal }) {
      const found = (await manager.resources()).find(({ resource }) => resource.uri === uri);
      const servers = found === undefined ? manager.names() : [found.server];
      let failure: unknown;
      for (const server of servers) {
        try {
          return await manager.readResource(server, uri, { signal });
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    complete: () => Promise.resolve({ completion: { values: [] } }),
    [Symbol.asyncDispose]: () => manager.close(),
  };
}
