import { nearest } from "./nearest.ts";
import { defaultMaxErrors, limitsOf, type CompileOptions } from "./options.ts";

/** The allowed values or types of each option. */
const kinds: Readonly<Record<keyof CompileOptions, string | readonly unknown[]>> = {
  draft: ["2020-12", "2019-09", "draft-07"],
  baseUri: "string",
  formats: ["annotate", "assert"],
  customFormats: "object",
  engine: ["auto", "closures", "codegen"],
  validateDefaults: "boolean",
  maxErrors: "number",
  schemas: "object",
  loader: "function",
  untrusted: "boolean",
  limits: "object",
  regExp: "function",
};

/**
 * Refuses options that are not known or cannot be meant: they would have no effect.
 *
 * @throws TypeError
 */
export function checkOptions(options: CompileOptions): void {
  const { limits, maxErrors = defaultMaxErrors } = options;
  check(options, kinds);
  if (!isWhole(maxErrors) || maxErrors < 1) {
    throw new TypeError(`maxErrors must be a whole number of 1 or more, or Infinity; got ${maxErrors}.`);
  }
  if (limits === undefined) {
    return;
  }
  check(limits, Object.fromEntries(Object.keys(limitsOf({})).map((name) => [name, "number"])));
  for (const [name, limit] of Object.entries(limits) as [string, number | undefined][]) {
    if (limit !== undefined && !(isWhole(limit) && limit >= 0)) {
      throw new TypeError(`limits.${name} must be a whole number of 0 or more, or Infinity; got ${limit}.`);
    }
  }
}

function isWhole(value: number): boolean {
  return Number.isInteger(value) || value === Infinity;
}

function check(given: object, kinds: Readonly<Record<string, string | readonly unknown[]>>): void {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined) {
      continue;
    }
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const meant = nearest(name, Object.keys(kinds));
      const advice =
        meant === undefined ? `Known are ${Object.keys(kinds).join(", ")}.` : `Did you mean ${meant}?`;
      throw new TypeError(`There is no option ${JSON.stringify(name)}. ${advice}`);
    }
    if (typeof kind === "string" ? typeof value === kind && value !== null : kind.includes(value)) {
      continue;
    }
    const wanted = typeof kind === "string" ? `of type ${kind}` : `one of ${kind.join(", ")}`;
    throw new TypeError(`${name} must be ${wanted}; got ${JSON.stringify(value) ?? typeof value}.`);
  }
}
