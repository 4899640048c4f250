import { Lanes, type CallRelay, type LaneCaller, type LanesOptions } from "@tenon/host";
import type { ClientSession } from "@tenon/mcp/client";
import type { ServerRequest } from "@tenon/mcp/server";
import type { Resource } from "@tenon/protocol";

import { fetchLists, type ListName } from "../session/definitions.ts";
import type { ListListener, ProxySource } from "./source.ts";
import { createSpellings } from "./spellings.ts";

/** Options of {@link laneSource}. */
export interface LaneSourceOptions extends Pick<
  LanesOptions,
  "name" | "connect" | "related" | "isolation" | "limits"
> {
  readonly relay: CallRelay;
  /** Called if the server cannot be connected to now. By default that is an error. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** One server behind a proxy, and the connections to it. */
export interface LaneSource extends ProxySource {
  readonly lanes: Lanes;
  /** Like `forward` of a source. @param params - Default: the params of the request. */
  forward(request: ServerRequest, params?: Readonly<Record<string, unknown>>): Promise<object>;
  /** The session by which the server was first connected to. It may have ended. */
  readonly first: ClientSession | undefined;
}

/**
 * Connects to a server, which keeps its names and addresses.
 *
 * @throws The error of `connect`.
 */
export async function laneSource({ relay, onFailure, ...options }: LaneSourceOptions): Promise<LaneSource> {
  // Before there is a listener no client has a list.
  let listener: ListListener = () => {};
  const lanes = new Lanes({
    ...options,
    onListChanged: ({ caller }, list) =>
      listener({ method: `notifications/${list}/list_changed`, origin: "behind the proxy" }, caller),
  });
  const first = await lanes.start().catch((error: unknown) => {
    if (onFailure === undefined) {
      throw error;
    }
    onFailure(error);
    return undefined;
  });
  const { name = "unknown", version = "0.0.0", title } = first?.serverInfo ?? {};
  const capabilities = first?.serverCapabilities ?? {};
  const spellings = createSpellings();
  const list = async (of: ListName, caller: LaneCaller, signal: AbortSignal): Promise<readonly never[]> => {
    const { session } = await lanes.view(caller, signal);
    return ((await fetchLists(session, [of], signal))[of] ?? []) as readonly never[];
  };

  async function* watch(
    uri: string,
    caller: LaneCaller,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly uri: string }> {
    const { lane, release } = await lanes.acquire(caller, signal, undefined);
    try {
      yield* lane.session.watch(spellings.of(uri), { signal });
    } finally {
      release();
    }
  }

  return {
    lanes,
    first,
    info: { name, version, ...(title === undefined ? {} : { title }) },
    instructions: first?.instructions,
    capabilities,
    tools: (caller, signal) => list("tools", caller, signal),
    prompts: (caller, signal) => list("prompts", caller, signal),
    async resources(caller, signal) {
      const resources: readonly Resource[] = await list("resources", caller, signal);
      spellings.learn(resources.map(({ uri }) => uri));
      return resources;
    },
    resourceTemplates: (caller, signal) => list("resourceTemplates", caller, signal),
    forward(request, params = request.params) {
      const { uri } = params;
      const isSpelled = request.method === "resources/read" && typeof uri === "string";
      return relay.forward(request, lanes, isSpelled ? { ...params, uri: spellings.of(uri) } : params);
    },
    async complete({ params, signal }, caller) {
      const { session } = await lanes.view(caller, signal);
      return session.complete(params as never, { signal });
    },
    ...(capabilities.resources?.subscribe === true ? { watch } : {}),
    audienceOf: (caller) => (lanes.shared === undefined ? caller : undefined),
    async keep(caller, signal) {
      const { release } = await lanes.acquire(caller, signal, undefined);
      return release;
    },
    rootsChanged(session) {
      for (const lane of lanes.of(relay.callerOfSession(session))) {
        void notifyOfRoots(lane.session);
      }
    },
    onListChange(next) {
      listener = next;
    },
    [Symbol.asyncDispose]: () => lanes.close(),
  };
}

/** Notifies a server that the roots have changed. Modern servers request them every time. */
async function notifyOfRoots(session: ClientSession): Promise<void> {
  if (session.era === "legacy") {
    // The server may have disconnected.
    await session.notify("notifications/roots/list_changed").catch(() => {});
  }
}
