import { SchemaError } from "../error.ts";
import { absoluteLocation, followAlias, type Node } from "../ir/node.ts";

/** Above this many evaluations of one instance, shared subschemas are charged for. */
const heavyKeywords = 100_000;

/**
 * Rejects schemas that refer to themselves without consuming any of the instance (core §9.4.1), and
 * decides which nodes are charged for: those that recurse, and those that are evaluated many times.
 *
 * @returns true if some node counts depth or charges fuel
 */
export function analyse(nodes: readonly Node[], root: Node): boolean {
  search(
    nodes,
    ({ inPlace = [] }) => inPlace,
    (node) => {
      const message = "the schema refers to itself without descending into the instance";
      throw new SchemaError("infinite-recursion", absoluteLocation(node), message);
    },
  );
  const below = ({ children = [] }: Node): Node[] => children.map(followAlias);
  const order = search([followAlias(root)], below, (node) => void (node.recursive = true));
  // Work on one instance, every path through the schema counted, recursion cut.
  const work = new Map<Node, number>();
  const used = new Set<Node>();
  const shared = new Set<Node>();
  let heavy = false;
  for (const node of order) {
    let total = 1;
    for (const child of below(node)) {
      (used.has(child) ? shared : used).add(child);
      if (!child.recursive) {
        total += work.get(child) ?? 0;
      }
    }
    work.set(node, total);
    heavy ||= total > heavyKeywords;
    if (node.recursive) {
      node.fuel = Math.min(3 * total, 1_000);
    }
  }
  if (heavy) {
    for (const node of shared) {
      node.fuel ||= 8;
    }
  }
  return heavy || [...order].some(({ recursive }) => recursive);
}

/**
 * All reachable nodes, in post-order: a node follows the nodes that it leads to. `onLoop` is called
 * for each cycle.
 */
function search(
  starts: readonly Node[],
  next: (node: Node) => readonly Node[],
  onLoop: (node: Node) => void,
): ReadonlySet<Node> {
  const entered = new Set<Node>();
  const left = new Set<Node>();
  const visit = (node: Node): void => {
    if (left.has(node)) {
      return;
    }
    if (entered.has(node)) {
      return onLoop(node);
    }
    entered.add(node);
    for (const other of next(node)) {
      visit(other);
    }
    left.add(node);
  };
  for (const node of starts) {
    visit(node);
  }
  return left;
}
