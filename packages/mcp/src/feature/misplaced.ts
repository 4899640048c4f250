import { isRecord, kindOf } from "@tenon/base";

import { McpError } from "../base/error.ts";

const handlerLast = "pass the handler as the second argument";
const listOrSchema = 'describe the arguments in "arguments"';
const inInput = 'describe the arguments in "input"';

/**
 * Properties of definitions in other SDKs, and their replacements. All other unknown properties are
 * ignored.
 */
const misplaced: Readonly<Record<"tool" | "prompt", Readonly<Record<string, string>>>> = {
  tool: {
    parameters: inInput,
    inputShape: inInput,
    schema: inInput,
    execute: handlerLast,
    callback: handlerLast,
  },
  prompt: { argsSchema: listOrSchema, argumentsSchema: listOrSchema, load: handlerLast },
};

/**
 * Rejects properties that would be ignored although they have an effect in other SDKs.
 *
 * @throws `McpError` `INVALID_DEFINITION` that names the right property.
 */
export function refuseMisplaced(kind: "tool" | "prompt", where: string, definition: object): void {
  const advices = misplaced[kind];
  for (const member in advices) {
    if (member in definition) {
      const advice = advices[member] ?? "";
      throw new McpError("INVALID_DEFINITION", `Unknown property "${member}" of the ${where}: ${advice}.`);
    }
  }
}

/** Options of tools that extensions add, and the extensions. */
const ofExtensions: Readonly<Record<string, string>> = { task: "tasks(…)", ui: "apps(…)" };

/**
 * Rejects options of extensions that the server does not have: they would be ignored.
 *
 * @throws `McpError` `INVALID_DEFINITION` that names the extension.
 */
export function refuseUnsupported(name: string, definition: object, supported: ReadonlySet<string>): void {
  for (const option in ofExtensions) {
    if (!supported.has(option) && (definition as Readonly<Record<string, unknown>>)[option] !== undefined) {
      const extension = ofExtensions[option] ?? "";
      const message = `The tool ${name} has the option ${option}, which needs an extension: call server.use(${extension}) before addTool.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
  }
}

/**
 * @throws `McpError` `INVALID_DEFINITION` for a definition that is not an object, such as a name,
 *   which is the first argument in other SDKs.
 */
export function requireDefinition(method: string, member: string, definition: unknown): void {
  if (!isRecord(definition)) {
    const example = typeof definition === "string" ? JSON.stringify(definition.slice(0, 100)) : "…";
    throw new McpError(
      "INVALID_DEFINITION",
      `${method} takes an object and then a handler; got ${kindOf(definition)}. Write ${method}({ ${member}: ${example} }, handler).`,
    );
  }
}

/** The kinds of properties. Clients refuse a whole list for one property of another kind. */
const kinds: Readonly<Record<string, string>> = {
  title: "string",
  description: "string",
  mimeType: "string",
  icons: "array",
  annotations: "object",
  _meta: "object",
};

function requireKinds(where: string, definition: object): void {
  for (const [member, value] of Object.entries(definition)) {
    const kind = member.endsWith("Hint") ? "boolean" : kinds[member];
    if (value !== undefined && kind !== undefined && kindOf(value) !== kind) {
      const message = `The ${member} of the ${where} must be of kind ${kind}; got ${kindOf(value)}.`;
      throw new McpError("INVALID_DEFINITION", message);
    }
    if (member === "annotations") {
      requireKinds(where, Object(value) as object);
    }
  }
}

/**
 * @throws `McpError` `INVALID_DEFINITION` for a handler that is not a function, and for a property
 *   of the definition whose kind is wrong.
 */
export function requireHandler(where: string, definition: object, handler: unknown): void {
  requireKinds(where, definition);
  if (typeof handler !== "function") {
    throw new McpError(
      "INVALID_DEFINITION",
      `The ${where} needs a handler, a function, as the second argument; got ${kindOf(handler)}.`,
    );
  }
}

/** True for a schema of a library that implements Standard Schema. */
function isStandard(value: unknown): boolean {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value
  );
}

/**
 * Whether all values of an object are schemas of a library, as in the argument of `z.object(…)`.
 */
export function isRawShape(value: unknown): boolean {
  if (!isRecord(value) || isStandard(value)) {
    return false;
  }
  const members = Object.values(value);
  return members.length > 0 && members.every(isStandard);
}
