import type { Node, Pattern } from "../ir/node.ts";

/** A value generated code refers to by name. */
export type Constant =
  | { readonly kind: "pattern"; readonly pattern: Pattern }
  | { readonly kind: "set"; readonly values: readonly unknown[] }
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "format";
      readonly name: string;
      readonly test: (value: string) => boolean;
      readonly builtIn: boolean;
    };

/** The statements of a failed check, and its path in the instance. */
export interface Exit {
  /**
   * Path from the function's argument to the value, as an expression; `""` where locations are not
   * wanted.
   */
  readonly at: string;
  /** Failures are recorded, and the checks that follow run as well. */
  readonly goesOn?: boolean;
  /** The statement for a keyword that failed on the value at `at`. */
  fail(keyword: string, at: string): string;
  /** The statement after a called function has returned false and recorded why. */
  failed(at: string): string;
}

/** One bit per property name that a branch may evaluate, OR-ed into `variable` on success. */
export interface Mask {
  readonly bits: ReadonlyMap<string, number>;
  readonly variable: string;
}

/** The shared services of the code generator's parts. */
export interface Emitter {
  readonly locate: boolean;
  /** The types that variables are known to have where code is emitted, as masks. */
  readonly known: Map<string, number>;
  /** A fresh name. */
  id(prefix: string): string;
  /** The name of a constant. */
  constant(value: Constant): string;
  /** Use of a helper of the runtime. */
  helper(name: HelperName): string;
  /** Statements that leave through `exit` if the value of `x` does not conform. */
  emit(node: Node, x: string, exit: Exit, mask?: Mask): string;
  /** An expression that is true if the value of `x` conforms. */
  test(node: Node, x: string): string;
  /** The name of the function that collects what a node evaluates. */
  collector(node: Node): string;
}

/** Helpers that generated code imports. */
export type HelperName =
  | "deepEqual"
  | "multipleOf"
  | "tooLong"
  | "tooShort"
  | "unique"
  | "hasOther"
  | "nothingEvaluated"
  | "hasOne"
  | "seenBefore"
  | "createMeter"
  | "LimitReached";

/**
 * An exit to a later position. Nothing is recorded, because the failure of one branch is not an
 * error yet.
 */
export function leaveTo(label: string): Exit {
  return { at: "", fail: () => `break ${label};`, failed: () => `break ${label};` };
}

/** The exit for a value one step further down. */
export function below(exit: Exit, locate: boolean, step: string): Exit {
  return locate ? { ...exit, at: join(exit.at, step) } : exit;
}

/** Concatenates two path expressions, folding literals. */
function join(a: string, b: string): string {
  if (a === "" || a === '""') {
    return b;
  }
  return a.endsWith('"') && b.startsWith('"') ? a.slice(0, -1) + b.slice(1) : `${a}+${b}`;
}
