import type { Prompt } from "@tenon/protocol";

import { askArguments } from "./ask-person.ts";
import { fieldsOf } from "./fields.ts";

/**
 * Prompts for the arguments of a prompt, which are strings.
 *
 * @throws `Interrupted` if the person gives up.
 */
export async function promptArguments(
  { arguments: specs = [] }: Pick<Prompt, "arguments">,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const fields = fieldsOf({
    properties: Object.fromEntries(
      specs.map(({ name, title, description }) => [
        name,
        {
          type: "string",
          ...(title === undefined ? {} : { title }),
          ...(description === undefined ? {} : { description }),
        },
      ]),
    ),
    required: specs.filter(({ required }) => required === true).map(({ name }) => name),
  });
  const given = await askArguments(
    fields.filter(({ isRequired }) => isRequired),
    fields.filter(({ isRequired }) => !isRequired),
    signal,
  );
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}
