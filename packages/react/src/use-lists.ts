import type { ClientSession, ListOptions } from "@tenon/mcp/client";
import type { Prompt, Resource, ResourceTemplate, Tool } from "@tenon/protocol";

import { useQuery, type Loaded } from "./query.ts";
import type { ListName, ServerConnection } from "./server-store.ts";

/**
 * Returns the tools of a server, and reads them again when the server notifies that they have
 * changed. A server without tools has an empty list.
 */
export function useTools(server: ServerConnection): Loaded<readonly Tool[]> {
  return useList(server, "tools", "tools/list", (session, options) => session.tools(options));
}

/** Returns the prompts of a server, as {@link useTools} returns its tools. */
export function usePrompts(server: ServerConnection): Loaded<readonly Prompt[]> {
  return useList(server, "prompts", "prompts/list", (session, options) => session.prompts(options));
}

/** Returns the resources of a server, as {@link useTools} returns its tools. */
export function useResources(server: ServerConnection): Loaded<readonly Resource[]> {
  return useList(server, "resources", "resources/list", (session, options) => session.resources(options));
}

/** Returns the resource templates of a server, as {@link useTools} returns its tools. */
export function useResourceTemplates(server: ServerConnection): Loaded<readonly ResourceTemplate[]> {
  return useList(server, "resources", "resources/templates/list", (session, options) =>
    session.resourceTemplates(options),
  );
}

/** @param read - Depends on `method` only. */
function useList<T>(
  server: ServerConnection,
  name: ListName,
  method: string,
  read: (session: ClientSession, options: ListOptions) => AsyncIterable<T>,
): Loaded<readonly T[]> {
  return useQuery(
    server,
    (session) => ({
      async load(signal, fresh) {
        const items: T[] = [];
        if (session.offers(method)) {
          for await (const item of read(session, { signal, fresh })) {
            items.push(item);
          }
        }
        return items;
      },
      follow: (changed, signal) =>
        new Promise((resolve) => {
          const stop = server.onListChanged(name, changed);
          signal.addEventListener("abort", () => {
            stop();
            resolve();
          });
        }),
    }),
    [name, method],
  );
}
