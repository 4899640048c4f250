import { isRecord } from "@tenon/base";
import { NameTable, type CallRelay, type LaneCaller } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerRequest } from "@tenon/mcp/server";

import type { LaneSource } from "./lane-source.ts";
import type { ProxySource } from "./source.ts";
import { canonicalOf } from "./spellings.ts";

const noCompletion = { completion: { values: [] } };

/** Options of {@link manySource}. */
export interface ManyOptions {
  readonly version: string;
  readonly relay: CallRelay;
  /** Called if a server cannot list something; the others are listed. */
  readonly onError: (server: string, error: unknown) => void;
}

type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";
type Listed<K extends ListKind> = Awaited<ReturnType<ProxySource[K]>>[number];

/**
 * Many servers behind a proxy. Tools and prompts get the name of their server.
 *
 * @param sources - By the name of the server.
 */
export function manySource(
  sources: ReadonlyMap<string, LaneSource>,
  { version, relay, onError }: ManyOptions,
): ProxySource {
  const names = new NameTable();
  const all = [...sources.values()];

  /** The lists of all servers, with the server of each item. */
  async function listed<K extends ListKind>(
    kind: K,
    caller: LaneCaller,
    signal: AbortSignal,
  ): Promise<readonly { readonly server: string; readonly item: Listed<K> }[]> {
    const lists = await Promise.all(
      [...sources].map(async ([server, source]) => {
        try {
          const items = (await source[kind](caller, signal)) as readonly Listed<K>[];
          return items.map((item) => ({ server, item }));
        } catch (error) {
          signal.throwIfAborted();
          onError(server, error);
          return [];
        }
      }),
    );
    return lists.flat();
  }

  async function named<K extends "tools" | "prompts">(
    kind: K,
    caller: LaneCaller,
    signal: AbortSignal,
  ): Promise<readonly Listed<K>[]> {
    const items = await listed(kind, caller, signal);
    return items.map(({ server, item }) => ({ ...item, name: names.nameOf(server, item.name) }));
  }

  /** The server of a tool or prompt, and the name that it has there. */
  async function addressOf(
    kind: "tools" | "prompts",
    name: unknown,
    caller: LaneCaller,
    signal: AbortSignal,
  ): Promise<{ readonly source: LaneSource; readonly name: string } | undefined> {
    if (names.addressOf(String(name)) === undefined) {
      await named(kind, caller, signal);
    }
    const address = names.addressOf(String(name));
    const source = sources.get(address?.server ?? "");
    return address === undefined || source === undefined ? undefined : { source, name: address.tool };
  }

  async function readResource(request: ServerRequest): Promise<object> {
    const { params, signal } = request;
    const before = relay.serverOf(request);
    const uri = canonicalOf(String(params["uri"]));
    const found = await listed("resources", relay.callerOf(request), signal);
    const server = before ?? found.find(({ item }) => canonicalOf(item.uri) === uri)?.server;
    let failure: unknown;
    // The address of a template does not name its server.
    for (const source of server === undefined ? all : all.filter((each) => each.lanes.name === server)) {
      try {
        return await source.forward(request);
      } catch (error) {
        failure = error;
        signal.throwIfAborted();
      }
    }
    throw failure;
  }

  return {
    info: { name: "tenon-proxy", version },
    instructions: undefined,
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    tools: (caller, signal) => named("tools", caller, signal),
    prompts: (caller, signal) => named("prompts", caller, signal),
    resources: async (caller, signal) => (await listed("resources", caller, signal)).map(({ item }) => item),
    resourceTemplates: async (caller, signal) =>
      (await listed("resourceTemplates", caller, signal)).map(({ item }) => item),
    async forward(request) {
      if (request.method === "resources/read") {
        return readResource(request);
      }
      const { params, signal } = request;
      const isTool = request.method === "tools/call";
      const caller = relay.callerOf(request);
      const found = await addressOf(isTool ? "tools" : "prompts", params["name"], caller, signal);
      if (found === undefined) {
        const kind = isTool ? "tool" : "prompt";
        throw new RpcError(ErrorCode.InvalidParams, `Unknown ${kind}: ${String(params["name"])}`);
      }
      return found.source.forward(request, { ...params, name: found.name });
    },
    async complete({ params, signal }, caller) {
      const reference = isRecord(params["ref"]) ? params["ref"] : {};
      const prompt =
        reference["type"] === "ref/prompt"
          ? await addressOf("prompts", reference["name"], caller, signal)
          : undefined;
      const templates = prompt === undefined ? await listed("resourceTemplates", caller, signal) : [];
      const template = templates.find(({ item }) => item.uriTemplate === reference["uri"]);
      const source = prompt?.source ?? sources.get(template?.server ?? "");
      if (source === undefined) {
        return noCompletion;
      }
      const { session } = await source.lanes.view(caller, signal);
      const ref = prompt === undefined ? reference : { ...reference, name: prompt.name };
      // A server without completions has nothing to offer.
      return session.offers("completion/complete")
        ? session.complete({ ...params, ref } as never, { signal })
        : noCompletion;
    },
    async *watch(uri, caller, signal) {
      const found = (await listed("resources", caller, signal)).find(
        ({ item }) => canonicalOf(item.uri) === canonicalOf(uri),
      );
      // Only listed resources name their server.
      const candidates = found === undefined ? all : all.filter((each) => each.lanes.name === found.server);
      const watched = candidates.find((source) => source.watch !== undefined);
      yield* watched?.watch?.(uri, caller, signal) ?? [];
    },
    audienceOf: (caller) =>
      all.every((source) => source.audienceOf(caller) === undefined) ? undefined : caller,
    async keep(caller, signal) {
      const kept = await Promise.allSettled(all.map((source) => source.keep(caller, signal)));
      return () => kept.forEach((each) => each.status === "fulfilled" && each.value());
    },
    rootsChanged: (session) => all.forEach((source) => source.rootsChanged(session)),
    onListChange(listener) {
      for (const [server, source] of sources) {
        source.onListChange?.((change, audience) =>
          listener({ ...change, origin: `${server} behind the proxy` }, audience),
        );
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(all.map((source) => source[Symbol.asyncDispose]()));
    },
  };
}
