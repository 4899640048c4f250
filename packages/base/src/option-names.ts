import { isRecord, kindOf } from "./unknown-value.ts";

/** A kind of value that an option must have. */
export type OptionKind = "function" | "object" | "array";

/** The names in words of `S`, which may have a kind, as in `fetch:function`. */
type NamesIn<S extends string, Found extends string = never> = S extends `${infer Word} ${infer Rest}`
  ? NamesIn<Rest, Found | NameIn<Word>>
  : Found | NameIn<S>;
type NameIn<Word extends string> = Word extends `${infer Name}:${OptionKind}` ? Name : Word;

/**
 * Anything if the words of `S` name all options of `O` and nothing else. Otherwise a type to which
 * no string is assignable, and which names the difference.
 */
export type NamesAll<O, S extends string> = [Exclude<keyof O, NamesIn<S>>] extends [never]
  ? [Exclude<NamesIn<S>, keyof O>] extends [never]
    ? unknown
    : { readonly "no option is called": Exclude<NamesIn<S>, keyof O> }
  : { readonly "this option is missing": Exclude<keyof O, NamesIn<S>> };

/**
 * Finds an option that is not known, such as a misspelt one, and options of a wrong kind, which
 * would have no effect. Options whose value is `undefined` are ignored.
 *
 * @returns A sentence that names it, and the option that was probably meant; `undefined` if all are
 *   as they should be.
 * @param subject - What takes the options, as its user writes it: `new Server`.
 * @param names - As of {@link checkOptionNames}.
 * @param limits - An object with a property for each limit in `limits` of the options.
 */
export function unknownOption(
  subject: string,
  options: unknown,
  names: string | readonly string[],
  limits: object = {},
): string | undefined {
  const given = Object.entries(options ?? {});
  const words = String(names).split(/[ ,]/);
  const kinds = new Map(words.map((word) => word.split(":") as [string, OptionKind | undefined]));
  const known = [...kinds.keys()];
  if (!isRecord(options) || (given.length === 0 && !isPlain(options))) {
    return `${subject} takes an object with options (${known.join(", ")}); got ${kindOf(options)}.`;
  }
  for (const [name, value] of given) {
    if (value === undefined) {
      continue;
    }
    if (!kinds.has(name)) {
      return `${subject} has no option ${JSON.stringify(name.slice(0, 100))}. ${adviceOn(name, known, limits)}`;
    }
    const kind = /^on[A-Z]/.test(name) ? "function" : kinds.get(name);
    if (kind !== undefined && kindOf(value) !== kind) {
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
 * Checks that all options exist. See {@link unknownOption}. Options that may be left out get their
 * default before: without an object, the check fails.
 *
 * @param names - The name of every option, separated by spaces, in one string or in several, as
 *   in `"fetch:function limits"`: a name may be followed by the kind that the option must have. If
 *   the name of an option of `O` is missing, the code does not compile.
 * @param limits - An object with a property for each limit in `limits` of the options.
 * @param errorOf - Makes the error from its message. Default: a `TypeError`.
 * @throws The error of `errorOf` if an option does not exist or has the wrong kind.
 */
export function checkOptionNames<O extends object, const S extends string>(
  subject: string,
  options: O,
  names: (S | readonly S[]) & NamesAll<O, S>,
  limits?: object,
  errorOf: (message: string) => Error = typeError,
): void {
  const problem = unknownOption(subject, options, names, limits);
  if (problem !== undefined) {
    throw errorOf(problem);
  }
}

/** Makes a `TypeError` with this message. */
export function typeError(message: string): Error {
  return new TypeError(message);
}

function adviceOn(name: string, known: readonly string[], limits: object): string {
  if (Object.hasOwn(limits, name)) {
    return `It is a limit: write limits: { ${name}: … }.`;
  }
  const isMeant = (candidate: string): boolean => isNear(candidate.toLowerCase(), name.toLowerCase());
  const limit = Object.keys(limits).find(isMeant);
  const meant = known.find(isMeant) ?? (limit && `limits.${limit}`);
  return meant === undefined ? `It takes ${known.join(", ")}.` : `Did you mean ${meant}?`;
}

/**
 * Whether two words differ by at most one typo: in one place, up to two letters were added, removed
 * or replaced, or one letter if `a` has at most four letters; or two neighbors were exchanged.
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
  const isExchanged = a[start] === b[start + 1] && a[start + 1] === b[start];
  return differing <= (a.length <= 4 && !isExchanged ? 1 : 2);
}
