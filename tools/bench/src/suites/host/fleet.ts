import { fileURLToPath } from "node:url";

import { Manager, type ServerSpec } from "@tenon/host";
import { nodeTransports } from "@tenon/host/node";

import type { Metrics } from "../../runner.ts";
import { startServer } from "../http/server-process.ts";

const localProgram = fileURLToPath(new URL("../mcp/programs/tenon.mjs", import.meta.url));

/** How many of each kind a fleet has: 200 servers. */
const fleet = {
  healthy: 115,
  healthyPrograms: 5,
  refused: 45,
  failingPrograms: 5,
  slow: 20,
  flapping: 10,
} as const;

const program = (...args: string[]): ServerSpec => ({ type: "stdio", command: process.execPath, args });

const specOf: Readonly<Record<keyof typeof fleet, (origin: string, index: number) => ServerSpec>> = {
  healthy: (origin, index) => ({ type: "http", url: `${origin}/healthy/${index}` }),
  healthyPrograms: () => program(localProgram),
  refused: () => ({ type: "http", url: "http://127.0.0.1:1/mcp" }),
  failingPrograms: () => program("-e", "process.exit(3)"),
  slow: (origin, index) => ({ type: "http", url: `${origin}/slow/${index}` }),
  flapping: (origin, index) => ({ type: "http", url: `${origin}/flapping/${index}` }),
};

/** A fleet whose kinds are mixed: servers are connected to in the order of their names. */
function specs(origin: string): Record<string, ServerSpec> {
  const kinds = (Object.keys(fleet) as (keyof typeof fleet)[]).flatMap((kind) =>
    Array.from({ length: fleet[kind] }, (_, index) => ({ kind, index })),
  );
  return Object.fromEntries(
    kinds.map(({ kind, index }, place) => [
      `${String((place * 7919) % 211).padStart(3, "0")}-${kind}-${index}`,
      specOf[kind](origin, index),
    ]),
  );
}

/**
 * Starts the far servers, and gives a sample: how long it takes until all healthy servers of a
 * fleet of 200 can be used.
 */
export async function startFleet(): Promise<AsyncDisposable & { readonly sample: () => Promise<Metrics> }> {
  const far = await startServer("../../host/programs/fleet");
  const servers = specs(new URL(far.url).origin);
  return {
    async sample() {
      const manager = new Manager({ servers, transports: nodeTransports() });
      const missing = new Set(Object.keys(servers).filter((name) => name.includes("healthy")));
      const start = performance.now();
      const ns = await new Promise<number>((resolve, reject) => {
        manager.on("state", ({ server, to }) => {
          if (to === "ready" && missing.delete(server) && missing.size === 0) {
            resolve((performance.now() - start) * 1e6);
          }
        });
        manager.connectAll({ waitMs: 30_000 }).then(({ failed }) => {
          const wrong = [...missing].map((name) => `${name}: ${String(failed.get(name))}`);
          reject(new Error(`Expected all healthy servers, missed ${wrong.join()}`));
        }, reject);
      });
      await manager.close();
      return { ns };
    },
    [Symbol.asyncDispose]: () => far.close(),
  };
}

/** How long it takes to start as many programs and shake hands with them. */
export async function connectPrograms(count: number): Promise<Metrics> {
  const servers = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`local-${index}`, program(localProgram)]),
  );
  const manager = new Manager({ servers, transports: nodeTransports() });
  const start = performance.now();
  const { ready } = await manager.connectAll();
  const ns = (performance.now() - start) * 1e6;
  await manager.close();
  if (ready.length !== count) {
    throw new Error(`Expected ${count} servers, got ${ready.length}`);
  }
  return { ns };
}
