import { SchemaError } from "../error.ts";
import { absoluteLocation, eachBelow, eachInPlace, followAlias, type Node } from "./node.ts";

/** Above this many evaluations of one instance, shared subschemas are charged for. */
const HEAVY = 100_000;

/**
 * Rejects schemas that refer to themselves without consuming any of the instance (core §9.4.1), finds the nodes that
 * recurse, and decides which nodes are charged for.
 *
 * @returns true if some node counts depth or charges fuel
 */
export function analyse(nodes: readonly Node[], root: Node): boolean {
  rejectLoops(nodes);
  const order = depthFirst(followAlias(root));
  const guarded = nodes.some((node) => node.recursive);
  // Work on one instance, every path through the schema counted, recursion cut.
  const work = new Float64Array(nodes.length);
  const shared = new Uint8Array(nodes.length);
  for (const node of order) {
    let total = 1;
    eachChild(node, (child) => {
      shared[child.id] = Math.min(2, (shared[child.id] ?? 0) + 1);
      if (!child.recursive) total += work[child.id] ?? 0;
    });
    work[node.id] = total;
    if (node.recursive) node.fuel = Math.min(3 * total, 1_000);
  }
  const heavy = order.some((node) => (work[node.id] ?? 0) > HEAVY);
  if (heavy) for (const node of order) if (shared[node.id] === 2 && node.fuel === 0) node.fuel = 8;
  return guarded || heavy;
}

function eachChild(node: Node, visit: (child: Node) => void): void {
  const followed = (child: Node): void => visit(followAlias(child));
  eachInPlace(node, followed);
  eachBelow(node, followed);
}

function rejectLoops(nodes: readonly Node[]): void {
  const state = new Uint8Array(nodes.length);
  const visit = (node: Node): void => {
    state[node.id] = 1;
    eachInPlace(node, (child) => {
      if (state[child.id] === 1) {
        const message = "the schema refers to itself without descending into the instance";
        throw new SchemaError("infinite-recursion", absoluteLocation(child), message);
      }
      if (state[child.id] === 0) visit(child);
    });
    state[node.id] = 2;
  };
  for (const node of nodes) if (state[node.id] === 0) visit(node);
}

/** Nodes in post-order; marks the targets of back edges as recursive. */
function depthFirst(root: Node): Node[] {
  const order: Node[] = [];
  const state = new Map<Node, number>();
  const visit = (node: Node): void => {
    state.set(node, 1);
    eachChild(node, (child) => {
      const seen = state.get(child);
      if (seen === 1) child.recursive = true;
      else if (seen === undefined) visit(child);
    });
    state.set(node, 2);
    order.push(node);
  };
  visit(root);
  return order;
}
