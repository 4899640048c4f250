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
import type { Growth } from "./growth.ts";
import { itemsFor } from "./items.ts";
import { membersFor } from "./members.ts";
import { numberFor } from "./number.ts";
import { oneOf, type Random } from "./random.ts";
import { textFor } from "./text.ts";

/** A schema that requires itself has no end; its values stop at this depth, and do not conform. */
const deepest = 64;

/** A value that satisfies the nodes, as far as one attempt finds one. */
export function valueFor(roots: readonly Node[], growth: Growth, depth: number): unknown {
  if (depth > deepest) {
    return undefined;
  }
  const { random } = growth;
  const demand = demandOf(roots, random);
  growth.budget--;
  const types = demand.reduce((left, { types: right }) => common(left, right), anyBits | integerBit);
  const given = givenValues(demand, types);
  if (given !== undefined) {
    return given.length === 0 ? undefined : structuredClone(oneOf(random, given));
  }
  switch (chosenType(types, demand, random)) {
    case "null":
      return null;
    case "boolean":
      return random() < 0.5;
    case "number":
      return numberFor(demand, types, random);
    case "string":
      return textFor(demand, random);
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

/** The values of `const` and `enum` that all nodes allow; `undefined` if there is neither. */
function givenValues(demand: Demand, types: number): readonly unknown[] | undefined {
  const lists = demand.flatMap((node) => [
    ...(node.hasConst ? [[node.const]] : []),
    ...(node.enum === undefined ? [] : [node.enum]),
  ]);
  const [first, ...others] = lists.map((list) =>
    list.map((value) => [JSON.stringify(value), value] as const),
  );
  return first
    ?.filter(
      ([text, value]) => hasType(types, value) && others.every((list) => list.some(([one]) => one === text)),
    )
    .map(([, value]) => value);
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
