import { flatCheck } from "../flat/check.ts";
import { flatDefaults } from "../flat/defaults.ts";
import { readFlat } from "../flat/read.ts";
import type { JSONSchema } from "../schema.ts";
import type { CheckResult } from "../validator.ts";
import type * as wholeModule from "./whole.ts";
import type { WholeValidator } from "./whole.ts";

/** A validator that loads the compiler only if it needs it. */
export interface LazyValidator {
  /** The schema that was compiled: the same object, unchanged. */
  readonly schema: JSONSchema;
  /**
   * Checks a value. The result for a value that conforms to a flat schema is returned at once.
   * Otherwise the result is a promise until the compiler has been loaded.
   */
  check(value: unknown): CheckResult<unknown> | Promise<CheckResult<unknown>>;
  /**
   * Loads the compiler if {@link LazyValidator.check} cannot do without it.
   *
   * @returns `undefined` if nothing has to be loaded
   * @throws SchemaError for problems in the schema that only the compiler can find
   */
  load(): Promise<unknown> | undefined;
}

/** A schema with what can be done with it at once. */
export interface LazySchema {
  readonly load: LazyValidator["load"];
  readonly check: LazyValidator["check"];
  /** Fills in the defaults before the check. */
  readonly checkFilled: LazyValidator["check"];
  /** @throws Error if the compiler is needed and not there: see {@link LazySchema.load} */
  readonly is: (value: unknown) => boolean;
}

let compiler: typeof wholeModule | undefined;

async function loadCompiler(): Promise<typeof wholeModule> {
  compiler = await import("./whole.ts");
  return compiler;
}

/**
 * Rejects a malformed schema. Validators are made when the first value is checked: the flat
 * validator decides whether a value conforms, and the compiler reports the errors of a value that
 * does not.
 *
 * @throws SchemaError for a malformed schema
 */
export function lazily(schema: JSONSchema): LazySchema {
  const { isFlat, isDecided } = readFlat(schema);
  let flat:
    | { readonly fill: (value: unknown) => unknown; readonly is: (value: unknown) => boolean }
    | undefined;
  let whole: WholeValidator | undefined;

  function small(): NonNullable<typeof flat> {
    if (flat === undefined) {
      flat = { fill: flatDefaults(schema), is: flatCheck(schema) };
    }
    return flat;
  }

  function compiled({ compileWhole }: typeof wholeModule): WholeValidator {
    return (whole ??= compileWhole(schema));
  }

  function withCompiler<R>(work: (whole: WholeValidator) => R): R | Promise<R> {
    return compiler === undefined
      ? loadCompiler().then((loaded) => work(compiled(loaded)))
      : work(compiled(compiler));
  }

  if (!isDecided && compiler !== undefined) {
    compiled(compiler);
  }
  return {
    load() {
      if (isFlat || whole !== undefined || (isDecided && compiler !== undefined)) {
        return undefined;
      }
      return compiler === undefined ? loadCompiler().then(compiled) : void compiled(compiler);
    },
    check(value) {
      return isFlat && small().is(value)
        ? { valid: true, value }
        : withCompiler((whole) => whole.check(value));
    },
    checkFilled(value) {
      if (isFlat) {
        const { fill, is } = small();
        const filled = fill(value);
        if (is(filled)) {
          return { valid: true, value: filled };
        }
      }
      return withCompiler((whole) => whole.check(whole.applyDefaults(value)));
    },
    is(value) {
      if (isFlat) {
        return small().is(value);
      }
      if (compiler === undefined) {
        throw new Error("The compiler has not been loaded.");
      }
      return compiled(compiler).is(value);
    },
  };
}

/**
 * Compiles a schema when its first value is checked.
 *
 * @throws SchemaError for a malformed schema. Problems that only the compiler can find, such as a
 *   reference to a missing document, are thrown at once if the compiler is loaded, otherwise by
 *   `load`
 */
export function compile(schema: JSONSchema): LazyValidator {
  const { check, load } = lazily(schema);
  return { schema, check, load };
}
