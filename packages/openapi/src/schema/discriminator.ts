import { isRecord } from "@tenon/base";

import { partsOf } from "../document/parts.ts";
import { listOf, membersOf, type Members } from "../document/values.ts";
import type { Conversion } from "./convert.ts";

interface Discriminator {
  readonly property: string;
  readonly targets: readonly Target[];
  /** Whether it is next to the alternatives, where the name of a schema selects it, too. */
  readonly isOwn: boolean;
}

/** A value of the property, and the schema that it selects. */
interface Target {
  readonly value: string;
  /** A reference, or the name of a schema. */
  readonly name: unknown;
  readonly schema: unknown;
  /** The schema and all that it inherits from; empty if it is not known. */
  readonly parts: ReadonlySet<unknown>;
}

/**
 * Makes a discriminator a part of the schema: each alternative that a reference names accepts only
 * the values of the property that select it. Without this, a value often matches several
 * alternatives of a `oneOf`, and is refused. Alternatives that restrict the property themselves are
 * not changed. The alternatives of a `oneOf` may also inherit their discriminator, as springdoc
 * writes it.
 *
 * @returns Whether a value may still match several alternatives of the `oneOf`, because the values
 *   that select one of them are not known.
 * @source OpenAPI 3.1.1 §4.8.25
 */
export function discriminated(
  schema: Members,
  result: Record<string, unknown>,
  conversion: Conversion,
): boolean {
  const known = new Map<unknown, Discriminator | undefined>();
  const read = (holder: Members, isOwn: boolean): Discriminator | undefined => {
    const { discriminator } = holder;
    // Every alternative inherits the same discriminator, which may have many values.
    if (!known.has(discriminator)) {
      known.set(discriminator, discriminatorOf(discriminator, isOwn, conversion));
    }
    return known.get(discriminator);
  };
  const own = read(schema, true);
  let isAmbiguous = false;
  for (const keyword of ["oneOf", "anyOf"]) {
    const alternatives = result[keyword];
    const sources = listOf(schema[keyword]);
    if (!Array.isArray(alternatives) || alternatives.length !== sources.length) {
      continue;
    }
    const all = new Set(sources.map((source) => conversion.pointers.follow(source)));
    result[keyword] = alternatives.map((alternative: unknown, index) => {
      const source = sources[index];
      const found =
        own ??
        partsOf(keyword === "oneOf" ? source : undefined, conversion.pointers)
          .map((part) => read(part, false))
          .find((one) => one !== undefined);
      if (found === undefined || restricts(source, found.property, conversion)) {
        return alternative;
      }
      const values = valuesOf(found, source, all, conversion);
      if (values.length === 0 || !isRecord(alternative)) {
        isAmbiguous ||= keyword === "oneOf";
        return alternative;
      }
      return {
        ...alternative,
        properties: {
          ...membersOf(alternative["properties"]),
          [found.property]: values.length === 1 ? { const: values[0] } : { enum: values },
        },
      };
    });
  }
  return isAmbiguous;
}

function discriminatorOf(
  discriminator: unknown,
  isOwn: boolean,
  { pointers }: Conversion,
): Discriminator | undefined {
  const { propertyName: property, mapping } = membersOf(discriminator);
  if (typeof property !== "string") {
    return undefined;
  }
  const targets = Object.entries(membersOf(mapping)).map(([value, name]): Target => {
    const schema = schemaNamed(name, pointers);
    return { value, name, schema, parts: new Set(schema === undefined ? [] : partsOf(schema, pointers)) };
  });
  return { property, targets, isOwn };
}

/** The values that select an alternative; none if they are not known. */
function valuesOf(
  { targets, isOwn }: Discriminator,
  source: unknown,
  all: ReadonlySet<unknown>,
  { pointers }: Conversion,
): readonly string[] {
  const reference = membersOf(source)["$ref"];
  if (typeof reference !== "string") {
    return [];
  }
  const own = pointers.follow(source);
  const mapped = targets
    .filter(
      ({ name, schema, parts }) =>
        name === reference ||
        name === nameOf(reference) ||
        (schema !== undefined && schema === own) ||
        // A class that inherits from an alternative is one, too.
        (!all.has(schema) && parts.has(own)),
    )
    .map(({ value }) => value);
  // Several files become one, and then the names and the places of their schemas are lost.
  const hasNames =
    isOwn &&
    /^#\/(?:components\/schemas|definitions)\/[^/]+$/.test(reference) &&
    targets.every(({ schema }) => schema !== undefined);
  return mapped.length > 0 ? mapped : hasNames ? [nameOf(reference)] : [];
}

/** The schema that a value of a mapping names: by a reference, or by its name alone. */
function schemaNamed(target: unknown, pointers: Conversion["pointers"]): unknown {
  return typeof target === "string"
    ? [target, `#/components/schemas/${target}`, `#/definitions/${target}`]
        .map((reference) => pointers.follow({ $ref: reference }))
        .find((schema) => schema !== undefined)
    : undefined;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Whether a schema or one of its parts restricts a property. */
function restricts(source: unknown, property: string, { pointers }: Conversion): boolean {
  return partsOf(source, pointers).some((part) => {
    const own = membersOf(pointers.follow(membersOf(part["properties"])[property]));
    return (
      own["const"] !== undefined ||
      Array.isArray(own["enum"]) ||
      (own["type"] !== undefined && ![own["type"]].flat().includes("string"))
    );
  });
}
