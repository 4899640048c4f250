import type { Node } from "../ir/node.ts";
import { commentOf } from "./comment.ts";
import { propertyName } from "./escape.ts";
import { atom, indented, neverType, union, unknownType, type Expression } from "./expression.ts";
import { anyObject } from "./literal-type.ts";

/** Writes the type of a subschema. @param hint - The name of the property, for names of types. */
export type TypeOfPart = (node: Node, hint: string) => Expression;

/** Maximum number of names in `propertyNames` that become properties. */
const maxNames = 200;

interface Member {
  readonly type: Expression;
  readonly isOptional: boolean;
  readonly comment: string;
}

/** Returns whether a schema says anything about the properties of objects that a type can show. */
export function shapesObjects(node: Node): boolean {
  return (
    node.properties !== undefined ||
    node.required !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    namesIn(node) !== undefined
  );
}

/** Returns the type of the objects that a schema allows. */
export function objectType(node: Node, typeOf: TypeOfPart): Expression {
  const members = membersOf(node, typeOf);
  const other = otherMembers(node, typeOf, members);
  if (members.size === 0 && other === undefined) {
    return anyObject;
  }
  const lines = [...members].map(
    ([name, { type, isOptional, comment }]) =>
      `${comment}${propertyName(name)}${isOptional ? "?" : ""}: ${type.text};`,
  );
  if (other !== undefined) {
    lines.push(`[name: string]: ${other.text};`);
  }
  return atom(`{\n  ${lines.map(indented).join("\n  ")}\n}`);
}

function membersOf(node: Node, typeOf: TypeOfPart): ReadonlyMap<string, Member> {
  const required = new Set(node.required);
  const members = new Map<string, Member>();
  for (const [name, part] of node.properties ?? []) {
    members.set(name, {
      type: typeOf(part, name),
      isOptional: !required.has(name),
      comment: commentOf(part.schema),
    });
  }
  const rest = (name: string): Expression =>
    node.additionalProperties === undefined || node.patternProperties !== undefined
      ? unknownType
      : typeOf(node.additionalProperties, name);
  for (const name of namesIn(node) ?? []) {
    if (!members.has(name)) {
      members.set(name, { type: rest(name), isOptional: !required.has(name), comment: "" });
    }
  }
  for (const name of required) {
    if (!members.has(name)) {
      members.set(name, { type: rest(name), isOptional: false, comment: "" });
    }
  }
  return members;
}

/**
 * Returns the type of the properties without a name of their own, which includes the types of the
 * others, as TypeScript demands. `undefined` if the type does not mention them.
 */
function otherMembers(
  node: Node,
  typeOf: TypeOfPart,
  members: ReadonlyMap<string, Member>,
): Expression | undefined {
  const { additionalProperties, patternProperties } = node;
  const isClosed = additionalProperties?.schema === false;
  if (patternProperties === undefined) {
    if (isClosed) {
      return members.size === 0 ? neverType : undefined;
    }
    if (
      namesIn(node) !== undefined ||
      additionalProperties === undefined ||
      additionalProperties.schema === true
    ) {
      return undefined;
    }
  }
  if (
    patternProperties !== undefined &&
    (additionalProperties === undefined || additionalProperties.schema === true)
  ) {
    return unknownType;
  }
  const types = [...members.values()].flatMap(({ type, isOptional }) =>
    isOptional ? [type, atom("undefined")] : [type],
  );
  for (const [, part] of patternProperties ?? []) {
    types.push(typeOf(part, "value"));
  }
  if (additionalProperties !== undefined && !isClosed) {
    types.push(typeOf(additionalProperties, "value"));
  }
  return union(types);
}

/** The only names that properties may have, if the schema lists them. */
function namesIn({ propertyNames, additionalProperties, properties }: Node): readonly string[] | undefined {
  const names = propertyNames?.enum;
  return properties === undefined &&
    additionalProperties !== undefined &&
    names !== undefined &&
    names.length <= maxNames
    ? names.filter((name) => typeof name === "string")
    : undefined;
}
