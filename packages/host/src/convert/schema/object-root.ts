import { isRecord } from "@tenon/base";
import { canonicalJson } from "@tenon/base/canonical-json";

import type { Report } from "../change.ts";
import type { Schema } from "./keywords.ts";
import { isCommonPattern } from "./pattern.ts";
import { resolverOf, type Resolve } from "./resolve.ts";
import { tidy, type TidyRules } from "./tidy.ts";

const combinators = ["$ref", "oneOf", "anyOf", "allOf"] as const;
const refused = [...combinators, "enum", "const", "not"];

/** Maximum number of properties that are merged from branches. */
const maxMerged = 20_000;

/** Maximum depth of unions in unions. */
const maxDepth = 48;

/**
 * A schema whose root is as vendors demand: it says `type: object`, and has no `$ref`, `oneOf`,
 * `anyOf`, `allOf`, `enum`, `const` or `not`. Vendors take `if`, `then` and `else`, which tell a
 * model more than their absence would. The properties that the branches of such a root name are all
 * there, each as any of the branches that name it has it, and required is what every branch
 * requires: it may allow more than the server does.
 */
export function objectRoot(schema: Schema, resolve: Resolve, report?: Report): Schema {
  if (combinators.some((name) => schema[name] !== undefined)) {
    const found = combinators.filter((name) => schema[name] !== undefined).join(", ");
    report?.("replaced", "/inputSchema", `${found} became the properties of one object.`);
  }
  const isOther = schema["type"] !== undefined && schema["type"] !== "object";
  if (isOther) {
    report?.("replaced", "/inputSchema/type", "type is object.");
  }
  return { ...merged(schema, resolve, refused), type: "object" };
}

/**
 * The same as a valid schema of 2020-12: see {@link tidy}.
 */
export function objectSchema(
  schema: Schema,
  rules: Partial<TidyRules> = {},
): Schema & { readonly type: "object" } {
  const resolve = resolverOf(schema);
  const root = objectRoot(schema, resolve, rules.report);
  const tidied = tidy(root, resolve, { isPattern: isCommonPattern, isWhole: true, ...rules });
  return { ...tidied.schema, type: "object" };
}

/**
 * A schema of one level: the constraints of its `$ref` and `allOf` combined, and the alternatives
 * of its `oneOf` and `anyOf` combined.
 *
 * @param without - The keywords that the result lacks.
 */
export function merged(schema: Schema, resolve: Resolve, without: readonly string[] = combinators): Schema {
  const { rest, properties, required } = new Merger(resolve).flatten(schema, 0);
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !without.includes(keyword)));
  const members = [...properties].map(([name, alternatives]): [string, unknown] => {
    const [first, ...others] = alternatives;
    return [name, others.length === 0 ? first : { anyOf: [...alternatives] }];
  });
  return {
    ...kept,
    ...(members.length === 0 ? {} : { properties: Object.fromEntries(members) }),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

/** A schema of one level, while it is being put together. */
interface Flat {
  readonly rest: Schema;
  /** The schemas of each property, each once. */
  readonly properties: ReadonlyMap<string, ReadonlySet<unknown>>;
  readonly required: ReadonlySet<string>;
}

const empty: Flat = { rest: {}, properties: new Map(), required: new Set() };

class Merger {
  readonly #resolve: Resolve;
  /** The flattened schemas: a schema that many branches refer to is flattened once. */
  readonly #known = new Map<Schema, Flat>();
  readonly #texts = new Map<unknown, unknown>();
  #left = maxMerged;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  flatten(schema: Schema, depth: number): Flat {
    const known = this.#known.get(schema);
    if (known !== undefined || depth > maxDepth) {
      return known ?? empty;
    }
    this.#known.set(schema, empty);
    const flat = this.#combine(schema, depth);
    this.#known.set(schema, flat);
    return flat;
  }

  #combine(schema: Schema, depth: number): Flat {
    const { properties: own, required: wanted, $ref, oneOf, anyOf, allOf } = schema;
    const properties = new Map<string, Set<unknown>>();
    const required = new Set(namesIn(wanted));
    let rest: Schema = Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => keyword !== "properties" && keyword !== "required"),
    );
    for (const [name, member] of Object.entries(isRecord(own) ? own : {})) {
      properties.set(name, new Set([member]));
    }
    const add = ({ properties: more }: Flat): void => {
      for (const [name, alternatives] of more) {
        const known = properties.get(name);
        for (const alternative of alternatives) {
          this.#left--;
          if (this.#left < 0) {
            return;
          }
          if (known === undefined) {
            properties.set(name, new Set(alternatives));
            break;
          }
          known.add(this.#sameAs(known, alternative));
        }
      }
    };
    const target = typeof $ref === "string" ? this.#resolve($ref) : undefined;
    for (const part of this.#branchesOf([target, allOf].flat(), depth)) {
      rest = { ...part.rest, ...rest };
      add(part);
      part.required.forEach((name) => required.add(name));
    }
    for (const union of [oneOf, anyOf]) {
      const branches = this.#branchesOf(union, depth);
      branches.forEach(add);
      const [first, ...others] = branches;
      for (const name of first?.required ?? []) {
        if (others.every((branch) => branch.required.has(name))) {
          required.add(name);
        }
      }
    }
    return { rest, properties, required };
  }

  #branchesOf(list: unknown, depth: number): Flat[] {
    const schemas = Array.isArray(list) ? list.filter(isRecord) : [];
    return schemas.map((schema) => this.flatten(schema, depth + 1));
  }

  /** The schema in a set that says the same as another, or that other. */
  #sameAs(known: ReadonlySet<unknown>, schema: unknown): unknown {
    const text = this.#textOf(schema);
    for (const one of known) {
      this.#left--;
      if (one === schema || this.#textOf(one) === text) {
        return one;
      }
    }
    return schema;
  }

  #textOf(member: unknown): unknown {
    let text = this.#texts.get(member);
    if (text === undefined) {
      text = textOf(member);
      this.#texts.set(member, text);
    }
    return text;
  }
}

/** Returns the same value for equal schemas. A schema that is too deep equals only itself. */
function textOf(member: unknown): unknown {
  try {
    return canonicalJson(member);
  } catch {
    return Symbol();
  }
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
