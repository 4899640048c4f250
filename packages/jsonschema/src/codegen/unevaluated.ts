import { evaluatedNames } from "../ir/evaluated.ts";
import type { Node } from "../ir/node.ts";
import { arrayBit, objectBit } from "../value/type.ts";
import { below, type Emitter, type Exit, type Mask } from "./emitter.ts";
import { literal, typeTest } from "./literal.ts";

/**
 * The mask a node's `unevaluatedProperties` needs: with a variable if branches decide, none if all
 * names are certain.
 */
export function maskOf(node: Node): Mask | undefined {
  const names = evaluatedNames(node);
  if (names === undefined) {
    return undefined;
  }
  return { bits: names.bits, variable: names.conditional ? "?" : "" };
}

/**
 * Statements for `unevaluatedProperties` and `unevaluatedItems`; they come after everything else of
 * the node.
 */
export function emitUnevaluated(
  emitter: Emitter,
  node: Node,
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  let code = "";
  if (node.unevaluatedProperties !== undefined) {
    code += members(emitter, node, node.unevaluatedProperties, x, exit, mask);
  }
  if (node.unevaluatedItems !== undefined) {
    code += items(emitter, node, node.unevaluatedItems, x, exit);
  }
  return code;
}

function members(
  emitter: Emitter,
  node: Node,
  schema: Node,
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  const [key, value] = [emitter.id("k"), emitter.id("x")];
  const body = emitter.emit(schema, value, below(exit, emitter.locate, `"/"+${key}`));
  if (body === "") {
    return "";
  }
  const loop = (skip: string): string =>
    `for(const ${key} in ${x}){const ${value}=${x}[${key}];if(${value}===undefined)continue;${skip}${body}}`;
  let code: string;
  if (mask === undefined) {
    const seen = emitter.id("e");
    const collect = emitter.collector({ ...node, unevaluatedProperties: undefined });
    code =
      `const ${seen}=${emitter.helper("nothingEvaluated")}();${collect}(${x},${seen});` +
      `if(!${seen}.everyName)${loop(`if(${emitter.helper("hasOne")}(${seen}.names,${key}))continue;`)}`;
  } else if (mask.variable === "") {
    const names = [...mask.bits.keys()];
    const test =
      names.length > 8
        ? `${emitter.constant({ kind: "set", values: names })}.has(${key})`
        : names.map((name) => `${key}===${literal(name)}`).join("||") || "false";
    code = loop(`if(${test})continue;`);
  } else {
    const cases = [...mask.bits].map(
      ([name, bit]) => `case ${literal(name)}:if(${mask.variable}&${bit})continue;break;`,
    );
    code = loop(`switch(${key}){${cases.join("")}}`);
  }
  return node.types === objectBit ? code : `if(${typeTest(objectBit, x)}){${code}}`;
}

function items(emitter: Emitter, node: Node, schema: Node, x: string, exit: Exit): string {
  const [i, value, seen] = [emitter.id("i"), emitter.id("x"), emitter.id("e")];
  const body = emitter.emit(schema, value, below(exit, emitter.locate, `"/"+${i}`));
  if (body === "") {
    return "";
  }
  const collect = emitter.collector({ ...node, unevaluatedItems: undefined });
  const code =
    `const ${seen}=${emitter.helper("nothingEvaluated")}();${collect}(${x},${seen});` +
    `if(!${seen}.everyItem)for(let ${i}=${seen}.prefix;${i}<${x}.length;${i}++)` +
    `if(!${emitter.helper("hasOne")}(${seen}.indices,${i})){const ${value}=${x}[${i}];${body}}`;
  return node.types === arrayBit ? `{${code}}` : `if(${typeTest(arrayBit, x)}){${code}}`;
}
