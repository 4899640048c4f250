import { UriTemplateError } from "./error.ts";

/**
 * Limits for parsing and matching. Lengths are in UTF-16 code units. Exceeding a limit throws
 * `limit-exceeded`.
 */
export interface UriTemplateLimits {
  /** Maximum length of a template. Default: `4096`. */
  readonly templateLength: number;
  /**
   * Maximum number of variables in one template, repetitions counted. Default: `64`, at most 200.
   */
  readonly variables: number;
  /**
   * Maximum length of a URI given to `match`, which needs a few bytes of memory per character and
   * variable. Default: `16_384`.
   */
  readonly uriLength: number;
}

const defaults: UriTemplateLimits = { templateLength: 4096, variables: 64, uriLength: 16_384 };

/** Matching counts the expressions present in one byte. */
const mostVariables = 200;

/** The limits of the caller, with defaults for limits that are `undefined`. */
export function withDefaults(
  given: { [K in keyof UriTemplateLimits]?: UriTemplateLimits[K] | undefined } = {},
): UriTemplateLimits {
  return {
    templateLength: given.templateLength ?? defaults.templateLength,
    variables: Math.min(given.variables ?? defaults.variables, mostVariables),
    uriLength: given.uriLength ?? defaults.uriLength,
  };
}

/** Throws `limit-exceeded` if `actual` exceeds `limits[name]`. */
export function enforce(limits: UriTemplateLimits, name: keyof UriTemplateLimits, actual: number): void {
  if (actual > limits[name]) {
    throw new UriTemplateError(
      "limit-exceeded",
      `Expected at most ${limits[name]} by limits.${name}, got ${actual}`,
    );
  }
}
