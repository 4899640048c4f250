import { fork } from "node:child_process";
import { once } from "node:events";

import { compiledProgram } from "@tenon/test-support/processes";

import type { Order, Report } from "./node-process.ts";
import { createEffects, memoryStores, type NodeLink, type Nodes } from "./nodes.ts";
import { performCall } from "./remote.ts";

/** Two nodes in processes of their own. */
export interface ProcessNodes extends Nodes {
  /** Ends a node by SIGKILL, and waits until it has gone. */
  kill(index: 0 | 1): Promise<void>;
}

/** Starts the processes. The stores are in the memory of this one. */
export async function startProcesses(storeMs: number): Promise<ProcessNodes> {
  const program = await compiledProgram(new URL("node-process.ts", import.meta.url));
  const stores = memoryStores();
  const { effect, effects, gateOf } = createEffects();
  const nodes = await Promise.all([start(), start()]);
  return {
    links: [nodes[0].link, nodes[1].link],
    effects,
    gateOf,
    kill: (index) => nodes[index].kill(),
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map(({ kill }) => kill()));
      await stores.bus.close();
    },
  };

  async function start(): Promise<{ readonly link: NodeLink; kill(): Promise<void> }> {
    const child = fork(program, [String(storeMs)], { execArgv: [], serialization: "advanced" });
    const ended = once(child, "exit");
    const tell = (order: Order): void => void (child.connected && child.send(order, () => undefined));
    const port = await new Promise<number>((resolve, reject) => {
      ended.then(([code]) => reject(new Error(`A node ended with ${String(code)}.`)), reject);
      child.on("message", (report: Report) => {
        if ("port" in report) {
          resolve(report.port);
        } else if ("effect" in report) {
          effect(report.effect);
          tell({ go: report.effect, what: "effect" });
        } else if ("waits" in report) {
          void gateOf(report.waits).promise.then(() => tell({ go: report.waits, what: "call" }));
        } else {
          void performCall(stores, report, tell);
        }
      });
    });
    return {
      link: {
        get isKilled() {
          return child.exitCode !== null || child.signalCode !== null;
        },
        fetch: (url, init) => fetch(new URL(new URL(url).pathname, `http://127.0.0.1:${port}`), init),
        updated: (updated) => tell({ updated }),
      },
      async kill() {
        child.kill("SIGKILL");
        await ended;
      },
    };
  }
}
