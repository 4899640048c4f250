import { followAlias, type Node } from "../ir/node.ts";
import { oneOf, type Random } from "./random.ts";

/** The nodes that one value must satisfy together. None of them is an alias. */
export type Demand = readonly Node[];

/** Chains of references and branches longer than this are cut; the value is checked afterwards. */
const maxNodes = 256;

/**
 * Collects all nodes that apply to the same value as `roots`: references, all schemas of `allOf`,
 * and one branch of each `anyOf`, `oneOf` and `if`, chosen by chance.
 */
export function demandOf(roots: readonly Node[], random: Random): Demand {
  const found = new Set<Node>();
  const open = [...roots];
  for (let node = open.pop(); node !== undefined && found.size < maxNodes; node = open.pop()) {
    const target = followAlias(node);
    if (found.has(target)) {
      continue;
    }
    found.add(target);
    open.push(
      ...(target.allOf ?? []).slice(0, maxNodes),
      ...present(target.ref),
      ...present(target.dynamicRef),
    );
    for (const branches of [target.anyOf, target.oneOf]) {
      if (branches !== undefined && branches.length > 0) {
        open.push(oneOf(random, branches));
      }
    }
    if (target.if !== undefined) {
      open.push(...(random() < 0.5 ? [target.if, ...present(target.then)] : present(target.else)));
    }
  }
  return [...found];
}

function present(node: Node | undefined): Node[] {
  return node === undefined ? [] : [node];
}
