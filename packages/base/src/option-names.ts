import { kindOf } from "./unknown-value.ts";

/** A kind of value that an option must have. */
export type OptionKind = "function" | "object" | "array";

/**
 * The name of every option of `O`, with its kind or `true`: an option that is added to `O` cannot
 * be forgotten here. An option whose name begins with `on`, such as `onError`, must be a function
 * anyway.
 */
export type OptionNames<O> = { readonly [Name in keyof Required<O>]: true | OptionKind };

/**
 * Finds an option that is not known, such as a misspelt one, and options of a wrong kind, which
 * would have no effect. Options whose value is `undefined` are ignored.
 *
 * @returns A sentence that names it, and the option that was probably meant; `undefined` if all are
 *   as they should be.
 * @param subject - What takes the options, as its user writes it: `new Server`.
 * @param names - An object with a property for each option.
 * @param limits - An object with a property for each limit in `limits` of the options.
 */
export function unknownOption(
  subject: string,
  options: object | undefined,
  names: object,
  limits: object = {},
): string | undefined {
  if (options === undefined) {
    return undefined;
  }
  const given = Object.entries(options ?? {});
  if (kindOf(options) !== "object" || (given.length === 0 && !isPlain(options))) {
    const known = Object.keys(names).join(", ");
    return `${subject} takes an object with options (${known}); got ${kindOf(options)}.`;
  }
  for (const [name, value] of given) {
    if (value === undefined) {
      continue;
    }
    if (!Object.hasOwn(names, name)) {
      return `${subject} has no option ${JSON.stringify(name.slice(0, 100))}. ${adviceOn(name, names, limits)}`;
    }
    const kind: unknown = /^on[A-Z]/.test(name) ? "function" : names[name as keyof typeof names];
    if (typeof kind === "string" && kindOf(value) !== kind) {
      return `${subject}: ${name} must be ${kind === "function" ? "a" : "an"} ${kind}; got ${kindOf(value)}.`;
    }
  }
  return undefined;
}

/** Whether an object is a record, and not an instance of a class such as `Map`. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Not `Object.prototype`, because another realm has an `Object.prototype` of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Checks that all options exist. See {@link unknownOption}.
 *
 * @throws `TypeError` for one that does not.
 */
export function checkOptionNames(
  subject: string,
  options: object | undefined,
  names: object,
  limits?: object,
): void {
  const problem = unknownOption(subject, options, names, limits);
  if (problem !== undefined) {
    throw new TypeError(problem);
  }
}

function adviceOn(name: string, names: object, limits: object): string {
  if (Object.hasOwn(limits, name)) {
    return `It is a limit: write limits: { ${name}: … }.`;
  }
  const known = Object.keys(names);
  const isMeant = (candidate: string): boolean => isNear(candidate.toLowerCase(), name.toLowerCase());
  const meant = known.find(isMeant);
  if (meant !== undefined) {
    return `Did you mean ${meant}?`;
  }
  const limit = Object.keys(limits).find(isMeant);
  return limit === undefined ? `It takes ${known.join(", ")}.` : `Did you mean limits.${limit}?`;
}

/**
 * Whether two words differ in no more than a slip: in one place, by two letters less, more or
 * other, or by one in words of up to four letters. Two letters that changed places are one slip.
 */
export function isNear(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) {
    end++;
  }
  const differing = Math.max(a.length, b.length) - start - end;
  const isSwapped = differing === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
  return isSwapped || differing <= (a.length <= 4 ? 1 : 2);
}
