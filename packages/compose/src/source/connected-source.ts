import { isRecord } from "@tenon/base";
import {
  isRefusal,
  isUnreachable,
  Lanes,
  type CallRelay,
  type LaneCaller,
  type LanesOptions,
  type ListItems,
  type ListKind,
} from "@tenon/host";
import type { ClientSession } from "@tenon/mcp/client";
import type { ServerRequest } from "@tenon/mcp/server";
import type { Resource, Tool } from "@tenon/protocol";

import { aborted } from "./aborted.ts";
import { createChecking } from "./checking.ts";
import { connectedSkills } from "./connected-skills.ts";
import { connectedTasks } from "./connected-tasks.ts";
import { capabilityOf, createKnownLists } from "./listed.ts";
import { createRecovering } from "./recovering.ts";
import type { ListListener, ReceivedParams, ProxySource } from "./source.ts";
import { createSpellings } from "./spellings.ts";

/** Options of {@link connectedSource}. */
export interface ConnectedSourceOptions extends Pick<
  LanesOptions,
  "name" | "connect" | "connectsOnce" | "related" | "isolation" | "borrowed" | "limits" | "onError"
> {
  /** Passes calls on to the server. */
  readonly relay: CallRelay;
}

/** A server behind connections. They are opened when they are first needed. */
export interface ConnectedSource extends ProxySource {
  /** The connections to the server. */
  readonly lanes: Lanes;
  /** The session by which the server was first connected to. It may have ended. */
  readonly first: ClientSession | undefined;
  /** Connects now, to learn what the server is. @throws The error of `connect`. */
  start(): Promise<ClientSession>;
  /** Connects, or checks that the server responds again. @throws See `recover` of `Lanes`. */
  recover(): Promise<void>;
  /** Forgets a list that has changed, and announces that. */
  listChanged(list: ChangedList, caller?: LaneCaller): void;
  /** Whether a connection is open. False after a failure until the server responds. */
  readonly isConnected: boolean;
}

/** The lists whose changes servers announce. */
export type ChangedList = "tools" | "prompts" | "resources";

const allLists = ["tools", "prompts", "resources"] as const;
/** Maximum number of failed lists that are noted by caller. Above it, all clients are notified. */
const maxMissed = 256;
const noCompletion = { completion: { values: [] } };

