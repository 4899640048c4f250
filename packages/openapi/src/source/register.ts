import type { Server } from "@tenon/mcp";
import type { ToolAnnotations } from "@tenon/protocol";

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
export function describe({ operation, setting }: Prepared): string {
  const { summary, description, isDeprecated, method, path } = operation;
  const isRepeated = summary !== undefined && description?.startsWith(summary) === true;
  const text = [isDeprecated ? "Deprecated." : undefined, isRepeated ? undefined : summary, description]
    .filter((part) => part !== undefined)
    .join("\n\n");
  const max = setting.limits.maxDescriptionLength;
  const whole = text === "" ? `${method} ${path}` : text;
  return whole.length > max ? `${whole.slice(0, Math.max(0, max - 1))}…` : whole;
}
