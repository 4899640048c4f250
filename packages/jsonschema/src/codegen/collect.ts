import { containsEvaluates } from "../ir/evaluated.ts";
import type { Node } from "../ir/node.ts";
import { arrayBit, objectBit } from "../value/type.ts";
import type { Emitter } from "./emitter.ts";
import { literal, member, typeTest } from "./literal.ts";

/**
 * Generates the functions that collect what a subschema evaluates of a conforming value (core §11),
 * for `unevaluatedProperties` and `unevaluatedItems` where the names are not known at compile time.
 */
export function createCollectors(
  emitter: Emitter,
  functions: string[],
  typed: boolean,
): (node: Node) => string {
  const signature = typed ? "(v:any,e:any):void" : "(v,e)";
  const names = new Map<Node, string>();

  function collectorOf(node: Node): string {
    let name = names.get(node);
    if (name !== undefined) {
      return name;
    }
    names.set(node, (name = emitter.id("c")));
    const index = functions.push("") - 1;
    const once = node.fuel > 0 ? `if(${emitter.helper("seenBefore")}(e,${literal(name)}))return;` : "";
    functions[index] = `function ${name}${signature}{${once}${members(node)}${items(node)}${branches(node)}}`;
    return name;
  }

  function members(node: Node): string {
    if (node.additionalProperties !== undefined || node.unevaluatedProperties !== undefined) {
      return "e.everyName=true;";
    }
    let code = "";
    if (node.properties !== undefined && node.properties.size > 0) {
      code += `e.names.push(${emitter.constant({ kind: "set", values: [...node.properties.keys()] })});`;
    }
    const patterns = (node.patternProperties ?? []).map(
      ([pattern]) => `${emitter.constant({ kind: "pattern", pattern })}.test(k)`,
    );
    if (patterns.length > 0) {
      code += `e.names.push({has:${typed ? "(k:string)" : "k"}=>${patterns.join("||")}});`;
    }
    return code;
  }

  function items(node: Node): string {
    if (node.items !== undefined || node.unevaluatedItems !== undefined) {
      return "e.everyItem=true;";
    }
    const count = node.prefixItems?.length ?? 0;
    let code = count === 0 ? "" : `if(e.prefix<${count})e.prefix=${count};`;
    if (node.contains !== undefined && containsEvaluates(node)) {
      const test = emitter.test(node.contains, "v[i]");
      code += `if(${typeTest(arrayBit, "v")})e.indices.push({has:${typed ? "(i:number)" : "i"}=>${test}});`;
    }
    return code;
  }

  function branches(node: Node): string {
    let code = "";
    const call = (child: Node): string =>
      typeof child.schema === "boolean" ? "" : `${collectorOf(child)}(v,e);`;
    for (const child of [node.ref, node.dynamicRef, ...(node.allOf ?? [])]) {
      if (child !== undefined) {
        code += call(child);
      }
    }
    for (const child of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      if (call(child) !== "") {
        code += `if(${emitter.test(child, "v")}){${call(child)}}`;
      }
    }
    if (node.if !== undefined) {
      const then = node.then === undefined ? "" : call(node.then);
      const otherwise = node.else === undefined ? "" : call(node.else);
      code += `if(${emitter.test(node.if, "v")}){${call(node.if)}${then}}else{${otherwise}}`;
    }
    for (const [name, child] of node.dependentSchemas ?? []) {
      if (call(child) !== "") {
        code += `if(${typeTest(objectBit, "v")}&&${member("v", name)}!==undefined){${call(child)}}`;
      }
    }
    return code;
  }

  return collectorOf;
}
