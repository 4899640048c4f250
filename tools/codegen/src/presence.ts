import { mapChildren, rewrite } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

const key = "x-revisions";

/** Marks every node of `schema` as present in `revision`. */
export function annotate(schema: Schema, revision: string): Schema {
  return rewrite(schema, "", (node) => ({ ...node, [key]: [revision] }));
}

/** The marks of both nodes together. */
export function revisionsOf(newer: Schema, older: Schema): Schema {
  return { [key]: [...new Set([...marks(newer), ...marks(older)])].sort() };
}

function marks(schema: Schema): string[] {
  return (schema[key] as string[] | undefined) ?? [];
}

/**
 * Turns the marks into a sentence at the end of each description that needs one, and removes them.
 */
export function describePresence(definitions: Definitions, revisions: readonly string[]): Definitions {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [
      name,
      describe(schema, revisions, revisions, false),
    ]),
  );
}

function describe(
  schema: Schema,
  around: readonly string[],
  all: readonly string[],
  inOpen: boolean,
): Schema {
  const here = schema[key] === undefined ? around : marks(schema);
  // The values of an open map get no sentence: an index signature has no birthday of its own.
  const open = schema["additionalProperties"] !== undefined;
  const { [key]: _, ...rest } = mapChildren(schema, (child, step) =>
    describe(child, step === "{}" ? marks(child) : here, all, open),
  );
  // An open object still admits the fields that only older revisions spell out.
  const gone = !here.includes(all.at(-1) ?? "");
  const sentence = here.length < around.length && !(inOpen && gone) ? span(here, all) : undefined;
  if (sentence === undefined) {
    return rest;
  }
  const text = typeof rest["description"] === "string" ? rest["description"] : "";
  // Many descriptions say it already, in better words.
  if (here.some((revision) => text.includes(revision))) {
    return rest;
  }
  return { ...rest, description: text === "" ? sentence : `${text}\n\n${sentence}` };
}

/** A run of revisions in words: `Since 2025-06-18.`, `Until 2025-11-25.`, `Only in 2025-11-25.` */
function span(revisions: readonly string[], all: readonly string[]): string {
  const [first, last] = [revisions[0], revisions.at(-1)];
  if (first === last) {
    return first === all.at(-1) ? `Since ${first}.` : `Only in ${first}.`;
  }
  if (last === all.at(-1)) {
    return `Since ${first}.`;
  }
  return first === all[0] ? `Until ${last}.` : `From ${first} to ${last}.`;
}
