import type { LaneCaller, ListItems, ListKind } from "@tenon/host";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { mountServer, type Server, type ServerRequest } from "@tenon/mcp/server";

import type { ListListener, ReceivedParams, ProxySource } from "./source.ts";
import { createUpdates } from "./updates.ts";

const methods = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
} as const;

/** Maximum number of pages of one list. */
const maxPages = 10_000;
const methodNotFound = -32_601;
const noCompletion = { completion: { values: [] } };

/**
 * Makes a source of a server of this process. Requests reach it without serialization and without a
 * session: the client of the composition is its client.
 */
export function mountedSource(inner: Server): ProxySource {
  const mounted = mountServer(inner);
  const updates = createUpdates();
  let listener: ListListener = () => {};
  /** By protocol version. Only if all clients see the same. */
  const lists = new Map<string, readonly unknown[]>();
  const stop = mounted.onChange(({ method, uri }) => {
    if (uri !== undefined) {
      updates.tell(uri);
      return;
    }
    lists.clear();
    listener({ method, origin: "mounted" }, undefined);
  });

  async function pages(kind: ListKind, request: ServerRequest): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < maxPages; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = (await mounted.answer(request, methods[kind], params)) as ReceivedParams;
      items.push(...(result[kind] as readonly unknown[]));
      cursor = result["nextCursor"];
      if (cursor === undefined) {
        break;
      }
    }
    return items;
  }

  return {
    info: mounted.info,
    instructions: mounted.instructions,
    get capabilities() {
      return mounted.capabilities();
    },
    async list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
      const key = `${request.revision} ${kind}`;
      const known = mounted.isBare ? lists.get(key) : undefined;
      if (known !== undefined) {
        return known as readonly ListItems[K][];
      }
      try {
        const items = await pages(kind, request);
        if (mounted.isBare) {
          lists.set(key, items);
        }
        return items as readonly ListItems[K][];
      } catch (error) {
        if (isRpcError(error) && error.code === methodNotFound) {
          return [];
        }
        throw error;
      }
    },
    forward: (request, params, method) => mounted.answer(request, method, params),
    async complete(request, params) {
      return mounted.capabilities(request.revision).completions === undefined
        ? noCompletion
        : ((await mounted.answer(request, "completion/complete", params)) as object);
    },
    watch: (uri: string, _caller: LaneCaller, signal: AbortSignal) => updates.watch(uri, signal),
    subscribed: (uri, session, isWatched) => mounted.subscribed(uri, session, isWatched),
    adopt: (outer) => mounted.adopt(outer),
    // Middleware may show each client something else.
    audienceOf: (caller) => (mounted.isBare ? undefined : caller),
    keep: () => Promise.resolve(() => {}),
    rootsChanged() {
      // Its handlers request the roots when they need them.
    },
    onListChange(next) {
      listener = next;
    },
    [Symbol.asyncDispose]() {
      stop();
      return Promise.resolve();
    },
  };
}
