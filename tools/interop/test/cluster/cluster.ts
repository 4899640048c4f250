import { Agent, createServer, request, type Server as HttpServer } from "node:http";

import { Server, type RequestContext } from "@tenon/sdk";
import { createStreamableHandler, type StreamableHandler } from "@tenon/sdk/http";
import { shareChanges } from "@tenon/stores";
import type { Deferred } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import { expect, vi } from "vitest";

import type { ConnectedStores, SharedStores } from "./stores.ts";

/** One process of a cluster, except that it shares its memory with the test. */
export interface Node extends AsyncDisposable {
  readonly port: number;
  readonly server: Server;
  readonly connected: ConnectedStores;
  /** Whether the balancer sends it requests. */
  isReady: boolean;
  /** How many requests the balancer has sent, and how many of them the handler has routed. */
  sent: number;
  routed: number;
  /** Ends it as a deploy does. */
  drain(): Promise<void>;
  /** Ends its connections to clients, and gets no requests any more. */
  sever(): void;
  /** Ends its connections to clients and stores, as the end of its process would. */
  kill(): void;
}

/** What the tool `work` waits for in the middle and before its end, and how often it got there. */
export interface Gates {
  readonly more: Deferred<void>;
  readonly end: Deferred<void>;
  written: number;
}

/** Nodes behind a balancer that knows nothing of sessions. */
export interface Cluster extends AsyncDisposable {
  readonly url: URL;
  readonly nodes: Node[];
  /** Adds a node. */
  add(): Promise<Node>;
}

const stateKeys = [{ id: "k", secret: new Uint8Array(32).fill(7) }];

/** Adds the tools of the trials. */
function addTools(server: Server, gates: Gates | undefined): void {
  server.addTool({ name: "echo" }, () => "echo");
  server.addTool({ name: "ask" }, async (_: unknown, context: RequestContext) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
    const { action } = await context.elicit({ message: "Who?", requestedSchema });
    return action;
  });
  server.addTool({ name: "work" }, async (_: unknown, context: RequestContext) => {
    for (let step = 1; step <= 5; step++) {
      await (step === 3 ? gates?.more.promise : undefined);
      await context.log("info", `step ${step}`);
    }
    if (gates !== undefined) {
      gates.written++;
    }
    await gates?.end.promise;
    return "done";
  });
}

async function startNode(shared: SharedStores, gates: Gates | undefined): Promise<Node> {
  const connected = await shared.connect();
  const onError = (): void => undefined;
  let isStarted = false;
  const changes = shareChanges(connected.stores.bus, (change) => server.announce(change), { onError });
  const server = new Server(
    { name: "node", version: "1.0.0" },
    {
      onChange: (change) => (isStarted ? changes.publish(change) : undefined),
      limits: { listChangedDelayMs: 0 },
      onError,
      logging: true,
      interaction: { stateKeys },
    },
  );
  addTools(server, gates);
  const handler: StreamableHandler = createStreamableHandler({
    getServer: () => server,
    stores: connected.stores,
    limits: { maxSessions: 20_000, maxListens: 20_000, retryMs: 100, storeMs: 1000 },
    onError,
  });
  const http: HttpServer = createServer((incoming, outgoing) => {
    void handler.node(incoming, outgoing).finally(() => {
      node.routed++;
    });
  });
  const port = await listenOnFreePort(http);
  isStarted = true;
  let isOver = false;
  const over = async (drainMs: number): Promise<void> => {
    if (!isOver) {
      isOver = true;
      await handler.close({ drainMs });
      http.closeAllConnections();
      http.close();
      await changes.close();
      await server.close({ drainMs: 0 });
      await connected[Symbol.asyncDispose]();
    }
  };
  const node: Node = {
    port,
    server,
    connected,
    isReady: true,
    sent: 0,
    routed: 0,
    async drain() {
      node.isReady = false;
      // What the balancer has sent before it noticed arrives first.
      await vi.waitFor(() => expect(node.routed).toBe(node.sent), { timeout: 10_000, interval: 5 });
      await over(10_000);
    },
    sever() {
      node.isReady = false;
      http.closeAllConnections();
    },
    kill() {
      node.isReady = false;
      connected.stop("all");
      http.closeAllConnections();
      http.close();
    },
    [Symbol.asyncDispose]: () => over(0),
  };
  return node;
}

/** Starts three nodes and a balancer. */
export async function startCluster(shared: SharedStores, gates?: Gates): Promise<Cluster> {
  const nodes: Node[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
  let turn = 0;
  const balancer = createServer((incoming, outgoing) => {
    const ready = nodes.filter(({ isReady }) => isReady);
    const node = ready[turn++ % ready.length];
    if (node === undefined) {
      outgoing.destroy();
      return;
    }
    node.sent++;
    const { method, headers, url } = incoming;
    const upstream = request(
      { host: "127.0.0.1", port: node.port, method, headers, path: url, agent },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.on("error", () => outgoing.destroy());
        response.pipe(outgoing);
      },
    );
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  const port = await listenOnFreePort(balancer);
  const add = async (): Promise<Node> => {
    const node = await startNode(shared, gates);
    nodes.push(node);
    return node;
  };
  await add();
  await add();
  await add();
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    nodes,
    add,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
      balancer.closeAllConnections();
      balancer.close();
      agent.destroy();
      await shared[Symbol.asyncDispose]();
    },
  };
}
