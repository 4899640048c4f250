import type { Node } from "../ir/node.ts";
import { arrayOf, atom, unknownType, type Expression } from "./expression.ts";
import { anyArray } from "./literal-type.ts";
import type { TypeOfPart } from "./members.ts";

/** Maximum number of items whose types are written one by one. */
const maxItems = 100;

/** Returns whether a schema says anything about the items of arrays that a type can show. */
export function shapesArrays(node: Node): boolean {
  return node.prefixItems !== undefined || node.items !== undefined;
}

/** Returns the type of the arrays that a schema allows. */
export function arrayType(node: Node, typeOf: TypeOfPart): Expression {
  const { prefixItems = [], items, minItems = 0 } = node;
  if (prefixItems.length > maxItems) {
    return anyArray;
  }
  const rest = items === undefined ? unknownType : typeOf(items, "item");
  if (prefixItems.length === 0) {
    return items?.schema === false ? atom("[]") : arrayOf(rest);
  }
  const single = prefixItems.map((part, index) => {
    const { text, level } = typeOf(part, `item${index + 1}`);
    return index < minItems ? text : `${level < atom("").level ? `(${text})` : text}?`;
  });
  const more = items?.schema === false ? [] : [`...${arrayOf(rest).text}`];
  return atom(`[${[...single, ...more].join(", ")}]`);
}
