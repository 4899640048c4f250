/** The place of the first failure in a value. */
export interface Failure {
  /** JSON Pointer to the offending place, `""` for the whole value. */
  readonly instanceLocation: string;
  /** The schema keyword that the place does not satisfy, e.g. `required` or `type`. */
  readonly keyword: string;
}

/**
 * The result of a check: the value conforms, it does not, or the revision does not have the method.
 */
export type Verdict =
  | { readonly state: "valid" }
  | ({ readonly state: "invalid" } & Failure)
  | { readonly state: "absent" };

/** A generated check. */
export type Check = (value: unknown) => boolean;

/** Checks by method. */
export type Checks = { readonly [method: string]: Check };

const valid: Verdict = { state: "valid" };
const absent: Verdict = { state: "absent" };

/** The verdict of the check of `method`; `failure` tells where the latest check failed. */
export function verdictOf(checks: Checks, method: string, value: unknown, failure: () => Failure): Verdict {
  const check = Object.hasOwn(checks, method) ? checks[method] : undefined;
  if (check === undefined) {
    return absent;
  }
  return check(value) ? valid : { state: "invalid", ...failure() };
}

/** Whether a result requests input. */
export function asksForInput(value: unknown): boolean {
  return member(value, "resultType") === "input_required";
}

/** Whether a result contains a created task. */
export function hasTask(value: unknown): boolean {
  return member(value, "task") !== undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { [name: string]: unknown })[name]
    : undefined;
}
