import { Server } from "@tenon/sdk";
import { memoryStore } from "@tenon/sdk/auth/client";
import { Client, type ClientOptions, type ClientSession } from "@tenon/sdk/client";
import {
  createMemoryEventStore,
  createStreamableHandler,
  StreamableClientTransport,
  type StreamableHandler,
} from "@tenon/sdk/http";
import {
  createMemoryBus,
  createMemoryLeases,
  createMemorySessionStore,
  shareChanges,
  shareStateKeys,
} from "@tenon/stores";
import { createMemoryTaskStore, createTaskEngine, type TaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, type Deferred } from "@tenon/test-support";

import { gated, StoreGate, type Wiring } from "./faults.ts";

/** One of the two nodes. */
export interface Node {
  readonly server: Server;
  readonly handler: StreamableHandler;
  readonly engine: TaskEngine;
  isKilled: boolean;
  /** Rejects when the node is killed. */
  readonly killed: Promise<never>;
  /** Ends it as `kill -9` does: its connections break, and it does nothing more. */
  kill(): void;
}

/** What a client sends, before it arrives at a node. */
export interface Sent {
  readonly verb: string;
  /** The method of the message, `response` for a response, `""` without a message. */
  readonly method: string;
}

/** What happens to one message between client and server. */
export type MessageFault = "lose" | "lose the response" | "cut the response" | "double" | "delay";

/** Two nodes that share stores, a balancer that knows nothing of sessions, and their clients. */
export interface World extends AsyncDisposable {
  readonly nodes: readonly [Node, Node];
  readonly gate: StoreGate;
  /** How often each effect happened, by the key of its call. */
  readonly effects: Map<string, number>;
  /** Chooses the node of a request. Default: each in turn, without killed ones. */
  route: (sent: Sent) => number | undefined;
  /** The messages that clients have sent. */
  readonly sent: Sent[];
  faultOf: (sent: Sent, index: number) => MessageFault | undefined;
  /** What tools wait for, by the key of their call. */
  gateOf(key: string): Deferred<void>;
  /** Breaks the streams on which clients read. */
  cut(): void;
  connect(revision: string, options?: Partial<ClientOptions>): Promise<ClientSession>;
}

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const keyed = { type: "object", properties: { key: { type: "string" } }, required: ["key"] } as const;

/**
 * Starts the nodes.
 *
 * @param storeMs - As the limit of the handler.
 * @param drawingLength - Length of the answers to `draw`, in characters. One message between nodes
 *   has at most 400,000, and one of a bus at most 1,000,000.
 */
