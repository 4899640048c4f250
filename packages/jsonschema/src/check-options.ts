import { nearest } from "./nearest.ts";
import { schemaLimits, type CompileOptions, type LimitRules } from "./options.ts";

/** The allowed values or the type of each option of `O`. */
export type Kinds<O> = { readonly [Name in keyof Required<O>]: string | readonly unknown[] };

export const optionKinds: Kinds<CompileOptions> = {
  draft: ["2020-12", "2019-09", "draft-07"],
  baseUri: "string",
  formats: ["annotate", "assert", "strict"],
  customFormats: "object",
  engine: ["auto", "closures", "codegen"],
  validateDefaults: "boolean",
  schemas: "object",
  loader: "function",
  untrusted: "boolean",
  limits: "object",
  regExp: "function",
};

/**
 * Refuses options that are not known or cannot be meant: they would have no effect. The core build
 * does not check them, because it is made for small programs.
 *
 * @throws TypeError
 */
export function checkOptions(options: CompileOptions): void {
  checkKinds(options, optionKinds, schemaLimits);
}

/**
 * Refuses options as {@link checkOptions} does, and limits that are out of range.
 *
 * @throws TypeError
 */
export function checkKinds<O extends object, L = object>(
  options: O & { readonly limits?: L | undefined },
  kinds: Kinds<O>,
  rules: LimitRules<L>,
): void {
  check(options, kinds, rules);
  for (const [name, limit] of Object.entries<unknown>(options.limits ?? {})) {
    if (limit === undefined) {
      continue;
    }
    if (!Object.hasOwn(rules, name)) {
      throw unknown("limit", name, Object.keys(rules));
    }
    const least = name === "maxErrors" ? 1 : 0;
    if (!(Number.isInteger(limit) || limit === Infinity) || (limit as number) < least) {
      const got = typeof limit === "number" ? limit : (JSON.stringify(limit) ?? typeof limit);
      throw new TypeError(
        `limits.${name} must be an integer of ${least} or more, or Infinity for no limit; got ${got}.`,
      );
    }
  }
}

function check(
  given: object,
  table: Readonly<Record<string, string | readonly unknown[]>>,
  rules: object,
): void {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined) {
      continue;
    }
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined && Object.hasOwn(rules, name)) {
      throw new TypeError(`There is no option ${JSON.stringify(name)}. Write limits: { ${name}: … }.`);
    }
    if (kind === undefined) {
      throw unknown("option", name, Object.keys(table));
    }
    if (typeof kind === "string" ? typeof value === kind && value !== null : kind.includes(value)) {
      continue;
    }
    const wanted = typeof kind === "string" ? `of type ${kind}` : `one of ${kind.join(", ")}`;
    throw new TypeError(`${name} must be ${wanted}; got ${JSON.stringify(value) ?? typeof value}.`);
  }
}

function unknown(what: string, name: string, names: readonly string[]): TypeError {
  const meant = nearest(name, names);
  const advice = meant === undefined ? `Known are ${names.join(", ")}.` : `Did you mean ${meant}?`;
  return new TypeError(`There is no ${what} ${JSON.stringify(name)}. ${advice}`);
}
