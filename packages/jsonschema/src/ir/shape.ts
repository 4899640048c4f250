import { anyBits, nullBit, stringBit } from "../value/type.ts";
import { followAlias, type Node } from "./node.ts";

const maxChoices = 8;

/** True for a schema object in which no keyword asserts but these. */
export function assertsOnly(node: Node, keywords: readonly string[]): boolean {
  const { schema, fuel, resource } = node;
  if (typeof schema !== "object" || fuel > 0) {
    return false;
  }
  const known = resource.dialect.keywords;
  return Object.keys(schema).every((key) => keywords.includes(key) || known.get(key)?.read === undefined);
}

const bounds = ["type", "minLength", "maxLength", "minimum", "maximum", "format"];

/**
 * For a node of one simple type: nothing but the type, the bounds of a length, `minimum` and
 * `maximum`.
 */
export function onlyBounds(node: Node): boolean {
  return node.format === undefined && assertsOnly(node, bounds);
}

/**
 * The values of a node whose `const` or `enum` is all that matters, if they are few and `===`
 * compares them.
 */
export function onlyChoices(node: Node): readonly unknown[] | undefined {
  const values = node.hasConst ? [node.const] : node.enum;
  if (values === undefined || values.length > maxChoices) {
    return undefined;
  }
  if (values.some((value) => typeof value === "object" && value !== null)) {
    return undefined;
  }
  const typed =
    node.types === anyBits ||
    (node.types === stringBit && values.every((value) => typeof value === "string"));
  return typed && assertsOnly(node, ["type", node.hasConst ? "const" : "enum"]) ? values : undefined;
}

/** For `anyOf` of something and `{ type: "null" }`, without other keywords: the something. */
export function otherThanNull(node: Node): Node | undefined {
  if (node.anyOf?.length !== 2 || !isBareUnion(node)) {
    return undefined;
  }
  const branches = node.anyOf.map(followAlias);
  const index = branches.findIndex((branch) => branch.types === nullBit && assertsOnly(branch, ["type"]));
  return index < 0 ? undefined : branches[1 - index];
}

/** True if `anyOf` is the only keyword that asserts. */
export function isBareUnion(node: Node): boolean {
  return assertsOnly(node, ["anyOf"]);
}
