import { Agent, createServer, request } from "node:http";

import { listenOnFreePort } from "@tenon/test-support/http";
import { expect } from "vitest";

import type { Node } from "./node.ts";

/** Nodes behind a balancer that knows nothing of sessions. */
export interface Cluster<N extends Node = Node> extends AsyncDisposable {
  readonly url: URL;
  readonly nodes: N[];
  /** Adds a node. */
  add(): Promise<N>;
  /** Replaces a node as a deploy does: the balancer learns first that it is not ready. */
  retire(node: N): Promise<void>;
}

/** Starts three nodes and a balancer. */
export async function startCluster<N extends Node>(start: () => Promise<N>): Promise<Cluster<N>> {
  const nodes: N[] = [];
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
  const add = async (): Promise<N> => {
    const node = await start();
    nodes.push(node);
    return node;
  };
  await Promise.all([add(), add(), add()]);
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    nodes,
    add,
    async retire(node) {
      node.isReady = false;
      // What the balancer has sent before it noticed arrives first.
      await expect.poll(async () => (await node.routed()) - node.sent, { interval: 20 }).toBe(0);
      await node.drain();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
      balancer.closeAllConnections();
      balancer.close();
      agent.destroy();
    },
  };
}
