import { isRecord } from "@tenon/base";
import { compile, explain, resolveSchema, type ResolvedSchema, type Source } from "@tenon/jsonschema/core";
import type { CallToolResult } from "@tenon/protocol";

import { McpError, ToolError } from "../../../base/error.ts";
import type { Tolerate } from "../../../base/strictness.ts";
import { inOneLine } from "../../../base/values.ts";
import type { ToolReference } from "../../../request/tool.ts";

/**
 * The `arguments` to send: instances of classes as JSON, all other values unchanged. The server
 * validates them.
 */
export function encodeArguments(
  { name, input }: ToolReference,
  args: unknown,
): Readonly<Record<string, unknown>> {
  if (!isClassLike(input)) {
    return args as Readonly<Record<string, unknown>>;
  }
  const encoded = resolveSchema(input as Source, { direction: "output" }).check(args);
  if (encoded instanceof Promise || !encoded.valid || !isRecord(encoded.value)) {
    const reasons =
      encoded instanceof Promise || encoded.valid ? "no object" : inOneLine(explain(encoded.errors));
    throw new TypeError(`Invalid arguments for tool ${name}: ${reasons}`);
  }
  return encoded.value;
}

/**
 * Returns the output of a result, validated against the tool's own schema and, for a class,
 * converted to an instance. Protocol versions without structured content send it as text.
 *
 * @throws `ToolError` with the tool's message and the result as its `cause` for a result with
 *   `isError`; `McpError` `INVALID_RESULT` for output that does not match the schema.
 * @source R-471
 */
export async function readOutput({ name, output }: ToolReference, result: CallToolResult): Promise<unknown> {
  if (result.isError === true) {
    throw new ToolError(messageOf(result) ?? `The tool ${name} failed.`, { cause: result });
  }
  if (output === undefined) {
    return result;
  }
  const value = result.structuredContent === undefined ? parsedText(result) : result.structuredContent;
  const checked = await incoming(output).check(value);
  if (!checked.valid) {
    const message = `The output of tool ${name} does not match its schema: ${inOneLine(explain(checked.errors))}`;
    throw new McpError("INVALID_RESULT", message);
  }
  return checked.value;
}

/**
 * Returns the server's result without validation, for callers that know the types of a tool but not
 * its schemas.
 */
export async function plainOutput(name: string, result: CallToolResult): Promise<unknown> {
  await readOutput({ name, input: undefined }, result);
  return result.structuredContent === undefined ? (parsedText(result) ?? result) : result.structuredContent;
}

/**
 * Classes and kinds know how to write themselves as JSON; schemas of other libraries may be
 * functions too.
 */
function isClassLike(source: unknown): boolean {
  return typeof source === "function" && !("~standard" in source);
}

const outputs = new WeakMap<object, Pick<ResolvedSchema, "check">>();

/**
 * Validates a value from a server. The value has already been transformed by the handler's schema,
 * and must not be transformed again.
 */
function incoming(output: unknown): Pick<ResolvedSchema, "check"> {
  const isStandard =
    (typeof output === "function" || (typeof output === "object" && output !== null)) &&
    "~standard" in output;
  if (!isStandard) {
    return resolveSchema(output as Source);
  }
  let known = outputs.get(output);
  if (known === undefined) {
    const { jsonSchema } = resolveSchema(output as Source, { direction: "output" });
    const validator = compile(jsonSchema);
    known = { check: (value) => validator.check(value) };
    outputs.set(output, known);
  }
  return known;
}

function messageOf(result: CallToolResult): string | undefined {
  const texts = blocksOf(result).flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function parsedText(result: CallToolResult): unknown {
  const [block, ...more] = blocksOf(result);
  if (block?.type !== "text" || more.length > 0) {
    return undefined;
  }
  try {
    return JSON.parse(block.text) as unknown;
  } catch {
    return undefined;
  }
}

/** The content, which a server may have left out although it must not. @source T-67 */
function blocksOf({ content }: CallToolResult): CallToolResult["content"] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/**
 * Returns a result whose content is a string, one block or a list of strings, with a list of
 * blocks: the tool has run, so its output must not be lost.
 *
 * @throws `McpError` `INVALID_RESULT` for other content, and if it is not tolerated.
 */
export function readOddContent(result: CallToolResult, tolerate: Tolerate): CallToolResult {
  const content: unknown = result.content;
  const message = "Invalid tools/call result: content must be an array of objects.";
  const refusal = new McpError("INVALID_RESULT", message);
  const blocks = (Array.isArray(content) ? content : [content]).map((item: unknown) =>
    typeof item === "string" ? { type: "text", text: item } : item,
  );
  if (!blocks.every((block) => isRecord(block) && typeof block["type"] === "string")) {
    throw refusal;
  }
  tolerate("oddContent", refusal);
  return { ...result, content: blocks as CallToolResult["content"] };
}
