import { SchemaError } from "../error.ts";
import type { Pattern } from "../ir/node.ts";
import { limitExceeded } from "../limit-exceeded.ts";
import type { CompileOptions, ResolvedLimits } from "../options.ts";
import { nativePattern, quoted } from "./native.ts";

/**
 * Tests an untrusted pattern in bounded time; `undefined` if that is not possible. `test` is that
 * of the native engine.
 */
export type BoundPattern = (
  source: string,
  flags: string,
  test: Pattern["test"],
) => Pattern["test"] | undefined;

/**
 * Syntax that lets an engine try more than one way: repetitions, choices and optional parts, but
 * not the `?` of `(?:` and the like.
 */
export const branches: RegExp = /[*+{|]|(?:[^(]|\\\()\?/;

/**
 * Compiles one regular expression of a schema (core §6.4: ECMA-262, Unicode mode, not anchored).
 */
export function compilePattern(
  source: string,
  location: string,
  options: CompileOptions,
  limits: ResolvedLimits,
  bound: BoundPattern = (_source, _flags, test) => (branches.test(source) ? undefined : test),
): Pattern {
  const of = (test: Pattern["test"], flags?: string, regex?: RegExp): Pattern => ({
    source,
    flags,
    regex,
    test,
  });
  if (source.length > limits.maxPatternLength) {
    throw limitExceeded(limits, "maxPatternLength", location);
  }
  if (options.regExp !== undefined) {
    const matcher = options.regExp(source);
    return of((value) => matcher.test(value));
  }
  const regex = nativePattern(source, location);
  const { flags } = regex;
  const plain = plainTest(source);
  const test = plain ?? ((value) => regex.test(value));
  if (options.untrusted !== true) {
    return of(test, flags, plain === undefined ? regex : undefined);
  }
  const bounded = bound(source, flags, test);
  if (bounded !== undefined) {
    return of(bounded);
  }
  const message = `${quoted(source)} may take super-linear time, and no linear matcher takes it: give one as regExp`;
  throw new SchemaError("unsupported-pattern", location, message);
}

/** The text of a pattern that has only letters, digits and hyphens, and may have anchors. */
const plain = /^(\^?)([\w-]+)(\$?)$/;

/**
 * A test by comparison, which takes a fraction of the time. Nearly all patterns of
 * `patternProperties` are prefixes.
 */
function plainTest(source: string): Pattern["test"] | undefined {
  const [, start, text, end] = plain.exec(source) ?? [];
  if (text === undefined) {
    return undefined;
  }
  if (start === "") {
    return end === "" ? (value) => value.includes(text) : (value) => value.endsWith(text);
  }
  return end === "" ? (value) => value.startsWith(text) : (value) => value === text;
}
