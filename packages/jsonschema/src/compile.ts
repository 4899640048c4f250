import type { Bounds } from "./build/bounds.ts";
import { buildProgram, type Program } from "./build/build.ts";
import { createClosures, type Closures, type Shortcut } from "./closures/compile.ts";
import { SchemaError } from "./error.ts";
import type { CustomDialects, DocumentSource } from "./ir/keyword.ts";
import { createMeter, LimitReached, type Meter } from "./ir/meter.ts";
import type { Format } from "./ir/node.ts";
import { limitsOf, type CompileOptions, type FormatCheck, type ResolvedLimits } from "./options.ts";
import { withoutFragment } from "./reference/uri.ts";
import type { JSONSchema } from "./schema.ts";
import { ValidationError } from "./validation-error.ts";
import type { CheckResult, CoreValidator, ValidationIssue } from "./validator.ts";

/** Returns whether a value conforms. */
type Test = (value: unknown) => boolean;

/** Makes the test of a validator, when it is first needed. */
export type Engine = (run: {
  readonly choice: CompileOptions["engine"];
  readonly program: Program;
  readonly meter: Meter;
  readonly closures: () => Test;
  /** Puts another test in its place. */
  readonly use: (test: Test) => void;
}) => Test;

/**
 * The parts a build of this package is put together from. The optional ones are those a build can
 * do without.
 */
export interface Environment<X = unknown> {
  /** Built-in formats by name. */
  readonly formats?: Readonly<Record<string, FormatCheck>>;
  /** Documents that are always known, by URI. */
  readonly documents?: DocumentSource;
  /** Reads the metaschemas of dialects that are not standard. */
  readonly dialect?: CustomDialects;
  /**
   * Chooses between closures and generated code; `undefined` in builds without the code generator.
   */
  readonly engine?: Engine | undefined;
  /** Makes `unevaluatedProperties` fast. */
  readonly shortcut?: Shortcut;
  /**
   * Limits the work of untrusted schemas. Without it, their patterns are rejected if they branch.
   */
  readonly bounds?: Bounds;
  /** Creates the functions that report errors of a value. */
  readonly errors: (state: ValidatorState) => ErrorsOf;
  /** Makes the methods beyond {@link CoreValidator}. */
  readonly extras: (state: ValidatorState) => X;
}

/** Reports the errors of a value that does not conform. */
export type ErrorsOf = (value: unknown) => readonly ValidationIssue[];

/** A schema that has been read: it can validate, but its error reports are not compiled yet. */
export interface Prepared<T> {
  readonly validator: Pick<CoreValidator<T>, "is" | "schema">;
  readonly state: ValidatorState;
}

/** The parts that the methods of one validator share. */
export interface ValidatorState {
  readonly options: CompileOptions;
  readonly program: Program;
  readonly closures: () => Closures;
  readonly meter: Meter;
  /**
   * `undefined` if the value conforms, `false` if it does not, or the issue of the limit that was
   * hit.
   */
  readonly failure: (value: unknown) => ValidationIssue | false | undefined;
  /** The issue for an evaluation that threw this; throws it again if no limit was hit. */
  readonly stopped: (error: unknown) => ValidationIssue;
  /** Maximum number of errors in a report. */
  readonly maxErrors: number;
  /** The deepest instance that is visited. */
  readonly depth: number;
}

/** Compiles a schema in an environment. */
export function compileIn<T, X = unknown>(
  environment: Environment<X>,
  schema: unknown,
  options: CompileOptions = {},
): CoreValidator<T> & X {
  const { validator, state } = prepare<T>(environment, schema, options);
  let errors: ErrorsOf | undefined;
  let failed = false;

  function check(value: unknown): CheckResult<T> {
    // After an invalid value, another invalid value is likely, so the error report runs first. Its
    // result decides only if it finds errors.
    if (failed && !state.program.guarded && errors !== undefined) {
      const found = errors(value);
      if (found.length > 0 && found.at(-1)?.keyword !== "limit") {
        return { valid: false, errors: found };
      }
    }
    const failure = state.failure(value);
    failed = failure === false;
    if (failure === undefined) {
      return { valid: true, value: value as T };
    }
    if (failure !== false) {
      return { valid: false, errors: [failure] };
    }
    return { valid: false, errors: (errors ??= environment.errors(state))(value) };
  }

  function parse(value: unknown): T {
    const result = check(value);
    if (result.valid) {
      return result.value;
    }
    throw new ValidationError(result.errors);
  }

  return Object.assign(validator, { check, parse }, environment.extras(state));
}