export function startWorld(storeMs: number, drawingLength: number = 1_200_000): World {
  const gate = new StoreGate();
  const effects = new Map<string, number>();
  const gates = new Map<string, Deferred<void>>();
  const base = {
    sessions: createMemorySessionStore(),
    bus: createMemoryBus(),
    events: createMemoryEventStore(),
    leases: createMemoryLeases(),
    tasks: createMemoryTaskStore(),
    auth: memoryStore(),
  };
  const effect = (key: string): void => void effects.set(key, (effects.get(key) ?? 0) + 1);
  const gateOf = (key: string): Deferred<void> => {
    const known = gates.get(key) ?? deferred();
    gates.set(key, known);
    return known;
  };
  const onError = (): void => undefined;

  function startNode(node: number): Node {
    const dying = deferred<never>();
    dying.promise.catch(() => undefined);
    const wiring: Wiring = { gate, node, isKilled: () => started.isKilled };
    const stores = {
      sessions: gated(base.sessions, "sessions", wiring),
      bus: gated(base.bus, "bus", wiring),
      events: gated(base.events, "events", wiring),
      leases: gated(base.leases, "leases", wiring),
    };
    const engine = createTaskEngine({
      store: gated(base.tasks, "tasks", wiring),
      limits: { pollIntervalMs: 10, statusIntervalMs: 0, leaseMs: 400, sweepIntervalMs: 50 },
      onError,
    });
    const changes = shareChanges(stores.bus, (change) => server.announce(change), { onError });
    const server = new Server(
      { name: `node-${node}`, version: "1.0.0" },
      {
        onError,
        logging: true,
        onChange: (change) => changes.publish(change),
        interaction: { stateKeys: shareStateKeys(gated(base.auth, "auth", wiring), { onError }) },
      },
    );
    server.use(tasks({ engine }));
    addTools(server);
    const handler = createStreamableHandler({
      getServer: () => server,
      stores,
      limits: { storeMs, retryMs: 1 },
      onError,
    });
    const started: Node = {
      server,
      handler,
      engine,
      isKilled: false,
      killed: dying.promise,
      kill() {
        started.isKilled = true;
        dying.reject(new TypeError("fetch failed"));
        cut(node);
      },
    };
    return started;
  }

  function addTools(server: Server): void {
    for (const uri of ["res:a", "res:b"]) {
      server.addResource({ uri, name: uri }, () => uri);
    }
    server.addTool({ name: "add", input: keyed }, ({ key }) => {
      effect(key);
      return key;
    });
    server.addTool({ name: "log", input: keyed }, async ({ key }, { log }) => {
      await log("info", `${key} info`);
      await log("error", `${key} error`);
      return key;
    });
    server.addTool({ name: "ask", input: keyed }, async ({ key }, context) => {
      const outcome = await context.elicit({ message: key, requestedSchema: form });
      effect(key);
      return outcome.action === "accept" ? outcome.content.name : outcome.action;
    });
    server.addTool({ name: "draw", input: keyed }, async ({ key }, context) => {
      const content = { type: "text" as const, text: key };
      const message = await context.sample({ messages: [{ role: "user", content }], maxTokens: 1 });
      effect(key);
      return String("text" in message.content && message.content.text.length === drawingLength);
    });
    server.addTool({ name: "slow", input: keyed }, async ({ key }, { progress }) => {
      await progress(1);
      await gateOf(key).promise;
      effect(key);
      return key;
    });
    server.addTool({ name: "job", input: keyed, task: "required" }, async ({ key }, context) => {
      await context.step(key, () => effect(key));
      const outcome = await context.elicit({ message: key, requestedSchema: form });
      return outcome.action === "accept" ? outcome.content.name : outcome.action;
    });
  }

  const streams = new Map<TransformStreamDefaultController<Uint8Array>, number>();
  const cut = (node?: number): void => {
    for (const [stream, of] of streams) {
      if (node === undefined || node === of) {
        streams.delete(stream);
        stream.error(new TypeError("The connection was cut."));
      }
    }
  };

  /** Sends one request to a node, as a balancer on a network does. */
  async function pass(node: number, input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const { handler, killed, isKilled } = nodes[node] as Node;
    if (isKilled) {
      throw new TypeError("fetch failed");
    }
    const response = await Promise.race([handler.fetch(new Request(input, init)), killed]);
    if (response.body === null) {
      return response;
    }
    let own: TransformStreamDefaultController<Uint8Array> | undefined;
    const cuttable = new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        own = controller;
        streams.set(controller, node);
      },
      flush: () => void (own && streams.delete(own)),
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(cuttable), { status, headers });
  }

  const sent: Sent[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const message = sentBy(init);
    const index = sent.push(message) - 1;
    const alive = nodes.findIndex(({ isKilled }) => !isKilled);
    const turn = nodes[index % 2]?.isKilled === true ? alive : index % 2;
    const node = world.route(message) ?? turn;
    switch (world.faultOf(message, index)) {
      case "lose":
        throw new TypeError("fetch failed");
      case "lose the response": {
        const response = await pass(node, input, init);
        await response.body?.cancel();
        throw new TypeError("fetch failed");
      }
      case "cut the response": {
        const response = await pass(node, input, init);
        const { status, headers } = response;
        const part = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            controller.enqueue(chunk.subarray(0, chunk.length / 2));
            controller.error(new TypeError("The connection was cut."));
          },
        });
        return new Response(response.body?.pipeThrough(part), { status, headers });
      }
      case "double": {
        // As a proxy that repeats a request whose connection broke: the first response is lost.
        const lost = await pass(node, input, init);
        await lost.body?.cancel();
        return pass(node, input, init);
      }
      case "delay":
        await new Promise((resolve) => setTimeout(resolve, 20));
        return pass(node, input, init);
      case undefined:
        return pass(node, input, init);
    }
  };

  const nodes = [startNode(0), startNode(1)] as const;
  const clients: Client[] = [];
  const world: World = {
    nodes,
    gate,
    effects,
    sent,
    route: () => undefined,
    faultOf: () => undefined,
    gateOf,
    cut: () => cut(),
    async connect(revision, options = {}) {
      const client = new Client(
        { name: "client", version: "1.0.0" },
        {
          revisions: [revision as "2026-07-28"],
          onError,
          limits: { timeoutMs: 20_000, totalTimeoutMs: 30_000 },
          elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
          sampling: {
            createMessage: () => ({
              role: "assistant",
              model: "m",
              content: { type: "text", text: "x".repeat(drawingLength) },
            }),
          },
          ...options,
        },
      );
      client.use(taskClient());
      clients.push(client);
      const reconnect = { initialDelayMs: 5, maxDelayMs: 200, maxRetries: 8 };
      return client.connect(
        new StreamableClientTransport("http://127.0.0.1/mcp", { fetch, reconnect, eras: false }),
      );
    },
    async [Symbol.asyncDispose]() {
      gate.restore();
      await Promise.all(clients.map((client) => client.close()));
      gates.forEach(({ resolve }) => resolve());
      await Promise.all(
        nodes.map(async ({ handler, engine, server }) => {
          await handler.close({ drainMs: 0 });
          await engine.close({ drainMs: 0 });
          await server.close({ drainMs: 0 });
        }),
      );
    },
  };
  return world;
}

function sentBy(init: RequestInit | undefined): Sent {
  const verb = init?.method ?? "GET";
  // Long bodies are not parsed: most of the time of the suites would be spent on it.
  const head = typeof init?.body === "string" ? init.body.slice(0, 200) : "";
  const [, method] = /^\{"jsonrpc":"2\.0",(?:"id":[^,]*,)?"method":"([^"]*)"/.exec(head) ?? [];
  return { verb, method: method ?? (verb === "POST" ? "response" : "") };
}
