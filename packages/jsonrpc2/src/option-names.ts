/** The name of every option of `O`: an option that is added to `O` cannot be forgotten here. */
export type OptionNames<O> = { readonly [Name in keyof Required<O>]: true };

/**
 * Finds an option that is not known, such as a misspelt one. Options whose value is `undefined` are
 * ignored.
 *
 * @returns A sentence that names it, and the option that was probably meant; `undefined` if all are
 *   known.
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
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && !Object.hasOwn(names, name)) {
      return `${subject} has no option ${JSON.stringify(name.slice(0, 100))}. ${adviceOn(name, names, limits)}`;
    }
  }
  return undefined;
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
 * Whether two words differ in no more than a slip: two letters less, more or other, or one in words
 * of up to four letters.
 */
function isNear(a: string, b: string): boolean {
  const most = a.length <= 4 ? 1 : 2;
  if (Math.abs(a.length - b.length) > most) {
    return false;
  }
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of a.split("").entries()) {
    const next = [index + 1];
    for (const [at, other] of b.split("").entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return (row[b.length] ?? 0) <= most;
}
