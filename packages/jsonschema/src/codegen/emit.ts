import { followAlias, type Node } from "../ir/node.ts";
import { anyBits, arrayBit, integerBit, numberBit, objectBit, stringBit } from "../value/type.ts";
import { createCollectors } from "./collect.ts";
import { leaveTo, type Constant, type Emitter, type Exit, type HelperName, type Mask } from "./emitter.ts";
import { emitItems } from "./items.ts";
import { isPrimitive, literal, setTest, typeTest } from "./literal.ts";
import { emitMembers } from "./members.ts";
import { emitUnevaluated, maskOf } from "./unevaluated.ts";
import { emitUnion } from "./union.ts";

/** JavaScript that validates: function declarations, and the values that they refer to. */
export interface Generated {
  readonly functions: readonly string[];
  readonly constants: ReadonlyMap<string, Constant>;
  readonly helpers: ReadonlySet<HelperName>;
  /** Names of the functions of the roots, in order. */
  readonly entries: readonly string[];
}

/** Options of the generator. */
export interface GenerateOptions {
  /**
   * Record the instance location and keyword of the first failure in the variables `at` and `why`.
   */
  readonly locate: boolean;
  /** Name of the meter that counts for charged nodes. */
  readonly meter: string;
  /** Annotate functions for TypeScript. */
  readonly typed: boolean;
}

/** More values than this are looked up in a set, if they are primitive. */
const manyChildren = 8;

/** Deeper nesting than this is moved into a function of its own. */
const maxNesting = 12;

/** Generates one function per root, sharing the functions of subschemas. */
export function generate(roots: readonly Node[], options: GenerateOptions): Generated {
  const { functionOf, generated } = createGenerator(roots, options);
  return generated(roots.map(functionOf));
}

/** Generates code around the functions of subschemas. */
export interface Generator {
  readonly emitter: Emitter;
  /** The name of the function that tests a node. */
  functionOf(node: Node): string;
  /**
   * True for a node that is applied more than once, or charged for: it has a function of its own.
   */
  isShared(node: Node): boolean;
  /** All that was asked for so far. */
  generated(entries: readonly string[]): Generated;
}

