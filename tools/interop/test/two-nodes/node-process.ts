import { listen } from "@tenon/sdk/node";
import { deferred, type Deferred } from "@tenon/test-support";

import { startNode, type Effects } from "./node.ts";
import { remoteStores, type StoreCall, type StoreNews } from "./remote.ts";

// A node in a process of its own. It has its stores, and says what it does, over the channel to the
// process that has started it.

/** What the parent sends to a node. */
export type Order =
  | StoreNews
  /** The call with a key may go on, or its effect has been counted. */
  | { readonly go: string; readonly what: "call" | "effect" }
  | { readonly updated: string };
/** What a node sends to its parent. */
export type Report =
  | StoreCall
  | { readonly effect: string }
  | { readonly waits: string }
  | { readonly port: number };

const tell = (report: Report): void => void process.send?.(report);
const gates = { call: new Map<string, Deferred<void>>(), effect: new Map<string, Deferred<void>>() };
/** Tells the parent of a call, and waits until it says `go`. */
const wait = (what: "call" | "effect", key: string, report: Report): Promise<void> => {
  const gate = gates[what].get(key) ?? deferred();
  gates[what].set(key, gate);
  tell(report);
  return gate.promise;
};
const { stores, receive } = remoteStores(tell);
const effects: Effects = {
  effect: (key) => wait("effect", key, { effect: key }),
  go: (key) => wait("call", key, { waits: key }),
};
process.on("message", (order: Order) => {
  if ("go" in order) {
    gates[order.what].get(order.go)?.resolve();
  } else if ("updated" in order) {
    node.server.resourceUpdated(order.updated);
  } else {
    receive(order);
  }
});
process.on("disconnect", () => process.exit(1));
const node = startNode(stores, effects, Number(process.argv[2]));
const { url } = await listen(node.handler, { port: 0, onError: () => undefined });
tell({ port: Number(url.port) });
