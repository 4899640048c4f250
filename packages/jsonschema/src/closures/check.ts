import type { Walk } from "./leaf.ts";

/** A compiled schema: true if the value conforms. */
export interface Check {
  (value: unknown): boolean;
  /** A walk over properties that is all the check does: loops do it in place. */
  walk?: Walk;
  /** The type mask that is all the check tests. */
  types?: number;
}

export const always: Check = () => true;
export const never: Check = () => false;

/** All of the checks, in order. */
export function every(checks: readonly Check[]): Check {
  const [a, b] = checks;
  if (a === undefined) {
    return always;
  }
  if (b === undefined) {
    return a;
  }
  if (checks.length === 2) {
    return (value) => a(value) && b(value);
  }
  return (value) => {
    for (let i = 0; i < checks.length; i++) {
      if (checks[i]?.(value) === false) {
        return false;
      }
    }
    return true;
  };
}

/** At least one of the checks, in order. */
export function some(checks: readonly Check[]): Check {
  const [a, b, c] = checks;
  if (a === undefined) {
    return never;
  }
  if (b === undefined) {
    return a;
  }
  if (c === undefined) {
    return (value) => a(value) || b(value);
  }
  return (value) => {
    for (let i = 0; i < checks.length; i++) {
      if (checks[i]?.(value) === true) {
        return true;
      }
    }
    return false;
  };
}
