import type { Program } from "../build/build.ts";
import type { Meter } from "../ir/meter.ts";
import type { Node } from "../ir/node.ts";
import { assertsOnly } from "../ir/shape.ts";
import { discriminatorOf } from "../ir/union.ts";
import { escapeToken } from "../reference/pointer.ts";
import { assertionsOf, type Assertion } from "../report/assertion.ts";
import { additional, missing } from "../report/members.ts";
import { below, keywordAt, newBase, type Place } from "../report/place.ts";
import { placedAt, reportFailed } from "../report/placed.ts";
import { asserting, type ReportContext } from "../report/reporter.ts";
import type { Reporter } from "../report/sink.ts";
import { arrayBit, objectBit } from "../value/type.ts";
import { createGenerator, type Generator } from "./emit.ts";
import { leaveTo } from "./emitter.ts";
import { loaded, load } from "./engine.ts";
import { literal, member, typeTest } from "./literal.ts";

const objectKeywords = ["type", "properties", "required", "additionalProperties"];
const arrayKeywords = ["type", "items", "minItems", "maxItems"];
const scalarKeywords = [
  "type",
  "const",
  "enum",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "format",
];

/** Deeper than this, subschemas are left to the error walker. */
const maxDepth = 12;

/**
 * Generates code that finds the properties and items that do not conform. For these values it calls
 * the error walker, which reports their errors. It also calls the walker where a schema has another
 * shape than the generator supports.
 */
export function generateReporter({ root }: Program, meter: Meter, walker: ReportContext): Reporter {
  const generator = createGenerator([root], loaded);
  const body = reportCode(generator, walker)(root, "v", newBase(), "a");
  const { functions, ...rest } = generator.generated(["r"]);
  return load({ ...rest, functions: [...functions, `function r(v,p,a,s){${body}}`] }, meter) as Reporter;
}

/**
 * Writes the statements that report on the value of `x`; `at` is an expression for where the place
 * counts from.
 */
type Write = (node: Node, x: string, place: Place, at: string) => string;

