import { isMembers } from "../value/members.ts";
import { literal, propertyName } from "./escape.ts";
import { arrayOf, atom, unknownType, type Expression } from "./expression.ts";

/** Depth of a literal below which its type is `{ [name: string]: unknown }` or `unknown[]`. */
const maxDepth = 8;

/** The type of any object. */
export const anyObject: Expression = atom("{ [name: string]: unknown }");

/** The type of any array. */
export const anyArray: Expression = arrayOf(unknownType);

/** Returns the type of one JSON value. */
export function literalType(value: unknown, depth = 0): Expression {
  switch (typeof value) {
    case "string":
      return atom(literal(value));
    case "number":
      return atom(JSON.stringify(value));
    case "boolean":
      return atom(String(value));
    case "bigint":
      return atom("number");
    default:
  }
  if (value === null) {
    return atom("null");
  }
  if (Array.isArray(value)) {
    const items = (): string => value.map((item) => literalType(item, depth + 1).text).join(", ");
    return depth >= maxDepth ? anyArray : atom(`[${items()}]`);
  }
  if (!isMembers(value) || depth >= maxDepth) {
    return isMembers(value) ? anyObject : unknownType;
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${propertyName(name)}: ${literalType(member, depth + 1).text}`,
  );
  return members.length === 0 ? anyObject : atom(`{ ${members.join("; ")} }`);
}
