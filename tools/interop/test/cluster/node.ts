import { Server, type RequestContext } from "@tenon/sdk";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { shareChanges, shareStateKeys } from "@tenon/stores";

import type { ConnectedStores, Failure, Part } from "./connect.ts";

/** One process of a cluster, or a server that shares its process with the test. */
export interface Node extends AsyncDisposable {
  readonly port: number;
  /** Whether the balancer sends it requests. */
  isReady: boolean;
  /** How many requests the balancer has sent. */
  sent: number;
  /** How many requests the handler has routed. */
  routed(): Promise<number>;
  /** Announces that the list of tools has changed. */
  change(): void;
  /** Cuts it off from its stores, or from the bus only, or loses all bytes on the way. */
  stop(part: Part, how: Failure): void;
  restore(): void;
  /** Ends it as a deploy does, when what was sent has been routed. */
  drain(): Promise<void>;
}

/** Time between two steps of the tool `flow`, in milliseconds. */
const stepMs = 50;

/** Adds the tools of the trials. @param wrote - Called after a step of a stream was accepted. */
function addTools(server: Server, wrote: (stream: number, step: number) => void): void {
  server.addTool({ name: "echo" }, () => "echo");
  server.addTool({ name: "ask" }, async (_: unknown, context: RequestContext) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
    const { action } = await context.elicit({ message: "Who?", requestedSchema });
    return action;
  });
  const input = {
    type: "object",
    properties: { stream: { type: "integer" } },
    required: ["stream"],
  } as const;
  server.addTool({ name: "flow", input }, async ({ stream }, { log, signal }) => {
    for (let step = 1; !signal.aborted; step++) {
      await log("info", step);
      wrote(stream, step);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
    }
    return "";
  });
}

/** Starts a node in this process. */
export async function startNode(
  connected: ConnectedStores,
  wrote: (stream: number, step: number) => void = () => undefined,
): Promise<Node> {
  const onError = (): void => undefined;
  let isStarted = false;
  let routed = 0;
  const { bus } = connected.stores;
  let subscribed = (): void => {};
  const listens = new Promise<void>((resolve) => {
    subscribed = resolve;
  });
  const observed: typeof bus = {
    ...bus,
    publish: (...message) => bus.publish(...message),
    async subscribe(...topic) {
      const subscription = await bus.subscribe(...topic);
      subscribed();
      return subscription;
    },
  };
  const changes = shareChanges(observed, (change) => server.announce(change), { onError });
  const server = new Server(
    { name: "node", version: "1.0.0" },
    {
      onChange: (change) => (isStarted ? changes.publish(change) : undefined),
      limits: { listChangedDelayMs: 0 },
      onError,
      logging: true,
      interaction: { stateKeys: shareStateKeys(connected.auth, { onError }) },
    },
  );
  addTools(server, wrote);
  const handler = createStreamableHandler({
    getServer: () => server,
    stores: connected.stores,
    limits: { maxSessions: 20_000, maxListens: 20_000, retryMs: 100 },
    onError,
  });
  // As a startup probe does: a node that has not reached its stores, or not yet subscribed to the
  // changes of others, gets no requests.
  await connected.stores.sessions.get("probe", undefined);
  await listens;
  const counting = {
    close: handler.close,
    node: (...request: Parameters<typeof handler.node>) =>
      handler.node(...request).finally(() => {
        routed++;
      }),
  };
  const listening = await listen(counting, { port: 0, onError });
  isStarted = true;
  let isOver = false;
  const over = async (drainMs: number): Promise<void> => {
    if (!isOver) {
      isOver = true;
      await listening.close({ drainMs });
      await changes.close();
      await server.close({ drainMs: 0 });
      await connected[Symbol.asyncDispose]();
    }
  };
  let extra = 0;
  return {
    port: Number(listening.url.port),
    isReady: true,
    sent: 0,
    routed: () => Promise.resolve(routed),
    change: () => server.addTool({ name: `extra-${++extra}` }, () => ""),
    stop: (part, how) => connected.stop(part, how),
    restore: () => connected.restore(),
    drain: () => over(10_000),
    [Symbol.asyncDispose]: () => over(0),
  };
}
