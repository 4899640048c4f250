import type { Node } from "../ir/node.ts";
import { escapeToken } from "../reference/pointer.ts";
import { below, type Emitter, type Exit, type Mask } from "./emitter.ts";
import { literal, member } from "./literal.ts";

/** Statements for the keywords of objects, for a value known to be one. */
export function emitMembers(
  emitter: Emitter,
  node: Node,
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  const required = new Set(node.required);
  const patterns = node.patternProperties ?? [];
  const closed =
    node.additionalProperties?.schema === false && patterns.length === 0 && node.propertyNames === undefined;
  const count = closed && node.properties !== undefined ? emitter.id("n") : "";
  let code = count === "" ? "" : `let ${count}=0;`;
  let bits = 0;
  for (const [name, child] of node.properties ?? []) {
    bits |= mask?.bits.get(name) ?? 0;
    const value = emitter.id("x");
    const step = below(exit, emitter.locate, literal(`/${escapeToken(name)}`));
    let body = (count === "" ? "" : `${count}++;`) + emitter.emit(child, value, step);
    for (const [pattern, other] of patterns) {
      if (pattern.test(name)) {
        body += emitter.emit(other, value, step);
      }
    }
    if (required.has(name)) {
      code += `const ${value}=${member(x, name)};if(${value}===undefined)${exit.fail("required", step.at)}${body}`;
    } else if (body !== "") {
      code += `const ${value}=${member(x, name)};if(${value}!==undefined){${body}}`;
    }
  }
  if (mask !== undefined && bits !== 0) {
    code += `${mask.variable}|=${bits};`;
  }
  for (const name of required) {
    if (node.properties?.has(name) === true) {
      continue;
    }
    const step = below(exit, emitter.locate, literal(`/${escapeToken(name)}`));
    code += `if(${member(x, name)}===undefined)${exit.fail("required", step.at)}`;
  }
  code += closed ? emitClosed(emitter, node, x, exit, count) : "";
  return code + emitWalk(emitter, node, x, exit, closed) + emitDependent(emitter, node, x, exit, mask);
}

/**
 * No other property: as many properties as declared ones were seen. The helper looks again, since
 * `undefined` ones do not count.
 */
function emitClosed(emitter: Emitter, node: Node, x: string, exit: Exit, count: string): string {
  const key = emitter.id("k");
  const names = emitter.constant({ kind: "set", values: [...(node.properties?.keys() ?? [])] });
  const other = `${emitter.helper("hasOther")}(${x},${names})`;
  const fail = exit.fail("additionalProperties", exit.at);
  if (count === "") {
    return `if(${other})${fail}`;
  }
  return `for(const ${key} in ${x})${count}--;if(${count}!==0&&${other})${fail}`;
}

/** One loop over the properties, for all that is not asked by name. */
function emitWalk(emitter: Emitter, node: Node, x: string, exit: Exit, closed: boolean): string {
  const { minProperties: min = 0, maxProperties: max } = node;
  const [key, value, known] = [emitter.id("k"), emitter.id("x"), emitter.id("b")];
  const step = below(exit, emitter.locate, `"/"+${key}`);
  const declared = [...(node.properties?.keys() ?? [])];
  const patterns = node.patternProperties ?? [];
  const rest =
    node.additionalProperties === undefined || closed
      ? ""
      : emitter.emit(node.additionalProperties, value, step);
  const mark = rest === "" || patterns.length === 0 ? "" : `${known}=true;`;
  let others = "";
  for (const [pattern, child] of patterns) {
    const hit = mark + emitter.emit(child, value, step);
    if (hit !== "") {
      others += `if(${emitter.constant({ kind: "pattern", pattern })}.test(${key})){${hit}}`;
    }
  }
  others = mark === "" ? others + rest : `let ${known}=false;${others}if(!${known}){${rest}}`;
  // Which patterns match a declared name is known: those were tested together with the property.
  if (others !== "" && declared.length > 0) {
    others = `if(${isDeclared(emitter, declared, key)})continue;${others}`;
  }
  if (node.propertyNames !== undefined) {
    others = emitter.emit(node.propertyNames, key, step) + others;
  }
  const counted = min > 0 || max !== undefined;
  if (others === "" && !counted) {
    return "";
  }
  if (others === "" && max === undefined) {
    return atLeast(emitter, min, x, exit);
  }
  const count = emitter.id("n");
  let code = `for(const ${key} in ${x}){const ${value}=${x}[${key}];if(${value}===undefined)continue;`;
  code = counted ? `let ${count}=0;${code}${count}++;${others}}` : `${code}${others}}`;
  if (min > 0) {
    code += `if(${count}<${min})${exit.fail("minProperties", exit.at)}`;
  }
  if (max !== undefined) {
    code += `if(${count}>${max})${exit.fail("maxProperties", exit.at)}`;
  }
  return code;
}

function atLeast(emitter: Emitter, min: number, x: string, exit: Exit): string {
  const [key, count] = [emitter.id("k"), emitter.id("n")];
  const look = `for(const ${key} in ${x})if(${x}[${key}]!==undefined&&++${count}===${min})break;`;
  return `let ${count}=0;${look}if(${count}<${min})${exit.fail("minProperties", exit.at)}`;
}

function isDeclared(emitter: Emitter, names: readonly string[], key: string): string {
  if (names.length > 8) {
    return `${emitter.constant({ kind: "set", values: names })}.has(${key})`;
  }
  return names.map((name) => `${key}===${literal(name)}`).join("||") || "false";
}

function emitDependent(emitter: Emitter, node: Node, x: string, exit: Exit, mask: Mask | undefined): string {
  let code = "";
  for (const [name, needed] of node.dependentRequired ?? []) {
    if (needed.length === 0) {
      continue;
    }
    const missing = needed.map((other) => `${member(x, other)}===undefined`).join("||");
    code += `if(${member(x, name)}!==undefined&&(${missing}))${exit.fail("dependentRequired", exit.at)}`;
  }
  for (const [name, child] of node.dependentSchemas ?? []) {
    const body = emitter.emit(child, x, exit, mask);
    if (body !== "") {
      code += `if(${member(x, name)}!==undefined){${body}}`;
    }
  }
  return code;
}
