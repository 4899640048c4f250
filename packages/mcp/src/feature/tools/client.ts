import { isNear, isRecord } from "@tenon/base";
import type { CallToolRequestParams, CallToolResult, ListToolsResult, Methods } from "@tenon/protocol";

import { isFinal } from "../../base/result.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { RequestOptions } from "../../request/client/options.ts";
import type { CallToolParams } from "../../request/client/tools.ts";
import type { ToolReference } from "../../request/tool.ts";
import { checkListedOutput, listedOutput, rememberOutputs } from "./client/listed-outputs.ts";
import { isToolReference, typedCalls } from "./client/typed-tools.ts";

/** Requests a page of tools, and remembers their output schemas. */
export async function listRemembering(
  session: InnerClientSession,
  params: Methods["tools/list"]["params"] | undefined,
  options: RequestOptions | undefined,
): Promise<ListToolsResult> {
  const result = await session.request("tools/list", params, options);
  if (Array.isArray(result.tools)) {
    rememberOutputs(session, result.tools);
  }
  return result;
}

/**
 * Calls a tool whose definition is at hand, or one by name: see the overloads of
 * `ClientSession.callTool`.
 */
export function callTool(
  session: InnerClientSession,
  tool: { readonly name: string } | string,
  second: unknown,
  third: RequestOptions | undefined,
): Promise<unknown> {
  if (typeof tool === "string") {
    return refuseName(tool);
  }
  const misnamed = (tool as CallToolParams).arguments === undefined ? misnamedArguments(tool) : undefined;
  if (misnamed !== undefined) {
    const message = `callTool takes the arguments as arguments: { … }; got ${JSON.stringify(misnamed)}.`;
    return Promise.reject(new TypeError(message));
  }
  return isToolReference(tool)
    ? callTyped(session, tool, second, third)
    : callListed(session, tool, second as RequestOptions);
}

const otherNames = new Set(["args", "params", "parameters"]);

/** The name of a property that was meant to be `arguments`. */
function misnamedArguments(tool: object): string | undefined {
  return isToolReference(tool)
    ? undefined
    : Object.keys(tool).find(
        (name) => name !== "arguments" && (otherNames.has(name) || isNear(name, "arguments")),
      );
}

/**
 * For a caller that passes the name alone, as with `session.typed(tools)`.
 *
 * @returns A rejection with `TypeError`.
 */
function refuseName(name: string): Promise<never> {
  const call = `callTool({ name: ${JSON.stringify(name.slice(0, 128))}, arguments: { … } })`;
  return Promise.reject(
    new TypeError(`callTool takes an object with the name, or a tool; got a string. Write ${call}.`),
  );
}

/** Calls a tool by name; its result is checked if the tool was listed. */
function callListed(
  session: InnerClientSession,
  params: CallToolParams,
  options: RequestOptions,
): Promise<CallToolResult> {
  const result = session
    .request("tools/call", params as CallToolRequestParams, options)
    .then((output) => withContent(output, session));
  const listed = listedOutput(session, params.name);
  return listed === undefined
    ? result
    : result.then((output) => checkListedOutput(session, params.name, listed, output));
}

/**
 * Returns the result with `content`, which is required. Servers that return only structured content
 * omit it; callers that read `content` then get an empty list.
 *
 * @throws `McpError` `INVALID_RESULT` for content that is not an array of objects.
 * @source T-67
 */
function withContent(
  result: CallToolResult,
  session: InnerClientSession,
): CallToolResult | Promise<CallToolResult> {
  const content: unknown = result.content;
  if (Array.isArray(content) ? content.every(isRecord) : !isFinal(result)) {
    return result;
  }
  if (content === undefined || content === null) {
    return { ...result, content: [] };
  }
  return typedCalls.use(({ readOddContent }) => readOddContent(result, session.tolerate));
}

/** Calls a tool whose definition is at hand. */
async function callTyped(
  session: InnerClientSession,
  tool: ToolReference,
  args: unknown,
  options: RequestOptions | undefined,
): Promise<unknown> {
  const encoded = await typedCalls.use(({ encodeArguments }) => encodeArguments(tool, args));
  const result = await session.request("tools/call", { name: tool.name, arguments: encoded }, options);
  return typedCalls.use(({ readOutput }) => readOutput(tool, result));
}
