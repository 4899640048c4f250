import { taskMethods, tasksExtension, type LaneCaller, type ListItems, type ListKind } from "@tenon/host";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { mountServer, type Server, type ServerRequest } from "@tenon/mcp/server";
import { eraOf, revisions, type Era, type ServerCapabilities } from "@tenon/protocol";

import { skillMethods, skillsExtension } from "./connected-skills.ts";
import type { SourceFeature } from "./source-feature.ts";
import type { ListListener, ReceivedParams, ProxySource } from "./source.ts";
import { createUpdates } from "./updates.ts";

const methods = {
  tools: "tools/list",
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
} as const;

/** Maximum number of pages of one list, and of their items. */
const maxPages = 1000;
const maxItems = 100_000;
const methodNotFound = -32_601;
/** Methods of features that the composition offers itself, with ids and URIs of its own. */
const ofComposition: ReadonlySet<string> = new Set([...taskMethods.keys(), ...skillMethods.keys()]);
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
    for (let page = 0; page < maxPages && items.length <= maxItems; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = (await mounted.answer(request, methods[kind], params)) as ReceivedParams;
      items.push(...(result[kind] as readonly unknown[]));
      cursor = result["nextCursor"];
      if (cursor === undefined) {
        return items;
      }
    }
    throw new Error(
      `The ${kind} of ${mounted.info.name} have more than ${maxPages} pages or ${maxItems} items.`,
    );
  }

  /** A feature of the server; `undefined` if it has none. */
  function feature(isIn: (capabilities: ServerCapabilities, era: Era) => boolean): SourceFeature | undefined {
    const offers = (era: Era): boolean => {
      const newest = revisions.findLast((revision) => eraOf(revision) === era);
      return isIn(mounted.capabilities(newest), era);
    };
    return offers("modern") || offers("legacy")
      ? { offers, request: (request, method, params) => mounted.answer(request, method, params) }
      : undefined;
  }

  function current<K extends ListKind>(
    kind: K,
    { revision }: ServerRequest,
  ): readonly ListItems[K][] | undefined {
    return mounted.isBare ? (lists.get(`${revision} ${kind}`) as readonly never[] | undefined) : undefined;
  }

  return {
    info: mounted.info,
    instructions: mounted.instructions,
    get capabilities() {
      return mounted.capabilities();
    },
    current,
    async list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
      const known = current(kind, request);
      if (known !== undefined) {
        return known;
      }
      try {
        const items = await pages(kind, request);
        if (mounted.isBare) {
          lists.set(`${request.revision} ${kind}`, items);
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
    adopt: (outer) => mounted.adopt(outer, ofComposition),
    tasks: feature(({ extensions, tasks }, era) =>
      era === "modern" ? Object.hasOwn(extensions ?? {}, tasksExtension) : tasks !== undefined,
    ),
    skills: feature(({ extensions }) => Object.hasOwn(extensions ?? {}, skillsExtension)),
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
