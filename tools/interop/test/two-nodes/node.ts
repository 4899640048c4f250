import { Server } from "@tenon/sdk";
import { createStreamableHandler, type SessionStores, type StreamableHandler } from "@tenon/sdk/http";
import { shareChanges, shareStateKeys, type AuthStore } from "@tenon/stores";
import { createTaskEngine, type TaskEngine, type TaskStore } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";

/** What nodes share. */
export interface Stores extends Required<SessionStores> {
  readonly tasks: TaskStore;
  readonly auth: AuthStore;
}

/** What the tools of a node tell the test, and wait for. */
export interface Effects {
  /** Something happens, for the call with this key: the test counts it. */
  effect(key: string): void | Promise<void>;
  /** Waits until the test lets the call with this key go on. */
  go(key: string): Promise<void>;
}

/** The parts of a node. */
export interface Node {
  readonly server: Server;
  readonly handler: StreamableHandler;
  readonly engine: TaskEngine;
  close(): Promise<void>;
}

/**
 * Length of the answers to `draw`, in characters: two parts, because one message between nodes has
 * at most 400,000.
 */
export const drawingLength = 410_000;

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const keyed = { type: "object", properties: { key: { type: "string" } }, required: ["key"] } as const;
const onError = (): void => undefined;

/** Starts a node, without a way to reach it. @param storeMs - As the limit of the handler. */
export function startNode(stores: Stores, effects: Effects, storeMs: number): Node {
  const { tasks: store, auth, ...sessionStores } = stores;
  const engine = createTaskEngine({
    store,
    limits: { pollIntervalMs: 20, statusIntervalMs: 0, leaseMs: 1500, sweepIntervalMs: 100 },
    onError,
  });
  const changes = shareChanges(stores.bus, (change) => server.announce(change), { onError });
  const server = new Server(
    { name: "node", version: "1.0.0" },
    {
      onError,
      logging: true,
      onChange: (change) => changes.publish(change),
      interaction: { stateKeys: shareStateKeys(auth, { onError }) },
    },
  );
  server.use(tasks({ engine }));
  addTools(server, effects);
  const handler = createStreamableHandler({
    getServer: () => server,
    stores: sessionStores,
    limits: { storeMs, retryMs: 1 },
    onError,
  });
  return {
    server,
    handler,
    engine,
    async close() {
      await handler.close({ drainMs: 0 });
      await engine.close({ drainMs: 0 });
      await server.close({ drainMs: 0 });
    },
  };
}

function addTools(server: Server, { effect, go }: Effects): void {
  for (const uri of ["res:a", "res:b"]) {
    server.addResource({ uri, name: uri }, () => uri);
  }
  server.addTool({ name: "add", input: keyed }, async ({ key }) => {
    await effect(key);
    return key;
  });
  server.addTool({ name: "log", input: keyed }, async ({ key }, { log }) => {
    await log("info", `${key} info`);
    await log("error", `${key} error`);
    return key;
  });
  server.addTool({ name: "ask", input: keyed }, async ({ key }, context) => {
    const outcome = await context.elicit({ message: key, requestedSchema: form });
    await effect(key);
    return outcome.action === "accept" ? outcome.content.name : outcome.action;
  });
  server.addTool({ name: "draw", input: keyed }, async ({ key }, context) => {
    const content = { type: "text" as const, text: key };
    const message = await context.sample({ messages: [{ role: "user", content }], maxTokens: 1 });
    await effect(key);
    return String("text" in message.content && message.content.text.length === drawingLength);
  });
  server.addTool({ name: "slow", input: keyed }, async ({ key }, { progress }) => {
    await progress(1);
    await go(key);
    await effect(key);
    return key;
  });
  server.addTool({ name: "job", input: keyed, task: "required" }, async ({ key }, context) => {
    await context.step(key, () => effect(key));
    const outcome = await context.elicit({ message: key, requestedSchema: form });
    return outcome.action === "accept" ? outcome.content.name : outcome.action;
  });
}
