import type { InputOf, OutputOf, ResolvedSchema } from "@tenon/jsonschema/core";
import type {
  ContentBlock,
  GetPromptResult,
  Icon,
  Prompt,
  PromptArgument,
  PromptMessage,
} from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import { defined } from "../../base/values.ts";
import type { RequestContext } from "../../request/server/context.ts";
import type { InputRequired } from "../../request/server/input-required.ts";
import { registerCompleters, type Completers, type RegisteredCompleters } from "../completion/define.ts";
import { refuseMisplaced, requireDefinition, requireHandler } from "../misplaced.ts";
import { argumentsOf, type TextReader } from "./arguments.ts";

/** The definition of a prompt. @typeParam A - Its arguments: a list, or a schema. */
export interface PromptDefinition<A = unknown> {
  /** Unique in its server. */
  readonly name: string;
  /** For people to read. */
  readonly title?: string | undefined;
  /** The purpose of the prompt, for people. */
  readonly description?: string | undefined;
  /**
   * The arguments: a list of arguments with string values, or the JSON Schema of an object. On the
   * wire every value is a string. With a schema, properties of type `number`, `integer`, `boolean`,
   * `array` and `object` are parsed from their JSON text, and the object is validated. By default a
   * prompt has no arguments.
   *
   * @source R-551
   */
  readonly arguments?: A | undefined;
  /**
   * Completions for the arguments. Properties that are an `enum` of strings get them from the
   * schema.
   */
  readonly complete?: Completers<PromptArgumentName<A>> | undefined;
  readonly icons?: Icon[] | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

type Listed = readonly PromptArgument[];

/** The names of a prompt's arguments. */
export type PromptArgumentName<A> = [unknown] extends [A]
  ? string
  : A extends Listed
    ? A[number]["name"]
    : keyof InputOf<A> & string;

/** The arguments that the handler of a prompt is given: validated. */
export type PromptArguments<A> = [unknown] extends [A]
  ? Record<string, string>
  : A extends Listed
    ? { readonly [T in A[number] as T extends { readonly required: true } ? T["name"] : never]: string } & {
        readonly [T in A[number] as T extends { readonly required: true } ? never : T["name"]]?: string;
      }
    : OutputOf<A>;

/**
 * The return value of a prompt's handler: the text of one user message, one or several messages or
 * content blocks, a complete result, or a request for input.
 */
export type PromptReturn =
  | string
  | ContentBlock
  | PromptMessage
  | readonly (PromptMessage | ContentBlock)[]
  | GetPromptResult
  | InputRequired;

/**
 * Creates the messages of a prompt. A thrown `RpcError` becomes the error response; any other error
 * becomes `-32603` without details.
 */
export type PromptHandler<A = unknown> = (
  args: PromptArguments<A>,
  context: RequestContext,
) => PromptReturn | Promise<PromptReturn>;

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
  requireHandler(where, handler);
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
