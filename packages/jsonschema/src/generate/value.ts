import type { Node } from "../ir/node.ts";
import {
  anyBits,
  arrayBit,
  booleanBit,
  hasType,
  integerBit,
  nullBit,
  numberBit,
  objectBit,
  stringBit,
} from "../value/type.ts";
import { demandOf, type Demand } from "./demand.ts";
import { deepest, type Growth } from "./growth.ts";
import { itemsFor } from "./items.ts";
import { membersFor } from "./members.ts";
import { numberFor } from "./number.ts";
import { oneOf, type Random } from "./random.ts";
import { textFor } from "./text.ts";

/** A value that satisfies the nodes, as far as one attempt finds one. */
export function valueFor(roots: readonly Node[], growth: Growth, depth: number): unknown {
  if (depth > deepest) {
    return undefined;
  }
  const { random } = growth;
  const demand = demandOf(roots, random);
  growth.budget--;
  growth.allowance.value();
  growth.allowance.step(1 + demand.length);
  const types = demand.reduce((left, { types: right }) => common(left, right), anyBits | integerBit);
  const given = givenValues(demand, types, growth);
  if (given !== undefined) {
    if (given.length === 0) {
      return undefined;
    }
    const [text, value] = oneOf(random, given);
    growth.allowance.text(text?.length ?? 0);
    growth.allowance.step((text?.length ?? 0) >> 4);
    return structuredClone(value);
  }
  switch (chosenType(types, demand, random)) {
    case "null":
      return null;
    case "boolean":
      return random() < 0.5;
    case "number":
      return numberFor(demand, types, random);
    case "string":
      return textFor(demand, growth);
    case "array":
      return itemsFor(demand, growth, depth);
    default:
      return membersFor(demand, growth, depth);
  }
}

function common(left: number, right: number): number {
  const both = left & right;
  const isNumber = ((left | right) & numberBit) !== 0;
  // A mask with NUMBER takes whole numbers, too.
  return isNumber && ((left | right) & integerBit) !== 0 && (both & numberBit) === 0
    ? takesWhole(left) && takesWhole(right)
      ? both | integerBit
      : both & ~integerBit
    : both;
}

function takesWhole(types: number): boolean {
  return (types & (numberBit | integerBit)) !== 0;
}

/** A value and its JSON. `undefined` has no JSON. */
type Given = readonly [text: string | undefined, value: unknown];

const listsOfNodes = new WeakMap<Node, readonly (readonly Given[])[]>();

/** The values of `const` and of `enum`, if the node has them. */
function listsOf(node: Node): readonly (readonly Given[])[] {
  const known = listsOfNodes.get(node);
  if (known !== undefined) {
    return known;
  }
  const lists = [...(node.hasConst ? [[node.const]] : []), ...(node.enum === undefined ? [] : [node.enum])];
  const made = lists.map((list) =>
    list.map((value): Given => [JSON.stringify(value) as string | undefined, value]),
  );
  listsOfNodes.set(node, made);
  return made;
}

/** The values of `const` and `enum` that all nodes allow; `undefined` if there is neither. */
function givenValues(demand: Demand, types: number, { allowance }: Growth): readonly Given[] | undefined {
  const [first, ...others] = demand.flatMap(listsOf);
  for (const list of others) {
    allowance.step(list.length);
  }
  allowance.step((first?.length ?? 0) >> 4);
  const texts = others.map((list) => new Set(list.map(([text]) => text)));
  return first?.filter(([text, value]) => hasType(types, value) && texts.every((all) => all.has(text)));
}

type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

function chosenType(types: number, demand: Demand, random: Random): Kind | undefined {
  const kinds = (
    [
      [nullBit, "null"],
      [booleanBit, "boolean"],
      [numberBit | integerBit, "number"],
      [stringBit, "string"],
      [arrayBit, "array"],
      [objectBit, "object"],
    ] as const
  )
    .filter(([bits]) => (types & bits) !== 0)
    .map(([, kind]) => kind);
  // Keywords of objects and arrays apply to these alone, so those are the values worth having.
  const meant = kinds.filter((kind) => demand.some((node) => isMeantFor(node, kind)));
  return meant.length > 0 && random() < 0.9
    ? oneOf(random, meant)
    : kinds.length > 0
      ? oneOf(random, kinds)
      : undefined;
}

function isMeantFor(node: Node, kind: Kind): boolean {
  switch (kind) {
    case "object":
      return (node.properties ?? node.required ?? node.minProperties ?? node.patternProperties) !== undefined;
    case "array":
      return (node.items ?? node.prefixItems ?? node.contains ?? node.minItems) !== undefined;
    case "string":
      return (node.pattern ?? node.minLength ?? node.maxLength ?? node.format) !== undefined;
    case "number":
      return (node.minimum ?? node.maximum ?? node.multipleOf ?? node.exclusiveMinimum) !== undefined;
    default:
      return false;
  }
}
