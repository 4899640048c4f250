import { followAlias, type Node } from "../ir/node.ts";
import { constantsOf, discriminatorOf, exclusiveMembers } from "../ir/union.ts";
import { anyBits, objectBit } from "../value/type.ts";
import { leaveTo, type Emitter, type Exit, type Mask } from "./emitter.ts";
import { isPrimitive, literal, member, setTest, typeTest } from "./literal.ts";

/** More constants than this are looked up in a set. */
const manyBranches = 8;

/** Statements for `anyOf` and `oneOf`. */
export function emitUnion(
  emitter: Emitter,
  union: readonly Node[],
  keyword: "anyOf" | "oneOf",
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  const discriminator = discriminatorOf(union);
  if (discriminator !== undefined) {
    const values = new Map<number, string[]>();
    for (const [value, index] of discriminator.branches) {
      values.set(index, [...(values.get(index) ?? []), value]);
    }
    return ofObjects(emitter, x, exit, () => {
      let code = `switch(${member(x, discriminator.key)}){`;
      for (const [index, branch] of union.entries()) {
        const cases = (values.get(index) ?? []).map((value) => `case ${literal(value)}:`).join("");
        if (cases !== "") {
          code += `${cases}{${emitter.emit(branch, x, exit, mask)}break}`;
        }
      }
      return `${code}default:${exit.fail(keyword, exit.at)}}`;
    });
  }
  const owners = exclusiveMembers(union);
  if (owners !== undefined) {
    return ofObjects(emitter, x, exit, () => {
      const branches = union.map((branch, index) => {
        const own = followAlias(branch).required?.find((name) => owners.get(name) === index) ?? "";
        return `if(${member(x, own)}!==undefined){${emitter.emit(branch, x, exit, mask)}}else `;
      });
      return `${branches.join("")}${exit.fail(keyword, exit.at)}`;
    });
  }
  return keyword === "anyOf" ? anyOf(emitter, union, x, exit, mask) : oneOf(emitter, union, x, exit, mask);
}

/** Statements that may take the value for an object: other values fail before. */
function ofObjects(emitter: Emitter, x: string, exit: Exit, emit: () => string): string {
  const before = emitter.known.get(x) ?? anyBits;
  const test = before === objectBit ? "" : `if(!(${typeTest(objectBit, x)}))${exit.fail("type", exit.at)}`;
  emitter.known.set(x, objectBit);
  const code = test + emit();
  emitter.known.set(x, before);
  return code;
}

function anyOf(
  emitter: Emitter,
  union: readonly Node[],
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  const branches = [...new Set(union.map(followAlias))];
  const values = constantsOf(branches);
  if (values !== undefined && values.length > manyBranches && values.every(isPrimitive)) {
    return `if(!${setTest(emitter.constant({ kind: "set", values }), values, x)})${exit.fail("anyOf", exit.at)}`;
  }
  if (mask === undefined) {
    // The first branch that holds leaves the outer block; falling through all of them is the
    // failure.
    const done = emitter.id("L");
    let code = `${done}:{`;
    for (const branch of branches) {
      const next = emitter.id("L");
      code += `${next}:{${emitter.emit(branch, x, leaveTo(next))}break ${done};}`;
    }
    return `${code}${exit.fail("anyOf", exit.at)}}`;
  }
  const met = emitter.id("b");
  let code = `let ${met}=false;`;
  for (const branch of branches) {
    code += maskedBranch(emitter, branch, x, mask, `${met}=true;`);
  }
  return `${code}if(!${met})${exit.fail("anyOf", exit.at)}`;
}

function oneOf(
  emitter: Emitter,
  union: readonly Node[],
  x: string,
  exit: Exit,
  mask: Mask | undefined,
): string {
  const count = emitter.id("n");
  let code = `let ${count}=0;`;
  for (const branch of union) {
    if (mask !== undefined) {
      code += maskedBranch(emitter, branch, x, mask, `${count}++;`);
    } else {
      const label = emitter.id("L");
      code += `${label}:{${emitter.emit(branch, x, leaveTo(label))}${count}++;}`;
    }
  }
  return `${code}if(${count}!==1)${exit.fail("oneOf", exit.at)}`;
}

function maskedBranch(emitter: Emitter, branch: Node, x: string, mask: Mask, success: string): string {
  const label = emitter.id("L");
  const inner: Mask = { bits: mask.bits, variable: emitter.id("m") };
  const body = emitter.emit(branch, x, leaveTo(label), inner);
  return `${label}:{let ${inner.variable}=0;${body}${success}${mask.variable}|=${inner.variable};}`;
}
