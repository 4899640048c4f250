const identifier = /^[A-Za-z_$][\w$]*$/;

/**
 * A value as a JavaScript expression. All text of a schema that reaches generated code passes
 * through here, property names that are identifiers aside.
 */
export function literal(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  return JSON.stringify(value)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("</", "<\\/");
}

/**
 * True for a value of JSON that `===` compares as JSON does, unless a number is compared with a
 * `bigint`.
 */
export function isPrimitive(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) ? !Number.isNaN(value) : value === null;
}

/** Whether a set has the value, as an expression. A `bigint` may be equal to a number. */
export function setTest(set: string, values: readonly unknown[], x: string): string {
  const test = `${set}.has(${x})`;
  return values.some((value) => typeof value === "number")
    ? `(${test}||typeof ${x}==="bigint"&&${set}.has(Number(${x}))&&Number(${x})==${x})`
    : test;
}

/** Reads a property; names that `Object.prototype` has count only if the object has them itself. */
export function member(object: string, name: string): string {
  const access = identifier.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`;
  return name in Object.prototype
    ? `(Object.hasOwn(${object},${literal(name)})?${access}:undefined)`
    : access;
}

/** A test of a type mask, as an expression. */
export function typeTest(mask: number, x: string): string {
  const tests = typeTests.filter(([bit]) => (mask & bit) !== 0).map(([, test]) => test.replaceAll("$", x));
  return tests.length === 0 ? "false" : tests.join("||");
}

const typeTests: readonly (readonly [number, string])[] = [
  [8, 'typeof $==="string"'],
  [4, 'typeof $==="number"||typeof $==="bigint"'],
  [64, 'Number.isInteger($)||typeof $==="bigint"'],
  [2, 'typeof $==="boolean"'],
  [32, '(typeof $==="object"&&$!==null&&!Array.isArray($))'],
  [16, "Array.isArray($)"],
  [1, "$===null"],
];