/** A generator for what these roots reach. */
export function createGenerator(
  roots: readonly Node[],
  { locate, meter, typed }: GenerateOptions,
): Generator {
  const functions: string[] = [];
  const constants = new Map<string, Constant>();
  const constantNames = new Map<unknown, string>();
  const helpers = new Set<HelperName>();
  const names = new Map<Node, string>();
  const uses = countUses(roots);
  const pending: (() => void)[] = [];
  const signature = typed ? "(v:any):boolean" : "(v)";
  let counter = 0;
  let nesting = 0;

  const returns: Exit = {
    at: locate ? '""' : "",
    fail: (keyword, at) => (locate ? `{at=${at};why=${literal(keyword)};return false}` : "return false;"),
    failed: (at) => (locate && at !== '""' ? `{at=${at}+at;return false}` : "return false;"),
  };

  const emitter: Emitter = {
    locate,
    known: new Map(),
    id: (prefix) => prefix + String(counter++),
    constant(value) {
      const key =
        value.kind === "pattern"
          ? value.pattern
          : value.kind === "set"
            ? value.values
            : value.kind === "format"
              ? value.test
              : value.value;
      const known = constantNames.get(key);
      if (known !== undefined) {
        return known;
      }
      const name = `K${constants.size}`;
      constantNames.set(key, name);
      constants.set(name, value);
      return name;
    },
    helper(name) {
      helpers.add(name);
      return name;
    },
    emit,
    test: (node, x) =>
      node.schema === true ? "true" : node.schema === false ? "false" : `${functionOf(node)}(${x})`,
    collector: (node) => collectorOf(node),
  };
  const collectorOf = createCollectors(emitter, functions, typed);

  function functionOf(node: Node): string {
    const target = followAlias(node);
    let name = names.get(target);
    if (name !== undefined) {
      return name;
    }
    names.set(target, (name = emitter.id("f")));
    const index = functions.push("") - 1;
    const own = name;
    pending.push(() => {
      nesting = 0;
      emitter.known.clear();
      const body = `${statements(target, "v", returns)}return true;`;
      functions[index] =
        target.fuel > 0
          ? `function ${own}${signature}{${meter}.enter(${target.fuel},v);const r=${own}_(v);${meter}.depth--;return r;}function ${own}_${signature}{${body}}`
          : `function ${own}${signature}{${body}}`;
    });
    return name;
  }

  function emit(node: Node, x: string, exit: Exit, mask?: Mask): string {
    const target = followAlias(node);
    if (target.schema === true) {
      return "";
    }
    if (target.schema === false) {
      return exit.fail("", exit.at);
    }
    if (mask === undefined && (nesting >= maxNesting || isShared(target))) {
      return `if(!${functionOf(target)}(${x}))${exit.failed(exit.at)}`;
    }
    nesting++;
    const code = statements(target, x, exit, mask);
    nesting--;
    return code;
  }

  function isShared(node: Node): boolean {
    return node.fuel > 0 || (uses.get(node) ?? 0) > 1;
  }

  function statements(node: Node, x: string, exit: Exit, mask?: Mask): string {
    if (node.schema === false) {
      return exit.fail("", exit.at);
    }
    const own = mask === undefined && node.unevaluatedProperties !== undefined ? maskOf(node) : undefined;
    if (own !== undefined && own.variable !== "") {
      const variable = emitter.id("m");
      const inner: Mask = { bits: own.bits, variable };
      return `let ${variable}=0;${plain(node, x, exit, inner)}${emitUnevaluated(emitter, node, x, exit, inner)}`;
    }
    return plain(node, x, exit, mask) + emitUnevaluated(emitter, node, x, exit, own);
  }

  function plain(node: Node, x: string, exit: Exit, mask: Mask | undefined): string {
    const before = emitter.known.get(x) ?? anyBits;
    const types = node.types === anyBits || exit.goesOn === true ? before : node.types;
    let code = scalars(node, x, exit);
    const guarded = (mask_: number, body: string): void => {
      if (body === "") {
        return;
      }
      if (types === mask_ || (mask_ === numberBit && types === integerBit)) {
        code += body;
      } else if ((types & (mask_ === numberBit ? numberBit | integerBit : mask_)) !== 0) {
        code += `if(${typeTest(mask_, x)}){${body}}`;
      }
    };
    emitter.known.set(x, types);
    guarded(stringBit, strings(node, x, exit));
    guarded(numberBit, numbers(node, x, exit));
    guarded(arrayBit, emitItems(emitter, node, x, exit));
    guarded(objectBit, emitMembers(emitter, node, x, exit, mask));
    for (const child of [node.ref, node.dynamicRef, ...new Set(node.allOf?.map(followAlias))]) {
      if (child !== undefined) {
        code += emit(child, x, exit, mask);
      }
    }
    if (node.anyOf !== undefined) {
      code += emitUnion(emitter, node.anyOf, "anyOf", x, exit, mask);
    }
    if (node.oneOf !== undefined) {
      code += emitUnion(emitter, node.oneOf, "oneOf", x, exit, mask);
    }
    if (node.not !== undefined) {
      const label = emitter.id("L");
      code += `${label}:{${emit(node.not, x, leaveTo(label))}${exit.fail("not", exit.at)}}`;
    }
    if (node.if !== undefined) {
      code += conditional(node, node.if, x, exit, mask);
    }
    emitter.known.set(x, before);
    return code;
  }

  function conditional(node: Node, condition: Node, x: string, exit: Exit, mask: Mask | undefined): string {
    if (node.then === undefined && node.else === undefined && mask === undefined) {
      return "";
    }
    const label = emitter.id("L");
    const met = emitter.id("b");
    const branch = mask === undefined ? undefined : { bits: mask.bits, variable: emitter.id("m") };
    const then = node.then === undefined ? "" : emit(node.then, x, exit, mask);
    const otherwise = node.else === undefined ? "" : emit(node.else, x, exit, mask);
    const tail = branch === undefined || mask === undefined ? "" : `${mask.variable}|=${branch.variable};`;
    return (
      `let ${met}=false;${branch === undefined ? "" : `let ${branch.variable}=0;`}` +
      `${label}:{${emit(condition, x, leaveTo(label), branch)}${met}=true;}` +
      `if(${met}){${tail}${then}}${otherwise === "" ? "" : `else{${otherwise}}`}`
    );
  }

  function scalars(node: Node, x: string, exit: Exit): string {
    let code = "";
    const values = node.enum;
    const choices = node.hasConst ? [node.const] : values;
    const strings = choices !== undefined && choices.every((value) => typeof value === "string");
    // A list of strings makes the type check before it redundant.
    const listed = node.types === stringBit && strings && exit.goesOn !== true;
    if (node.types !== anyBits && node.types !== emitter.known.get(x) && !listed) {
      code += `if(!(${typeTest(node.types, x)}))${exit.fail("type", exit.at)}`;
    }
    if (node.hasConst) {
      code += `if(!(${equals(node.const, x)}))${exit.fail("const", exit.at)}`;
    }
    if (values === undefined) {
      return code;
    }
    const many = values.length > manyChildren && values.every(isPrimitive);
    const test = many
      ? setTest(emitter.constant({ kind: "set", values }), values, x)
      : values.map((value) => equals(value, x)).join("||") || "false";
    return `${code}if(!(${test}))${exit.fail("enum", exit.at)}`;
  }

  function equals(value: unknown, x: string): string {
    if (isPrimitive(value)) {
      const test = `${x}===${literal(value)}`;
      return typeof value === "number" ? `(${test}||typeof ${x}==="bigint"&&${x}==${literal(value)})` : test;
    }
    return `${emitter.helper("deepEqual")}(${x},${emitter.constant({ kind: "value", value })})`;
  }

  function strings(node: Node, x: string, exit: Exit): string {
    let code = "";
    const { minLength: min, maxLength: max, pattern } = node;
    if (min === 1) {
      code += `if(${x}.length===0)${exit.fail("minLength", exit.at)}`;
    } else if (min !== undefined && min > 0) {
      const test = `${x}.length<${2 * min}&&${emitter.helper("tooShort")}(${x},${min})`;
      code += `if(${test})${exit.fail("minLength", exit.at)}`;
    }
    if (max !== undefined) {
      code += `if(${x}.length>${max}&&${emitter.helper("tooLong")}(${x},${max}))${exit.fail("maxLength", exit.at)}`;
    }
    if (pattern !== undefined) {
      code += `if(!${emitter.constant({ kind: "pattern", pattern })}.test(${x}))${exit.fail("pattern", exit.at)}`;
    }
    for (const format of [node.format, node.content]) {
      if (format !== undefined) {
        code += `if(!${emitter.constant({ kind: "format", ...format })}(${x}))${exit.fail("format", exit.at)}`;
      }
    }
    return code;
  }

  function numbers(node: Node, x: string, exit: Exit): string {
    let code = "";
    const add = (keyword: string, test: string): void => {
      code += `if(!(${test}))${exit.fail(keyword, exit.at)}`;
    };
    if (node.minimum !== undefined) {
      add("minimum", `${x}>=${literal(node.minimum)}`);
    }
    if (node.maximum !== undefined) {
      add("maximum", `${x}<=${literal(node.maximum)}`);
    }
    if (node.exclusiveMinimum !== undefined) {
      add("exclusiveMinimum", `${x}>${literal(node.exclusiveMinimum)}`);
    }
    if (node.exclusiveMaximum !== undefined) {
      add("exclusiveMaximum", `${x}<${literal(node.exclusiveMaximum)}`);
    }
    if (node.multipleOf !== undefined) {
      add("multipleOf", `${emitter.helper("multipleOf")}(${x},${literal(node.multipleOf)})`);
    }
    return code;
  }

  function generated(entries: readonly string[]): Generated {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      next();
    }
    return { functions, constants, helpers, entries };
  }

  return { emitter, functionOf, isShared, generated };
}

/** How often the code of each node that is not short would be written, aliases followed. */
function countUses(roots: readonly Node[]): Map<Node, number> {
  const uses = new Map<Node, number>();
  const stack = roots.map(followAlias);
  for (const root of stack) {
    uses.set(root, 1);
  }
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const use = (child: Node): void => {
      const target = followAlias(child);
      if (isShort(target)) {
        return;
      }
      const count = uses.get(target) ?? 0;
      uses.set(target, count + 1);
      if (count === 0) {
        stack.push(target);
      }
    };
    node.children?.forEach(use);
    // The schema of a pattern is written again for each declared name that it matches.
    for (const [pattern, child] of node.patternProperties ?? []) {
      for (const name of node.properties?.keys() ?? []) {
        if (pattern.test(name)) {
          use(child);
        }
      }
    }
  }
  return uses;
}

function isShort({ children, enum: values = [] }: Node): boolean {
  return children === undefined && (values.length <= manyChildren || values.every(isPrimitive));
}
