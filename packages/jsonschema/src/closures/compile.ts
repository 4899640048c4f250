import type { Meter } from "../ir/meter.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { isMembers } from "../value/members.ts";
import { anyBits, arrayBit, integerBit, numberBit, objectBit, stringBit } from "../value/type.ts";
import { arrayCheck } from "./array.ts";
import { always, every, never, type Check } from "./check.ts";
import { collectors, unevaluatedIndices, unevaluatedNames, type Collect } from "./evaluated.ts";
import { objectCheck } from "./object.ts";
import { constCheck, enumCheck, numberCheck, stringCheck, typeCheck } from "./scalar.ts";
import { anyOfCheck, oneOfCheck } from "./union.ts";

/** The closure back end: checks and collectors of nodes, made once each. */
export interface Closures {
  readonly check: (node: Node) => Check;
  readonly collect: (node: Node) => Collect;
}

/** Chains of nested schemas longer than this are compiled when they are first reached. */
const eagerDepth = 100;

/** A faster check of a node with `unevaluatedProperties`; `undefined` where there is none. */
export type Shortcut = (node: Node, compile: (node: Node) => Check) => Check | undefined;

/** Makes the closure back end. `meter` counts for the nodes that are charged for. */
export function createClosures(meter: Meter, shortcut?: Shortcut): Closures {
  const memo: (Check | undefined)[] = [];
  let nesting = 0;

  function check(node: Node): Check {
    const target = followAlias(node);
    if (target.schema === true) {
      return always;
    }
    if (target.schema === false) {
      return never;
    }
    const { id } = target;
    if (id < 0) {
      return compileNode(target);
    }
    const known = memo[id];
    if (known !== undefined) {
      return known;
    }
    // Until the real check exists, this one stands in for it: in recursive schemas, and below very
    // long chains.
    memo[id] = (value) => (memo[id] as Check)(value);
    if (nesting > eagerDepth) {
      const later: Check = (value) => {
        if (memo[id] === later) {
          finish(target);
        }
        return (memo[id] as Check)(value);
      };
      return (memo[id] = later);
    }
    return finish(target);
  }

  function finish(node: Node): Check {
    nesting++;
    let made = compileNode(node);
    nesting--;
    if (node.fuel > 0) {
      made = metered(made, node.fuel, meter);
    }
    return (memo[node.id] = made);
  }

  const collect = collectors(check);

  function compileNode(node: Node): Check {
    if (node.unevaluatedProperties !== undefined && node.unevaluatedItems === undefined) {
      const short = shortcut?.(node, check);
      if (short !== undefined) {
        return short;
      }
    }
    return every(allTests(node).filter((test) => test !== always));
  }

  function allTests(node: Node): Check[] {
    const tests = ownChecks(node, check);
    if (node.hasConst) {
      tests.push(constCheck(node.const));
    }
    if (node.enum !== undefined) {
      tests.push(enumCheck(node.enum));
    }
    if (node.ref !== undefined) {
      tests.push(check(node.ref));
    }
    if (node.dynamicRef !== undefined) {
      tests.push(check(node.dynamicRef));
    }
    if (node.allOf !== undefined) {
      tests.push(...new Set(node.allOf.map(check)));
    }
    if (node.anyOf !== undefined) {
      tests.push(anyOfCheck(node.anyOf, check));
    }
    if (node.oneOf !== undefined) {
      tests.push(oneOfCheck(node.oneOf, check));
    }
    if (node.not !== undefined) {
      tests.push(negate(check(node.not)));
    }
    if (node.if !== undefined && (node.then !== undefined || node.else !== undefined)) {
      tests.push(conditional(check(node.if), optional(node.then), optional(node.else)));
    }
    if (node.unevaluatedProperties !== undefined) {
      tests.push(unevaluatedProperties(node, check(node.unevaluatedProperties)));
    }
    if (node.unevaluatedItems !== undefined) {
      tests.push(unevaluatedItems(node, check(node.unevaluatedItems)));
    }
    return tests;
  }

  function optional(node: Node | undefined): Check {
    return node === undefined ? always : check(node);
  }

  function unevaluatedProperties(node: Node, rest: Check): Check {
    const own = collect({ ...node, unevaluatedProperties: undefined });
    return (value) => !isMembers(value) || unevaluatedNames(own, value).every((name) => rest(value[name]));
  }

  function unevaluatedItems(node: Node, rest: Check): Check {
    const own = collect({ ...node, unevaluatedItems: undefined });
    return (value) => !Array.isArray(value) || unevaluatedIndices(own, value).every((i) => rest(value[i]));
  }

  return { check, collect };
}

function metered(check: Check, fuel: number, meter: Meter): Check {
  return (value) => {
    meter.enter(fuel, value);
    const conforms = check(value);
    meter.depth--;
    return conforms;
  };
}

function negate(check: Check): Check {
  return (value) => !check(value);
}

function conditional(condition: Check, then: Check, otherwise: Check): Check {
  return (value) => (condition(value) ? then(value) : otherwise(value));
}

/** The type and the keywords of each type, so that a declared type is tested once. */
function ownChecks(node: Node, compile: (node: Node) => Check): Check[] {
  const { types } = node;
  if (types === stringBit) {
    return [stringCheck(node, true) ?? typeCheck(stringBit)];
  }
  if (types === numberBit || types === integerBit) {
    return [numberCheck(node, types) ?? typeCheck(types)];
  }
  if (types === arrayBit) {
    return [arrayCheck(node, compile, true) ?? typeCheck(arrayBit)];
  }
  if (types === objectBit) {
    return [objectCheck(node, compile, true) ?? typeCheck(objectBit)];
  }
  const tests = [
    types === anyBits ? undefined : typeCheck(types),
    stringCheck(node, false),
    numberCheck(node, 0),
    arrayCheck(node, compile, false),
    objectCheck(node, compile, false),
  ];
  return tests.filter((test) => test !== undefined);
}
