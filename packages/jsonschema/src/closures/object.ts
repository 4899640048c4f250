import type { Node } from "../ir/node.ts";
import { isMembers, memberTest } from "../value/members.ts";
import { always, every, type Check } from "./check.ts";
import { walkCheck } from "./walk.ts";

/**
 * The keywords for objects; `undefined` if the node has none. Other values pass, unless `typed`: then the check stands
 * for `type: "object"` too.
 */
export function objectCheck(node: Node, compile: (node: Node) => Check, typed: boolean): Check | undefined {
  const tests: Check[] = [];
  const walk = walkCheck(node, compile, typed);
  if (walk !== undefined) tests.push(walk);
  const { minProperties = 0, maxProperties = Infinity } = node;
  if (minProperties > 0 || maxProperties !== Infinity) {
    const most = maxProperties === Infinity ? minProperties : maxProperties + 1;
    tests.push((value) => {
      if (!isMembers(value)) return !typed;
      let count = 0;
      for (const key in value) if (value[key] !== undefined && ++count === most) break;
      return count >= minProperties && count <= maxProperties;
    });
  }
  for (const [name, needed] of node.dependentRequired ?? []) {
    const has = memberTest(name);
    const others = needed.map(memberTest);
    tests.push((value) => {
      if (!isMembers(value) || !has(value)) return true;
      for (let i = 0; i < others.length; i++) if (others[i]?.(value) === false) return false;
      return true;
    });
  }
  for (const [name, schema] of node.dependentSchemas ?? []) {
    const has = memberTest(name);
    const check = compile(schema);
    if (check !== always) tests.push((value) => !isMembers(value) || !has(value) || check(value));
  }
  if (tests.length === 0) return undefined;
  if (typed && walk === undefined) tests.unshift(isMembers);
  return every(tests);
}
