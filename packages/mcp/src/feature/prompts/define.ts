import type { InputOf, OutputOf } from "@tenon/jsonschema/core";
import type { ContentBlock, GetPromptResult, Icon, PromptArgument, PromptMessage } from "@tenon/protocol";

import type { RequestContext } from "../../request/server/context.ts";
import type { InputRequired } from "../../request/server/input-required.ts";
import type { Completers } from "../completion/define.ts";

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

/** The validated arguments that the handler of a prompt receives. */
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