function reportCode({ emitter, isShared }: Generator, walker: ReportContext): Write {
  let depth = 0;

  function constant(value: unknown): string {
    return emitter.constant({ kind: "value", value });
  }

  function call(report: Reporter, x: string, at: string): string {
    return `${constant(report)}(${x},p,${at},s);`;
  }

  const report: Write = (node, x, place, at) => {
    if (node.schema === true) {
      return "";
    }
    const shaped = node.schema !== false && depth < maxDepth && !isShared(node) ? shape(node) : undefined;
    if (shaped === undefined) {
      return ask(node, x, place, at);
    }
    depth++;
    const code = shaped(node, x, place, at);
    depth--;
    return code;
  };

  function shape(node: Node): Write | undefined {
    if (node.ref !== undefined && node.alias === node.ref) {
      return (_, x, place, at) => report(node.ref as Node, x, below(place, "/$ref", ""), at);
    }
    if (node.types === objectBit && assertsOnly(node, objectKeywords)) {
      return members;
    }
    if (node.types === arrayBit && node.items !== undefined && node.prefixItems === undefined) {
      return assertsOnly(node, arrayKeywords) ? items : undefined;
    }
    if (assertsOnly(node, scalarKeywords)) {
      return scalars;
    }
    if (assertsOnly(node, ["anyOf"]) || assertsOnly(node, ["oneOf"])) {
      return discriminatorOf(branchesOf(node)) && union;
    }
    return undefined;
  }

  /** The walker is asked if the value does not conform, as the whole is likely not to. */
  const ask: Write = (node, x, place, at) => {
    if (place.location === "") {
      return call(walker.reporterAt(node, place), x, at);
    }
    const [conforms, fails] = [emitter.id("L"), emitter.id("L")];
    const test = emitter.emit(node, x, leaveTo(fails));
    if (test === "") {
      return "";
    }
    return `${conforms}:{${fails}:{${test}break ${conforms};}${call(walker.reporterAt(node, place), x, at)}}`;
  };

  const scalars: Write = (node, x, place, at) => {
    const assertions = new Map(assertionsOf(node).map((one) => [one.keyword, one]));
    return emitter.emit(node, x, {
      at: "",
      goesOn: true,
      fail(keyword) {
        const assertion = assertions.get(keyword) as Assertion;
        return `${constant(reportFailed)}(${constant(placedAt(node, place, assertion))},${x},p,${at},s);`;
      },
      failed: () => "",
    });
  };

  const members: Write = (node, x, place, at) => {
    const { properties = new Map<string, Node>(), required = [], additionalProperties: rest } = node;
    const [key, value, count] = [emitter.id("k"), emitter.id("x"), emitter.id("n")];
    const needed = new Set(required);
    let cases = "";
    for (const [name, child] of properties) {
      const token = `/${escapeToken(name)}`;
      const code =
        (needed.has(name) ? `${count}++;` : "") +
        report(child, value, below(place, `/properties${token}`, token), at);
      if (code !== "" || rest !== undefined) {
        cases += `case ${literal(name)}:{${code}break}`;
      }
    }
    if (rest !== undefined) {
      const other = `${constant(additional(node, rest, place, walker))}(${key},${value},p,${at},s);`;
      cases += `default:{${other}if(s.issues.length>=s.max)return}`;
    }
    const walk = `for(const ${key} in ${x}){const ${value}=${x}[${key}];if(${value}!==undefined)switch(${key}){${cases}}}`;
    const absent = call(missing(required, "", keywordAt(node, place, "required")) as Reporter, x, at);
    return whenTyped(
      node,
      x,
      place,
      at,
      required.length === 0 ? walk : `let ${count}=0;${walk}if(${count}!==${required.length})${absent}`,
    );
  };

  const items: Write = (node, x, place, at) => {
    const [i, item] = [emitter.id("i"), emitter.id("x")];
    const { minItems = 0, maxItems = Infinity } = node;
    const own = call(asserting(node, place, assertionsOf(node)), x, at);
    const bounds =
      minItems === 0 && maxItems === Infinity
        ? ""
        : `if(${x}.length<${minItems}||${x}.length>${maxItems})${own}`;
    const step = `${at}+${literal(`${place.instance}/`)}+${i}`;
    const { keyword } = keywordAt(node, place, "items");
    const code = report(node.items as Node, item, below(place, `/${keyword}`), step);
    const walk = `for(let ${i}=0;${i}<${x}.length&&s.issues.length<s.max;${i}++){const ${item}=${x}[${i}];${code}}`;
    return whenTyped(node, x, place, at, code === "" ? bounds : bounds + walk);
  };

  const union: Write = (node, x, place, at) => {
    const keyword = node.anyOf === undefined ? "oneOf" : "anyOf";
    const branches = branchesOf(node);
    const { key, branches: selectors } = discriminatorOf(branches) ?? {
      key: "",
      branches: new Map<string, number>(),
    };
    let cases = "";
    for (const [i, branch] of branches.entries()) {
      const own = [...selectors].filter(([, index]) => index === i);
      if (own.length === 0) {
        continue;
      }
      cases += own.map(([selector]) => `case ${literal(selector)}:`).join("");
      cases += `{${report(branch, x, below(place, `/${keyword}/${i}`, ""), at)}break}`;
    }
    const otherwise = call(walker.reporterAt(node, place), x, at);
    return `if(${typeTest(objectBit, x)})switch(${member(x, key)}){${cases}default:${otherwise}}else ${otherwise}`;
  };

  /** The walker reports all errors of values of other types. */
  function whenTyped(node: Node, x: string, place: Place, at: string, code: string): string {
    return `if(${typeTest(node.types, x)}){${code}}else ${call(walker.reporterAt(node, place), x, at)}`;
  }

  return report;
}

function branchesOf(node: Node): readonly Node[] {
  return node.anyOf ?? node.oneOf ?? [];
}
