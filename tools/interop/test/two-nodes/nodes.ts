import { memoryStore } from "@tenon/sdk/auth/client";
import { createMemoryEventStore } from "@tenon/sdk/http";
import { createMemoryBus, createMemoryLeases, createMemorySessionStore } from "@tenon/stores";
import { createMemoryTaskStore } from "@tenon/tasks";
import { deferred, type Deferred } from "@tenon/test-support";

import { gated, type StoreGate } from "./faults.ts";
import { startNode, type Stores } from "./node.ts";

/** One of two nodes, as a balancer and the tests see it. */
export interface NodeLink {
  /** Whether its process has ended. */
  readonly isKilled: boolean;
  /** Sends it a request. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Announces that a resource has changed. */
  updated(uri: string): void;
}

/** Two nodes that share stores. */
export interface Nodes extends AsyncDisposable {
  readonly links: readonly [NodeLink, NodeLink];
  /** How often each effect happened, by the key of its call. */
  readonly effects: Map<string, number>;
  /** What tools wait for, by the key of their call. */
  gateOf(key: string): Deferred<void>;
}

/** The stores that nodes share: in the memory of this process. */
export function memoryStores(): Stores {
  return {
    sessions: createMemorySessionStore(),
    bus: createMemoryBus(),
    events: createMemoryEventStore(),
    leases: createMemoryLeases(),
    tasks: createMemoryTaskStore(),
    auth: memoryStore(),
  };
}

/** The effects of nodes, and what their tools wait for. */
export function createEffects(): Pick<Nodes, "effects" | "gateOf"> & { effect(key: string): void } {
  const effects = new Map<string, number>();
  const gates = new Map<string, Deferred<void>>();
  return {
    effects,
    effect: (key) => void effects.set(key, (effects.get(key) ?? 0) + 1),
    gateOf(key) {
      const known = gates.get(key) ?? deferred();
      gates.set(key, known);
      return known;
    },
  };
}

/** Starts two nodes in this process, whose stores are behind a gate. */
export function startNodes(gate: StoreGate, storeMs: number): Nodes {
  const base = memoryStores();
  const { effect, effects, gateOf } = createEffects();
  const start = (node: number): NodeLink & { close(): Promise<void> } => {
    const parts = Object.entries(base).map(([part, store]) => [part, gated(store, part, gate, node)]);
    const { server, handler, close } = startNode(
      Object.fromEntries(parts) as Stores,
      { effect, go: (key) => gateOf(key).promise },
      storeMs,
    );
    return {
      isKilled: false,
      fetch: (url, init) => handler.fetch(new Request(url, init)),
      updated: (uri) => server.resourceUpdated(uri),
      close,
    };
  };
  const links = [start(0), start(1)] as const;
  return {
    links,
    effects,
    gateOf,
    async [Symbol.asyncDispose]() {
      gate.restore();
      await Promise.all(links.map((link) => link.close()));
    },
  };
}
