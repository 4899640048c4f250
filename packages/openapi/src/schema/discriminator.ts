import { isRecord } from "@tenon/base";

import { partsOf } from "../document/parts.ts";
import { listOf, membersOf, type Members } from "../document/values.ts";
import type { Conversion } from "./convert.ts";

/**
 * Makes a discriminator a part of the schema: each alternative that a reference names accepts only
 * the values of the property that select it. Without this, a value often matches several
 * alternatives of a `oneOf`, and is refused. Alternatives that restrict the property themselves are
 * not changed.
 *
 * @source OpenAPI 3.1.1 §4.8.25
 */
export function discriminated(
  schema: Members,
  result: Record<string, unknown>,
  conversion: Conversion,
): void {
  const { discriminator } = schema;
  const property = isRecord(discriminator) ? discriminator["propertyName"] : undefined;
  if (typeof property !== "string") {
    return;
  }
  const mapping = Object.entries(membersOf(membersOf(discriminator)["mapping"]));
  for (const keyword of ["oneOf", "anyOf"]) {
    const alternatives = result[keyword];
    const sources = listOf(schema[keyword]);
    if (!Array.isArray(alternatives) || alternatives.length !== sources.length) {
      continue;
    }
    result[keyword] = alternatives.map((alternative: unknown, index) => {
      const reference = membersOf(sources[index])["$ref"];
      if (
        typeof reference !== "string" ||
        !isRecord(alternative) ||
        restricts(reference, property, conversion)
      ) {
        return alternative;
      }
      const mapped = mapping.flatMap(([value, target]) => (isTarget(target, reference) ? [value] : []));
      const values = mapped.length > 0 ? mapped : [nameOf(reference)];
      return {
        ...alternative,
        properties: { [property]: values.length === 1 ? { const: values[0] } : { enum: values } },
      };
    });
  }
}

/** Whether a value of a mapping names a schema: by a reference, or by its name alone. */
function isTarget(target: unknown, reference: string): boolean {
  return target === reference || target === nameOf(reference);
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Whether a schema or one of its parts restricts a property. */
function restricts(reference: string, property: string, { pointers }: Conversion): boolean {
  return partsOf({ $ref: reference }, pointers).some((part) => {
    const own = membersOf(pointers.follow(membersOf(part["properties"])[property]));
    return (
      own["const"] !== undefined ||
      Array.isArray(own["enum"]) ||
      (own["type"] !== undefined && ![own["type"]].flat().includes("string"))
    );
  });
}
