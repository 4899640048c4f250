import type { ResolvedSchema } from "@tenon/jsonschema/core";
import type { Prompt } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { defined } from "../../../base/values.ts";
import type { RequestContext } from "../../../request/server/context.ts";
import { registerCompleters, type RegisteredCompleters } from "../../completion/server/register.ts";
import { refuseMisplaced, requireDefinition, requireHandler } from "../../misplaced.ts";
import type { PromptDefinition, PromptHandler } from "../define.ts";
import { argumentsOf, type TextReader } from "./arguments.ts";

/** A prompt as a server keeps it. */
export interface RegisteredPrompt {
  readonly prompt: Prompt;
  /** The arguments there are. */
  readonly names: ReadonlySet<string>;
  readonly readers: ReadonlyMap<string, TextReader>;
  /** Checks the arguments and makes of them what the handler gets. */
  readonly schema: ResolvedSchema | undefined;
  readonly completers: RegisteredCompleters;
  readonly handler: (args: never, context: RequestContext) => unknown;
}

/** Checks a definition. @throws `McpError` `INVALID_DEFINITION` that describes the problem. */
export function registerPrompt<A>(
  definition: PromptDefinition<A>,
  handler: PromptHandler<A>,
): RegisteredPrompt {
  requireDefinition("addPrompt", "name", definition);
  const { arguments: described, complete, ...rest } = definition;
  const { name } = rest;
  if (typeof name !== "string" || name === "") {
    throw new McpError(
      "INVALID_DEFINITION",
      `Prompt name must be a string that is not empty; got ${JSON.stringify(name)}.`,
    );
  }
  const where = `prompt ${JSON.stringify(name)}`;
  refuseMisplaced("prompt", where, definition);
  requireHandler(where, definition, handler);
  const { list, readers, schema, suggestions } = argumentsOf(described, where);
  const args = list.length === 0 ? undefined : [...list];
  return {
    prompt: defined<Prompt>({ ...rest, arguments: args }),
    names: new Set(readers.keys()),
    readers,
    schema,
    completers: registerCompleters(
      { ...suggestions, ...complete },
      list.map((argument) => argument.name),
      where,
    ),
    handler,
  };
}
