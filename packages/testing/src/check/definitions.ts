import { compile, isSchemaError } from "@tenon/jsonschema";

import { isEqual } from "../definitions/change.ts";
import { listDefinitions, type Definitions } from "../definitions/collect.ts";
import { messageOf, type CheckContext } from "./context.ts";

/** Checks the definitions without calling anything, and returns them. */
export async function checkDefinitions({
  session,
  findings,
  timeoutMs,
  signal,
}: CheckContext): Promise<Definitions> {
  const options = { timeoutMs, signal };
  const definitions = await listDefinitions(session, options);
  if (!isEqual(definitions, await listDefinitions(session, options))) {
    const message = "Expected the same definitions in two lists, one after the other; they differ.";
    findings.add("stable-definitions", "", message, { severity: "warning" });
  }
  const names: readonly (readonly [kind: string, names: readonly string[]])[] = [
    ["tool", definitions.tools.map(({ name }) => name)],
    ["prompt", definitions.prompts.map(({ name }) => name)],
    ["resource", definitions.resources.map(({ uri }) => uri)],
    ["resource template", definitions.resourceTemplates.map(({ uriTemplate }) => uriTemplate)],
  ];
  for (const [kind, list] of names) {
    for (const name of list.filter((one, index) => list.indexOf(one) !== index)) {
      findings.add(
        "unique-names",
        `${kind} ${JSON.stringify(name)}`,
        "Expected each name once in the list; found this name twice.",
      );
    }
  }
  for (const { name, inputSchema, outputSchema } of definitions.tools) {
    for (const [property, schema] of Object.entries({ inputSchema, outputSchema })) {
      const problem = schema === undefined ? undefined : problemOf(schema);
      if (problem !== undefined) {
        findings.add("valid-schemas", `tool ${JSON.stringify(name)}`, `${property}: ${problem}`);
      }
    }
  }
  return definitions;
}

function problemOf(schema: object): string | undefined {
  try {
    compile(schema, { untrusted: true });
    return undefined;
  } catch (error) {
    if (isSchemaError(error)) {
      return messageOf(error);
    }
    throw error;
  }
}
