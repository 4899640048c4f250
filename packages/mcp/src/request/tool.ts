import type {
  Infer,
  InferInput,
  InputOf,
  JSONSchemaObject,
  ObjectLiteral,
  OutputOf,
  Source,
} from "@tenon/jsonschema/core";
import type { CallToolResult, ContentBlock, Icon, ToolAnnotations } from "@tenon/protocol";

import type { ToolExtensionOptions } from "./open.ts";
import type { RequestContext } from "./server/context.ts";
import type { InputRequired } from "./server/input-required.ts";

/**
 * The definition of a tool. @typeParam I - The source of the input schema. @typeParam O - The
 * source of the output schema.
 */
export interface ToolDefinition<
  I = unknown,
  O = unknown,
  N extends string = string,
> extends ToolExtensionOptions {
  /** 1 to 128 characters of `A-Z a-z 0-9 _ - .`, unique in its server. @source R-465 */
  readonly name: N;
  /** For people to read. */
  readonly title?: string | undefined;
  /** For the model to read. */
  readonly description?: string | undefined;
  /**
   * The arguments: a JSON Schema literal, a class with described fields, a `Model`, or a schema of
   * any library that implements Standard Schema and Standard JSON Schema. An object. Default: no
   * arguments.
   */
  readonly input?: I | undefined;
  /**
   * The schema for clients in place of the schema that is generated from `input`. Arguments must
   * match both.
   *
   * @source S-128
   */
  readonly inputSchema?: PlainSchema<"input"> | undefined;
  /**
   * The output, written in any of the ways of `input`. With it the handler returns a value that
   * conforms. Default: unstructured output.
   */
  readonly output?: O | undefined;
  /**
   * The schema for clients in place of the schema that is generated from `output`. Output must
   * match both.
   *
   * @source S-129
   */
  readonly outputSchema?: PlainSchema<"output"> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * Maximum time to handle one call, in milliseconds, in place of the limit `handlerTimeoutMs` of
   * the server. A call that has become a task is not limited. Default: `handlerTimeoutMs`.
   */
  readonly timeoutMs?: number | undefined;
  readonly icons?: Icon[] | undefined;
  readonly _meta?: Record<string, unknown> | undefined;
}

/** A JSON Schema literal. For a schema of a library the compiler shows where it belongs. */
export type PlainSchema<Member extends string> = {
  readonly "~standard"?: `schemas of a library belong in "${Member}"`;
} & JSONSchemaObject;

/** The ways to write `input` and `output`. */
export type ToolSchema = Source;

/**
 * The return value of a handler without an output schema: a string, content blocks, a complete
 * result, or a value that becomes JSON text.
 */
export type Unstructured =
  | string
  | ContentBlock
  | ContentBlock[]
  | TextResult
  | CallToolResult
  | InputRequired
  | number
  | boolean
  | null
  | PlainValue
  | undefined
  | void;

/**
 * A {@link CallToolResult} of text blocks. Without optional properties the compiler accepts it at
 * its first attempt at a call of `addTool`; a second attempt would infer the arguments again.
 */
interface TextResult {
  readonly content: readonly TextBlock[];
  readonly [other: string]: readonly TextBlock[];
}

/** A block of a {@link TextResult}. */
interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly [other: string]: string;
}

/**
 * An object or a list that is not meant to be content: a misspelt block has a `type`, a misspelt
 * result the other properties. A `Map` or a `Set` has no JSON form.
 */
export type PlainValue = PlainObject | readonly (PlainObject | readonly unknown[] | Scalar)[];

/** An object of a {@link PlainValue}. */
type PlainObject = object & {
  readonly type?: never;
  readonly content?: never;
  readonly structuredContent?: never;
  readonly isError?: never;
  readonly then?: never;
  readonly [Symbol.iterator]?: never;
};

type Scalar = string | number | boolean | null | undefined;

/** The error of the compiler for a tool whose name is the first argument. */
export type AddToolHint = "write addTool({ name, description, input }, handler)";

/**
 * The return value of a handler with an output schema: a value that matches it, a complete result,
 * or a request for input.
 */
export type Structured<O> = InputOf<O> | CallToolResult | InputRequired;

/** The validated arguments that a handler receives: an instance if `input` is a class. */
export type ToolArguments<I> = unknown extends I
  ? Record<string, unknown>
  : // The common kinds of schema are tested first, because the compiler counts each test.
    I extends { readonly _zod: { readonly output: unknown } }
    ? I["_zod"]["output"]
    : I extends ObjectLiteral
      ? Infer<I>
      : I extends undefined
        ? Record<string, unknown>
        : I extends RawShape
          ? { readonly hint: "input must be a schema: wrap the shape, as in z.object({ … })" }
          : I extends LibrarySchema
            ? I extends DescribedSchema
              ? OutputOf<I>
              : { readonly hint: "this schema has no JSON Schema: use zod 4.2 or later" }
            : OutputOf<I>;

/** An object of schemas, which other SDKs accept as a schema. */
interface RawShape {
  readonly [name: string]: { readonly "~standard": unknown };
}

/** A schema of a library. */
interface LibrarySchema {
  readonly "~standard": { readonly vendor: string };
}

/** A schema of a library with a JSON Schema. Schemas of zod 3 have none. */
interface DescribedSchema {
  readonly "~standard": { readonly jsonSchema: unknown };
}

/** The return value of a handler, which depends on the output schema of its tool. */
export type ToolReturn<O> = O extends ObjectLiteral
  ? InferInput<O> | CallToolResult | InputRequired
  : O extends undefined
    ? Unstructured
    : // `Structured<O>` written out: the compiler then shows what is expected.
      InputOf<O> | CallToolResult | InputRequired;

/** The arguments a caller passes. */
export type ToolCallArguments<I> = [unknown] extends [I]
  ? Readonly<Record<string, unknown>>
  : [I] extends [undefined]
    ? Readonly<Record<string, never>>
    : InputOf<I>;

/**
 * The result of a typed call of a tool: its output, or the complete result if the tool has no
 * output schema.
 */
export type ToolOutput<O> = [unknown] extends [O]
  ? CallToolResult
  : [O] extends [undefined]
    ? CallToolResult
    : OutputOf<O>;

/**
 * Runs a tool. A thrown `ToolError` becomes a result with `isError` and its message, an `RpcError`
 * becomes the error response to the request, and any other error becomes a result with `isError`
 * and a generic message.
 */
export type ToolHandler<I, O = undefined> = (
  args: ToolArguments<I>,
  context: RequestContext,
) => ToolReturn<O> | Promise<ToolReturn<O>>;

/** The part of a tool's definition that typed calls need. */
export interface ToolReference<I = unknown, O = unknown> {
  readonly name: string;
  /** As in the definition; `undefined` for a tool that takes nothing. */
  readonly input: I;
  readonly output?: O | undefined;
}

/**
 * A tool as {@link defineTool} makes it: definition and handler in one value, typed by its schemas.
 */
export interface DefinedTool<N extends string = string, I = unknown, O = unknown> extends ToolDefinition<
  I,
  O,
  N
> {
  readonly input: I;
  readonly output: O;
  readonly handler: (args: never, context: RequestContext) => unknown;
}
