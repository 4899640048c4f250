import { SchemaError } from "../error.ts";
import type { Pattern } from "../ir/node.ts";
import type { CompileOptions, Limits } from "../options.ts";

/**
 * A test of a pattern in linear time: by a matcher of its own, or `"native"` if a backtracking engine surely takes no
 * longer. `undefined` if neither is possible.
 */
export type LinearMatcher = (source: string) => ((value: string) => boolean) | "native" | undefined;

/** Whatever lets an engine try more than one way: repetitions, choices and what may be absent, but not the `?` of `(?:` and its like. */
const BRANCHES = /[*+{|]|(?:[^(]|\\\()\?/;

/** Compiles one regular expression of a schema (core §6.4: ECMA-262, Unicode mode, not anchored). */
export function compilePattern(
  source: string,
  location: string,
  options: CompileOptions,
  limits: Limits,
  linear: LinearMatcher | undefined,
): Pattern {
  if (source.length > limits.maxPatternLength) {
    throw new SchemaError(
      "limit-exceeded",
      location,
      `the pattern is longer than ${limits.maxPatternLength} units`,
    );
  }
  if (options.regExp !== undefined) {
    const matcher = options.regExp(source);
    return { source, flags: undefined, regex: undefined, test: (value) => matcher.test(value) };
  }
  const [regex, flags] = native(source, location);
  if (options.untrusted === true && BRANCHES.test(source)) {
    const test = flags === "u" ? linear?.(source) : undefined;
    if (test === undefined) {
      const why =
        "it repeats or chooses, and has look-around, back-references, too many states, or no linear matcher is at hand";
      throw new SchemaError(
        "unsupported-pattern",
        location,
        `${quoted(source)} may take super-linear time: ${why}`,
      );
    }
    if (test !== "native") return { source, flags: undefined, regex: undefined, test };
  }
  const test = plainTest(source);
  return test === undefined
    ? { source, flags, regex, test: (value) => regex.test(value) }
    : { source, flags, regex: undefined, test };
}

/** What a pattern of nothing but letters, digits and hyphens looks for, between anchors perhaps. */
const PLAIN = /^(\^?)([\w-]+)(\$?)$/;

/** Most patterns of `patternProperties` are prefixes: a comparison finds these in a fraction of the time. */
function plainTest(source: string): Pattern["test"] | undefined {
  const [, start, text, end] = PLAIN.exec(source) ?? [];
  if (text === undefined) return undefined;
  if (start === "") return end === "" ? (value) => value.includes(text) : (value) => value.endsWith(text);
  return end === "" ? (value) => value.startsWith(text) : (value) => value === text;
}

function native(source: string, location: string): [RegExp, string] {
  try {
    return [new RegExp(source, "u"), "u"];
  } catch (cause) {
    try {
      return [new RegExp(source), ""];
    } catch {
      throw new SchemaError("invalid-pattern", location, `${quoted(source)} is not a regular expression`, {
        cause,
      });
    }
  }
}

function quoted(source: string): string {
  return JSON.stringify(source.length > 100 ? `${source.slice(0, 100)}…` : source);
}
