import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { blobResource, isToolError, textResource, type RequestContext, type Server } from "@tenon/mcp";
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@tenon/protocol";

import type { Offer } from "../options.ts";
import { typedText } from "../schema/typed-text.ts";
import { callOperation } from "./call.ts";
import type { Prepared } from "./prepared.ts";
import { describe } from "./register.ts";

/** Adds an operation as a resource, or as a template if it has parameters. */
export function addResource(
  server: Server,
  prepared: Prepared,
  name: string,
  offer: Offer,
  authority: string,
): void {
  const { operation, plan } = prepared;
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_, parameter: string) => {
    const entry = plan.parameters.find(
      (one) => one.parameter.place === "path" && one.parameter.name === parameter,
    );
    return `{${variableOf(entry?.argument ?? parameter)}}`;
  });
  const query = plan.parameters
    .filter(({ parameter }) => parameter.place === "query")
    .map(({ argument }) => variableOf(argument));
  const uri = `openapi://${authority}${path}${query.length === 0 ? "" : `{?${query.join(",")}}`}`;
  const described = {
    name,
    title: offer.title ?? operation.summary,
    description: offer.description ?? describe(prepared),
  };
  if (plan.parameters.length === 0) {
    server.addResource({ ...described, uri }, (_, context) => read(prepared, {}, context, uri));
    return;
  }
  const byVariable = new Map(plan.parameters.map((one) => [variableOf(one.argument), one]));
  server.addResourceTemplate({ ...described, uriTemplate: uri }, ({ uri: own, variables }, context) => {
    const args: Record<string, unknown> = {};
    for (const [variable, value] of Object.entries(variables as Record<string, unknown>)) {
      const entry = byVariable.get(variable);
      if (entry !== undefined && value !== undefined) {
        const { argument } = entry;
        args[argument] =
          typeof value === "string"
            ? typedText([value], ",", (each) => prepared.accepts(argument, each))
            : value;
      }
    }
    return read(prepared, args, context, own);
  });
}

/** RFC 6570 allows letters, digits, `_` and `.` in names of variables. */
function variableOf(argument: string): string {
  return argument.replace(/[^A-Za-z0-9_.]/g, "_");
}

/** Reads a resource. @throws `RpcError` with the message that a tool would have. */
async function read(
  prepared: Prepared,
  args: Readonly<Record<string, unknown>>,
  context: RequestContext,
  uri: string,
): Promise<ReadResourceResult> {
  const problem = prepared.checkInput(args);
  if (problem !== undefined) {
    throw new RpcError(ErrorCode.InvalidParams, `The URI does not match its template: ${problem}`);
  }
  try {
    return contentsOf(await callOperation(prepared, args, context), uri);
  } catch (error) {
    throw isToolError(error) ? new RpcError(ErrorCode.InternalError, error.message, { cause: error }) : error;
  }
}

/** The main content, and the notes about what is missing from it. */
function contentsOf(result: CallToolResult, uri: string): ReadResourceResult {
  const { content, structuredContent, _meta } = result;
  const [block, ...further] = content;
  const notes = further.flatMap((note) =>
    note.type === "text" ? [textResource(uri, note.text, "text/plain")] : [],
  );
  return {
    contents: [mainOf(block, structuredContent, uri), ...notes],
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function mainOf(block: ContentBlock | undefined, structured: unknown, uri: string) {
  if (structured !== undefined) {
    return textResource(uri, JSON.stringify(structured), "application/json");
  }
  if (block?.type === "image" || block?.type === "audio") {
    return blobResource(uri, base64Bytes(block.data), block.mimeType);
  }
  if (block?.type === "resource" && "blob" in block.resource) {
    return { ...block.resource, uri };
  }
  return textResource(uri, block?.type === "text" ? block.text : "");
}

function base64Bytes(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
