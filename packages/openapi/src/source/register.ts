import { blobResource, textResource, type Server } from "@tenon/mcp";
import type { CallToolResult, ToolAnnotations } from "@tenon/protocol";

import type { Offer } from "../options.ts";
import { checkedSchema } from "../schema/check.ts";
import { callOperation } from "./call.ts";
import type { Prepared } from "./prepared.ts";

/** Adds the tool of an operation to a server. */
export function addTool(server: Server, prepared: Prepared, name: string, offer: Offer): void {
  const { operation, inputSchema, checkInput, outputSchema, info } = prepared;
  const definition = {
    name,
    title: offer.title ?? operation.summary,
    description: offer.description ?? describe(prepared),
    input: checkedSchema(inputSchema, checkInput),
    annotations: annotationsOf(info.method),
    ...(outputSchema === undefined ? {} : { output: checkedSchema(outputSchema) }),
  };
  server.addTool(definition as { readonly name: string }, (args, context) =>
    callOperation(prepared, args, context),
  );
}

/** The hints that follow from the semantics of a method (RFC 9110 §9.2). */
function annotationsOf(method: string): ToolAnnotations {
  switch (method) {
    case "GET":
    case "HEAD":
    case "OPTIONS":
    case "QUERY":
      return { readOnlyHint: true };
    case "PUT":
      return { readOnlyHint: false, idempotentHint: true };
    case "DELETE":
      return { readOnlyHint: false, idempotentHint: true, destructiveHint: true };
    default:
      return { readOnlyHint: false };
  }
}

/** The description for a model: from the document, or method and path. */
function describe({ operation, setting }: Prepared): string {
  const { summary, description, isDeprecated, method, path } = operation;
  const isRepeated = summary !== undefined && description?.startsWith(summary) === true;
  const text = [isDeprecated ? "Deprecated." : undefined, isRepeated ? undefined : summary, description]
    .filter((part) => part !== undefined)
    .join("\n\n");
  const max = setting.limits.maxDescriptionLength;
  const whole = text === "" ? `${method} ${path}` : text;
  return whole.length > max ? `${whole.slice(0, Math.max(0, max - 1))}…` : whole;
}

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
    server.addResource({ ...described, uri }, async (_, context) =>
      contentsOf(await callOperation(prepared, {}, context), uri),
    );
    return;
  }
  const byVariable = new Map(plan.parameters.map((one) => [variableOf(one.argument), one]));
  server.addResourceTemplate({ ...described, uriTemplate: uri }, async ({ uri: own, variables }, context) => {
    const args: Record<string, unknown> = {};
    for (const [variable, value] of Object.entries(variables as Record<string, unknown>)) {
      const entry = byVariable.get(variable);
      if (entry !== undefined && value !== undefined) {
        args[entry.argument] = value;
      }
    }
    return contentsOf(await callOperation(prepared, args, context), own);
  });
}

/** RFC 6570 allows letters, digits, `_` and `.` in names of variables. */
function variableOf(argument: string): string {
  return argument.replace(/[^A-Za-z0-9_.]/g, "_");
}

function contentsOf({ content, structuredContent }: CallToolResult, uri: string) {
  const [block] = content;
  if (structuredContent !== undefined) {
    return textResource(uri, JSON.stringify(structuredContent), "application/json");
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
