import type { ResolvedLimits } from "@tenon/base";

import { OpenApiError } from "../error.ts";
import type { OpenApiLimits } from "../limits.ts";

/** The result of {@link measure}. */
export interface Measured {
  /** The values of `$ref` that point out of the document. */
  readonly external: ReadonlySet<string>;
  /** How many values the document has. */
  readonly values: number;
}

/** Options of {@link measure}. */
export interface Measuring extends Pick<ResolvedLimits<OpenApiLimits>, "maxDepth" | "maxValues"> {
  /** How many values the documents have that were read before. Default: 0. */
  readonly valuesBefore?: number | undefined;
}

/**
 * Checks depth and size of a parsed document. Without recursion, because the depth is what a
 * hostile document has too much of. Aliases of YAML are followed wherever they stand, so their
 * multiplication is counted.
 *
 * @param name - The document, for errors.
 * @throws `OpenApiError` `LIMIT`.
 */
export function measure(
  document: object,
  name: string,
  { maxDepth, maxValues, valuesBefore = 0 }: Measuring,
): Measured {
  const external = new Set<string>();
  const stack: { readonly values: readonly unknown[]; at: number }[] = [
    { values: Object.values(document), at: 0 },
  ];
  let values = 0;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.at === top.values.length) {
      stack.pop();
      continue;
    }
    const value = top.values[top.at++];
    values++;
    if (valuesBefore + values > maxValues) {
      throw new OpenApiError(
        "LIMIT",
        `${valuesBefore === 0 ? `${name} has` : `The documents up to ${name} have`} more than ${maxValues} values. If you trust it, raise limits.maxValues.`,
      );
    }
    if (typeof value !== "object" || value === null) {
      continue;
    }
    const { $ref } = value as { readonly $ref?: unknown };
    if (typeof $ref === "string" && !$ref.startsWith("#")) {
      external.add($ref);
    }
    if (stack.length >= maxDepth) {
      throw new OpenApiError(
        "LIMIT",
        `${name} is nested more than ${maxDepth} levels deep. If you trust it, raise limits.maxDepth.`,
      );
    }
    stack.push({ values: Object.values(value), at: 0 });
  }
  return { external, values };
}
