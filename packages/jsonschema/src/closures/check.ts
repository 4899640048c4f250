/** A compiled schema: true if the value conforms. */
export type Check = (value: unknown) => boolean;

export const always: Check = () => true;
export const never: Check = () => false;

export const isString: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => typeof value === "number" || typeof value === "bigint";
export const isInteger: Check = (value) => Number.isInteger(value) || typeof value === "bigint";
export const isBoolean: Check = (value) => typeof value === "boolean";
export const isNull: Check = (value) => value === null;
export const isArray: Check = (value) => Array.isArray(value);
export const isObject: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** All of the checks, in order. */
export function every(checks: readonly Check[]): Check {
  const [a, b] = checks;
  if (a === undefined) return always;
  if (b === undefined) return a;
  if (checks.length === 2) return (value) => a(value) && b(value);
  return (value) => {
    for (let i = 0; i < checks.length; i++) if (checks[i]?.(value) === false) return false;
    return true;
  };
}

/** At least one of the checks, in order. */
export function some(checks: readonly Check[]): Check {
  const [a, b, c] = checks;
  if (a === undefined) return never;
  if (b === undefined) return a;
  if (c === undefined)
    return a === isNull ? nullOr(b) : b === isNull ? nullOr(a) : (value) => a(value) || b(value);
  return (value) => {
    for (let i = 0; i < checks.length; i++) if (checks[i]?.(value) === true) return true;
    return false;
  };
}

function nullOr(check: Check): Check {
  return (value) => value === null || check(value);
}