/** Makes a source of a server that is connected to. */
export function connectedSource({ relay, ...options }: ConnectedSourceOptions): ConnectedSource {
  // Before there is a listener no client has a list.
  let listener: ListListener = () => {};
  let first: ClientSession | undefined;
  /** The session that tells what the server is. A server may be replaced by another server. */
  let latest: ClientSession | undefined;
  let isDown = false;
  /** A composition does this itself. */
  let whenDown = (): void => recovering.start();
  /** The lists that failed, or whose connection broke, although the server may respond. */
  const missed: { readonly list: ChangedList; readonly caller: LaneCaller | undefined }[] = [];
  const ended = new AbortController();
  const lists = createKnownLists(options.name);
  const spellings = createSpellings();
  const lanes: Lanes = new Lanes({
    ...options,
    connect: async (setup) => {
      const session = await options.connect(setup);
      first ??= session;
      if (hasEnded()) {
        tasks.forget();
      }
      if (!isSameServer(session)) {
        latest = session;
      }
      return session;
    },
    onListChanged: ({ caller }, list) => listChanged(list, caller),
    onUnreachable: suspect,
    onEnd: ({ caller, wasLost }) => {
      lists.forget(undefined, caller?.key);
      if (wasLost && !isDown) {
        announced().forEach((each) => miss(each, caller));
      }
    },
  });

  const tasks = connectedTasks({
    relay,
    lanes,
    latest: () => latest,
    hasEnded,
    list: async (request) => list("tools", request),
  });

  const checking = createChecking(async () => {
    try {
      // The server may come back without lists that it had.
      const before = announced();
      const isNew = await lanes.recover();
      const all = new Set([...missed.map(({ list: each }) => each), ...before, ...announced()]);
      const changes = isNew ? [...all].map((each) => ({ list: each, caller: undefined })) : missed;
      changes.splice(0).forEach(({ list: each, caller }) => listChanged(each, caller));
    } catch (error) {
      if (isRefusal(error) && missed.length > 0 && lanes.hasUnchecked) {
        // The server may respond to the users who have missed something.
        return true;
      }
      if (!isRefusal(error) && !ended.signal.aborted) {
        down();
      }
    }
    missed.length = 0;
    return false;
  }, ended.signal);

  /**
   * Whether another server may be in the place of the last. With `isolation: "call"` each call ends
   * its session.
   */
  function hasEnded(): boolean {
    return latest?.isClosed === true && !lanes.isOpen && options.isolation !== "call";
  }

  /** Whether the server of a session is the one that `latest` describes. */
  function isSameServer({ era, serverInfo }: ClientSession): boolean {
    // A modern server has one session for all users: a second replaces the first.
    return (
      era === "legacy" &&
      latest?.era === "legacy" &&
      !latest.isClosed &&
      serverInfo?.name === latest.serverInfo?.name &&
      serverInfo?.version === latest.serverInfo?.version
    );
  }

  /** A request has failed. What fails for one client alone must not concern the others. */
  function suspect(): void {
    if (!isDown && first !== undefined) {
      checking.request();
    }
  }

  /** Notes a list to announce to its clients after the next check. */
  function miss(changed: ChangedList, audience: LaneCaller | undefined): void {
    const one = { list: changed, caller: missed.length < maxMissed ? audience : undefined };
    if (!missed.some((each) => each.list === one.list && each.caller?.key === one.caller?.key)) {
      missed.push(one);
    }
  }

  /** The server cannot be reached, so its lists may not be shown any longer. */
  function down(): void {
    if (!isDown) {
      announced().forEach((each) => listChanged(each, undefined));
      isDown = true;
      whenDown();
    }
  }

  /** The lists that the server has. */
  function announced(): ChangedList[] {
    return allLists.filter((each) => latest?.serverCapabilities[each] !== undefined);
  }

  function listFailed(kind: ListKind, caller: LaneCaller | undefined, error: unknown): void {
    // All lists are announced when a server that is down is back.
    const mayBeMissed = !isDown && first !== undefined;
    if (mayBeMissed && (isUnreachable(error) || (isRecord(error) && isUnreachable(error["cause"])))) {
      miss(capabilityOf[kind], caller);
      suspect();
    }
  }

  function listChanged(changed: ChangedList, caller: LaneCaller | undefined): void {
    lists.forget(changed, caller?.key);
    if (changed === "resources") {
      lists.forget("resourceTemplates", caller?.key);
    }
    listener({ method: `notifications/${changed}/list_changed`, origin: "behind the proxy" }, caller);
  }

  async function list<K extends ListKind>(kind: K, request: ServerRequest): Promise<readonly ListItems[K][]> {
    const caller = relay.callerOf(request);
    const audience = lanes.shared === undefined ? caller.key : undefined;
    let isAsked = false;
    const items = await lists
      .get(kind, audience, (run) =>
        // Other requests may wait for the same list, so this one alone must not cancel it.
        lanes.use(caller, new AbortController().signal, ({ session }) => {
          isAsked = session.serverCapabilities[capabilityOf[kind]] !== undefined;
          return run(session);
        }),
      )
      .catch((error: unknown) => {
        listFailed(kind, audience === undefined ? undefined : caller, error);
        throw error;
      });
    // Without a request there is no response of the server. If the connections are opened here, the
    // check decides: a server that was restarted may respond on a connection of the other era.
    isDown &&= options.borrowed !== true || !isAsked;
    if (kind === "tools") {
      tasks.learn(items as readonly Tool[]);
    }
    if (kind === "resources") {
      spellings.learn((items as readonly Resource[]).map(({ uri }) => uri));
    }
    return items;
  }

  async function* watch(
    uri: string,
    caller: LaneCaller,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly uri: string }> {
    const { lane, release } = await lanes.acquire(caller, signal, undefined);
    const isWatched = lane.session.serverCapabilities.resources?.subscribe === true;
    try {
      if (isWatched) {
        yield* lane.session.watch(spellings.of(uri), { signal });
      }
    } finally {
      release();
    }
    if (!isWatched) {
      await aborted(signal);
    }
  }

  const source: ConnectedSource = {
    lanes,
    get first() {
      return first;
    },
    get info() {
      const { name = "unknown", version = "0.0.0", title } = latest?.serverInfo ?? {};
      return { name, version, ...(title === undefined ? {} : { title }) };
    },
    get instructions() {
      return latest?.instructions;
    },
    get capabilities() {
      return latest?.serverCapabilities ?? {};
    },
    listChanged,
    get isConnected() {
      return lanes.isOpen && !isDown;
    },
    start: () => lanes.start(),
    async recover() {
      await lanes.recover();
      isDown = false;
      lists.forget();
    },
    list,
    forward(request, params: ReceivedParams = request.params, method = request.method) {
      const { uri } = params;
      const isSpelled = method === "resources/read" && typeof uri === "string";
      const sent = isSpelled ? { ...params, uri: spellings.of(uri) } : params;
      const choice = method === "tools/call" ? tasks.choose(request, sent) : undefined;
      return choice === undefined
        ? relay.forward(request, lanes, sent, method)
        : choice.then((options) => relay.forward(request, lanes, sent, method, options));
    },
    complete(request, params = request.params) {
      const { signal } = request;
      return lanes.use(relay.callerOf(request), signal, async ({ session }) =>
        // A server without completions has nothing to offer.
        session.offers("completion/complete") ? session.complete(params as never, { signal }) : noCompletion,
      );
    },
    get watch() {
      const isKnown = latest !== undefined;
      return isKnown && latest?.serverCapabilities.resources?.subscribe !== true ? undefined : watch;
    },
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
    logLevelChanged(session, level) {
      for (const lane of lanes.of(relay.callerOfSession(session))) {
        void lane.logs.want(level, lane.session);
      }
    },
    onListChange(next) {
      listener = next;
    },
    onDown(next) {
      whenDown = next;
    },
    tasks,
    skills: connectedSkills({ relay, lanes, latest: () => latest }),
    async [Symbol.asyncDispose]() {
      ended.abort();
      await tasks[Symbol.asyncDispose]();
      await lanes.close();
    },
  };
  // A server that was restarted may have other lists than before.
  const onBack = (): void => allLists.forEach((each) => listChanged(each, undefined));
  const recovering = createRecovering(source, onBack, ended.signal);
  return source;
}

/** Notifies a server that the roots have changed. Modern servers request them every time. */
async function notifyOfRoots(session: ClientSession): Promise<void> {
  if (session.era === "legacy") {
    // The server may have disconnected.
    await session.notify("notifications/roots/list_changed").catch(() => {});
  }
}
