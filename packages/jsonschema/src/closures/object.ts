import type { Node } from "../ir/node.ts";
import { isMembers, memberTest } from "../value/members.ts";
import { always, every, type Check } from "./check.ts";
import { memberChecks } from "./walk.ts";

/**
 * The keywords for objects; `undefined` if the node has none. Other values pass, unless `typed`:
 * then the check stands for `type: "object"` too.
 */
export function objectCheck(node: Node, compile: (node: Node) => Check, typed: boolean): Check | undefined {
  const tests = memberChecks(node, compile, typed);
  const isTyped = typed && tests.length > 0;
  for (const [name, needed] of node.dependentRequired ?? []) {
    const has = memberTest(name);
    const others = needed.map(memberTest);
    tests.push((value) => !isMembers(value) || !has(value) || others.every((other) => other(value)));
  }
  for (const [name, schema] of node.dependentSchemas ?? []) {
    const has = memberTest(name);
    const check = compile(schema);
    if (check !== always) {
      tests.push((value) => !isMembers(value) || !has(value) || check(value));
    }
  }
  if (tests.length === 0) {
    return undefined;
  }
  if (typed && !isTyped) {
    tests.unshift(isMembers);
  }
  return every(tests);
}
