import type { ClientSession, RequestOptions } from "@tenon/mcp/client";
import type { ServerRequest } from "@tenon/mcp/server";

import { fetchLists, type ListName } from "../session/definitions.ts";
import type { Forwarding } from "./forwarding.ts";
import type { ProxySource } from "./source.ts";

/** One server behind a proxy. Names and addresses are unchanged. */
export function sessionSource(session: ClientSession, forwarding: Forwarding): ProxySource {
  const optionsOf = ({ signal, progress }: ServerRequest): RequestOptions => ({
    signal,
    onProgress: ({ progress: done, total, message }) => void progress(done, total, message),
  });
  const list = async (name: ListName, signal: AbortSignal): Promise<readonly never[]> =>
    ((await fetchLists(session, [name], signal))[name] ?? []) as readonly never[];
  const { name = "unknown", version = "0.0.0", title } = session.serverInfo ?? {};
  return {
    info: { name, version, ...(title === undefined ? {} : { title }) },
    instructions: session.instructions,
    capabilities: session.serverCapabilities,
    tools: (signal) => list("tools", signal),
    prompts: (signal) => list("prompts", signal),
    resources: (signal) => list("resources", signal),
    resourceTemplates: (signal) => list("resourceTemplates", signal),
    callTool: (tool, args, request) =>
      forwarding.during(request, () => session.callTool({ name: tool, arguments: args }, optionsOf(request))),
    getPrompt: (prompt, args, request) =>
      forwarding.during(request, () =>
        session.getPrompt({ name: prompt, arguments: args }, optionsOf(request)),
      ),
    readResource: (uri, request) =>
      forwarding.during(request, () => session.readResource({ uri }, optionsOf(request))),
    complete: (params, request) => session.complete(params as never, { signal: request.signal }),
    ...(session.serverCapabilities.resources?.subscribe === true
      ? { watch: (uri: string, signal: AbortSignal) => session.watch(uri, { signal }) }
      : {}),
    rootsChanged: () => void notifyOfRoots(session),
    onListChange: forwarding.onListChange,
    [Symbol.asyncDispose]: () => session.close(),
  };
}

/** Notifies a server that the roots have changed. Modern servers request them every time. */
export async function notifyOfRoots(session: ClientSession): Promise<void> {
  if (session.era === "legacy") {
    // The server may have disconnected.
    await session.notify("notifications/roots/list_changed").catch(() => {});
  }
}
