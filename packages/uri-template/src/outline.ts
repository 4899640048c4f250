import { type UriTemplateLimits, withDefaults } from "./limits.ts";
import { type Part, parseParts } from "./syntax.ts";
import type { VariableName } from "./values.ts";

/** The properties of a URI template that need neither expansion nor matching. */
export interface Outline<T extends string = string> {
  /** The template, unchanged. */
  readonly template: T;
  /** The names of the variables in order of first appearance, each once. */
  readonly variables: readonly VariableName<T>[];
  /**
   * The literal text, percent-encoded, with which every expansion begins; "" when an expression
   * comes first.
   */
  readonly prefix: string;
}

/** Options of {@link outline} and `parse`. */
export interface ParseOptions {
  /** Bounds that differ from the defaults of {@link UriTemplateLimits}. */
  readonly limits?:
    | { readonly [K in keyof UriTemplateLimits]?: UriTemplateLimits[K] | undefined }
    | undefined;
}

/**
 * Checks a URI template of any level of RFC 6570 without expanding or matching it. This needs a
 * third of the code of `parse`.
 *
 * @throws UriTemplateError `malformed-template` with the position in the template, or
 *   `limit-exceeded`.
 */
export function outline<const T extends string>(template: T, options: ParseOptions = {}): Outline<T> {
  return outlineOf(template, parseParts(template, withDefaults(options.limits)));
}

/** The outline of a template that has been parsed. */
export function outlineOf<T extends string>(template: T, parts: readonly Part[]): Outline<T> {
  const names = parts.flatMap((part) =>
    typeof part === "string" ? [] : part.variables.map(({ name }) => name),
  );
  const [head = ""] = parts;
  return {
    template,
    variables: [...new Set(names)] as VariableName<T>[],
    prefix: typeof head === "string" ? head : "",
  };
}