/** Reads a schema in an environment. */
export function prepare<T>(
  environment: Omit<Environment, "errors" | "extras">,
  schema: unknown,
  options: CompileOptions = {},
): Prepared<T> {
  const limits = limitsOf(options);
  const { dialect } = environment;
  const bounds = options.untrusted === true ? environment.bounds : undefined;
  const find = documentSource(environment, options);
  const format = (name: string): Format | undefined => formatOf(environment, options, name);
  const meter = createMeter(limits, bounds?.sizeOf);
  const context = { options, limits, find, dialect, format, bounds, meter };
  const program = guardStack(() => buildProgram(schema, context));
  const { guarded } = program;
  const stopped = (error: unknown): ValidationIssue => limitIssue(error, limits);
  let made: Closures | undefined;
  let test: Test = first;

  function closures(): Closures {
    return (made ??= createClosures(meter, environment.shortcut));
  }

  function first(value: unknown): boolean {
    const compiled = (): Test => closures().check(program.root);
    use(
      environment.engine?.({ choice: options.engine, program, meter, closures: compiled, use }) ?? compiled(),
    );
    return test(value);
  }

  /** From now on `is` is this function itself, unless limits have to be watched. */
  function use(check: Test): void {
    test = check;
    // The work of creating the check does not count for the value.
    meter.reset();
    if (!guarded) {
      validator.is = check as typeof validator.is;
    }
  }

  function watched(value: unknown): ValidationIssue | false | undefined {
    meter.reset();
    try {
      return test(value) ? undefined : false;
    } catch (error) {
      return stopped(error);
    }
  }

  const is: Test = guarded ? (value) => watched(value) === undefined : (value) => test(value);
  const validator: Prepared<T>["validator"] = {
    schema: schema as JSONSchema,
    is: is as (value: unknown) => value is T,
  };
  const state: ValidatorState = {
    options,
    program,
    closures,
    meter,
    failure: guarded ? watched : (value) => (test(value) ? undefined : false),
    stopped,
    maxErrors: limits.maxErrors,
    depth: limits.maxInstanceDepth,
  };
  return { validator, state };
}

function guardStack<R>(work: () => R): R {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw cause;
    }
    throw new SchemaError("limit-exceeded", "#", "the schema is nested too deeply", { cause });
  }
}

/**
 * The issue for an evaluation that was stopped by a limit, a full stack included; other errors are
 * passed on.
 */
function limitIssue(error: unknown, limits: ResolvedLimits): ValidationIssue {
  if (!(error instanceof RangeError)) {
    throw error;
  }
  const limit = error instanceof LimitReached ? error.limit : "maxInstanceDepth";
  const expected = limits[limit];
  return {
    instanceLocation: "",
    keywordLocation: "",
    absoluteKeywordLocation: "#",
    keyword: "limit",
    params: { expected, received: limit },
    message: `the value exceeds the limit ${limit} (${expected})`,
  };
}

function documentSource(
  { documents }: Pick<Environment, "documents">,
  { schemas, loader, untrusted }: CompileOptions,
): DocumentSource {
  const own = new Map(Object.entries(schemas ?? {}).map(([uri, schema]) => [withoutFragment(uri), schema]));
  return (uri) => own.get(uri) ?? documents?.(uri) ?? (untrusted === true ? undefined : loader?.(uri));
}

function formatOf(
  { formats = {} }: Pick<Environment, "formats">,
  { customFormats = {} }: CompileOptions,
  name: string,
): Format | undefined {
  const builtIn = !Object.hasOwn(customFormats, name);
  const known = builtIn ? formats : customFormats;
  const test = Object.hasOwn(known, name) ? known[name] : undefined;
  return test && { name, test, builtIn };
}
