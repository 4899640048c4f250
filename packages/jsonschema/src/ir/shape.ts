import { ANY, NULL, STRING } from "../value/type.ts";
import { followAlias, type Node } from "./node.ts";

const MAX_CHOICES = 8;

/** For a node of one simple type: nothing but the type, the bounds of a length, `minimum` and `maximum`. */
export function onlyBounds(node: Node): boolean {
  return isPlain(node) && BEYOND_BOUNDS.every((keyword) => node[keyword] === undefined);
}

const BEYOND_BOUNDS = [
  "pattern",
  "format",
  "content",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
] as const;

/** True if the node has no subschema, no `const` and no `enum`: its type and simple bounds are all there is. */
function isPlain(node: Node): boolean {
  return (
    !node.hasConst &&
    node.enum === undefined &&
    node.fuel === 0 &&
    typeof node.schema === "object" &&
    node.leaf
  );
}

/** The values of a node whose `const` or `enum` is all that matters, if they are few and `===` compares them. */
export function onlyChoices(node: Node): readonly unknown[] | undefined {
  const values = node.hasConst ? [node.const] : node.enum;
  if (values === undefined || values.length > MAX_CHOICES || (node.hasConst && node.enum !== undefined))
    return undefined;
  if (!node.leaf || node.fuel > 0 || typeof node.schema !== "object") return undefined;
  if (values.some((value) => typeof value === "object" && value !== null)) return undefined;
  const { keywords } = node.resource.dialect;
  const typed =
    node.types === ANY || (node.types === STRING && values.every((value) => typeof value === "string"));
  const alone = Object.keys(node.schema).every(
    (key) => key === "enum" || key === "const" || key === "type" || keywords.get(key)?.read === undefined,
  );
  return typed && alone ? values : undefined;
}

/** For `anyOf` of something and `{ type: "null" }`, with nothing beside it: the something. */
export function otherThanNull(node: Node): Node | undefined {
  const { anyOf } = node;
  if (anyOf === undefined || anyOf.length !== 2 || node.fuel > 0 || !isBareUnion(node)) return undefined;
  const [a, b] = anyOf.map(followAlias);
  if (a === undefined || b === undefined) return undefined;
  if (b.types === NULL && isPlain(b)) return a;
  return a.types === NULL && isPlain(a) ? b : undefined;
}

/** True if `anyOf` is the only keyword that asserts. */
export function isBareUnion(node: Node): boolean {
  if (node.types !== ANY || node.hasConst || node.enum !== undefined || typeof node.schema === "boolean")
    return false;
  const { keywords } = node.resource.dialect;
  return Object.keys(node.schema).every((key) => key === "anyOf" || keywords.get(key)?.read === undefined);
}
