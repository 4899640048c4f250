import { expandParts } from "./expand.ts";
import { enforce, withDefaults } from "./limits.ts";
import { matchPlan } from "./match.ts";
import { type Outline, outlineOf, type ParseOptions } from "./outline.ts";
import { type Plan, plan } from "./plan.ts";
import { parseParts } from "./syntax.ts";
import type { Values, Variables } from "./values.ts";

/**
 * A parsed URI template (RFC 6570, all four levels). Immutable; `expand` and `match` may be called
 * concurrently.
 */
export interface UriTemplate<T extends string = string> extends Outline<T> {
  /**
   * Returns the URI for these values (RFC 6570 §3). Missing values, `undefined`, `null`, and empty
   * lists and maps are omitted. Only own properties are read. Lone surrogates become U+FFFD.
   *
   * @throws UriTemplateError `invalid-value` if a value is not a string, number, boolean, flat list
   *   or flat map, or if it is a list or map under a prefix modifier.
   */
  expand(values: Values<T>): string;
  /**
   * The percent-decoded variables of a URI, or `undefined` when the URI is not one of this
   * template; the README of this package has the exact rules. Time and memory are proportional to
   * the length of the URI times the number of expressions and literals, whatever the URI: there is
   * no backtracking. The result has no prototype.
   *
   * @throws UriTemplateError `limit-exceeded` when the URI is longer than `limits.uriLength`;
   *   nothing else throws.
   */
  match(uri: string): Variables<T> | undefined;
}

/**
 * Parses a URI template of any level of RFC 6570. The types of the variables come from the literal.
 *
 * @throws UriTemplateError `malformed-template` with the position in the template, or
 *   `limit-exceeded`.
 *
 * @example
 * const file = parse("file:///{+path}{?line}");
 * file.expand({ path: "src/index.ts", line: 7 }); // "file:///src/index.ts?line=7"
 * file.match("file:///src/index.ts?line=7")?.path; // "src/index.ts"
 */
export function parse<const T extends string>(template: T, options: ParseOptions = {}): UriTemplate<T> {
  const limits = withDefaults(options.limits);
  const parts = parseParts(template, limits);
  let prepared: Plan | undefined;
  return {
    ...outlineOf(template, parts),
    expand: (values) => expandParts(parts, values),
    match(uri) {
      enforce(limits, "uriLength", uri.length);
      prepared ??= plan(parts);
      return matchPlan(prepared, uri) as Variables<T> | undefined;
    },
  };
}
