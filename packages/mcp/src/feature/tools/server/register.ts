import { isNear } from "@tenon/base";
import type {
  CheckResult,
  JSONSchema,
  JSONSchemaObject,
  ResolvedSchema,
  Source,
} from "@tenon/jsonschema/core";
import { compile, resolveSchema } from "@tenon/jsonschema/lazy";
import { findHeaderParameters, memberTables, type Tool } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { limitsOf } from "../../../base/limits.ts";
import { pick } from "../../../base/values.ts";
import type { ToolExtensionOptions } from "../../../request/open.ts";
import type { RequestContext } from "../../../request/server/context.ts";
import type { ToolDefinition } from "../../../request/tool.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { isRawShape, refuseMisplaced, requireDefinition, requireHandler } from "../../misplaced.ts";
import { loadSchemas, resolveOrRefuse } from "../../resolve-schema.ts";
import type { runTool } from "./call.ts";

/** A tool as a server keeps it: compiled once, for all sessions. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** Checks arguments and makes of them what the handler gets. */
  readonly input: ResolvedSchema;
  /** Checks what the handler returned and makes JSON of it. */
  readonly output: ResolvedSchema | undefined;
  readonly handler: (args: never, context: RequestContext) => unknown;
  readonly definition: ToolDefinition;
  readonly timeoutMs: number | undefined;
  /** Replaces the call of the handler, for a tool with options of extensions. */
  around?: typeof runTool;
  /** The properties that options of extensions add to the tool in the lists of a revision. */
  listed?: (rules: RevisionRules) => Partial<Tool> | undefined;
}

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;
/**
 * The properties that are sent unchanged. `execution` is for the extension of tasks to add.
 */
export const given: ReadonlySet<string> = new Set(
  Object.values(memberTables)
    .flatMap((members) => [...members.tool])
    .filter((member) => !["inputSchema", "outputSchema", "execution"].includes(member)),
);
const noArguments: JSONSchema = { type: "object", additionalProperties: false };

/**
 * Checks and compiles a definition.
 *
 * @throws `McpError` `INVALID_DEFINITION` that describes the problem.
 */
export function registerTool(definition: ToolDefinition, handler: RegisteredTool["handler"]): RegisteredTool {
  requireDefinition("addTool", "name", definition);
  const { name } = definition;
  if (typeof name !== "string" || !namePattern.test(name)) {
    throw new McpError(
      "INVALID_DEFINITION",
      `Tool name must have 1 to 128 letters, digits, "_", "-" or "."; got ${JSON.stringify(name)}.`,
    );
  }
  refuseMisplaced("tool", `tool ${name}`, definition);
  requireHandler(`tool ${name}`, definition, handler);
  refuseSlips(`The tool ${name} has`, definition, ownNames satisfies Complete);
  refuseSlips(`The annotations of tool ${name} have`, definition.annotations ?? {}, hintNames);
  const resolved = resolveFor(
    name,
    "input",
    definition.input ?? definition.inputSchema ?? noArguments,
    definition.inputSchema,
  );
  const input = stampObject(resolved);
  const outputSource = definition.output ?? definition.outputSchema;
  const output =
    outputSource === undefined
      ? undefined
      : resolveFor(name, "output", outputSource, definition.outputSchema);
  if (input.jsonSchema.type !== "object") {
    throw new McpError(
      "INVALID_DEFINITION",
      `The input schema of ${name} must be an object with type "object", or a union of objects.`,
    );
  }
  const { problem } = findHeaderParameters(input.jsonSchema);
  if (problem !== undefined) {
    throw new McpError("INVALID_DEFINITION", `The input schema of ${name} is not valid: ${problem}`);
  }
  const tool: Tool = {
    ...pick(definition, given),
    name,
    inputSchema: input.jsonSchema as Tool["inputSchema"],
    ...(output === undefined ? {} : { outputSchema: output.jsonSchema as NonNullable<Tool["outputSchema"]> }),
  };
  return { tool, input, output, handler, definition, timeoutMs: timeoutOf(definition) };
}

/** @throws `McpError` `INVALID_DEFINITION` for a time limit that is not valid. */
function timeoutOf({ name, timeoutMs }: ToolDefinition): number | undefined {
  return timeoutMs === undefined
    ? undefined
    : limitsOf<{ timeoutMs?: number }>({ timeoutMs }, { timeoutMs: [Infinity, 1] }, `tool ${name}`).timeoutMs;
}

/**
 * Adds `type: "object"` to unions and references at the root, as in `z.discriminatedUnion`:
 * arguments are always objects, and the protocol demands the type.
 */
function stampObject(resolved: ResolvedSchema): ResolvedSchema {
  const { jsonSchema } = resolved;
  const isUnion = unions.some((keyword) => keyword in jsonSchema);
  return jsonSchema.type === undefined && isUnion
    ? {
        jsonSchema: { ...jsonSchema, type: "object" },
        check: (value) => resolved.check(value),
        ...(resolved.load === undefined ? {} : { load: () => resolved.load?.() }),
      }
    : resolved;
}

const unions = ["oneOf", "anyOf", "allOf", "$ref"] as const;

const ownNames = [
  "output",
  "input",
  "inputSchema",
  "outputSchema",
  "description",
  "annotations",
  "timeoutMs",
] as const;

/** Options of extensions may be similar to these. */
type ShortName = "name" | "title" | "icons" | "_meta";

/** The properties of a definition that are in no list. */
type Unlisted = Exclude<
  Exclude<keyof ToolDefinition, keyof ToolExtensionOptions>,
  (typeof ownNames)[number] | ShortName
>;

/** A type to which no list is assignable, and which names the property, if one is in no list. */
type Complete = [Unlisted] extends [never]
  ? readonly string[]
  : { readonly "add to ownNames, or to ShortName": Unlisted };

const hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** Refuses a property that was meant to be another. Extensions may add any other property. */
function refuseSlips(owner: string, given: object, names: readonly string[]): void {
  for (const key of Object.keys(given)) {
    const meant = names.includes(key) ? undefined : names.find((own) => isNear(own, key));
    if (meant !== undefined) {
      const message = `${owner} a property ${JSON.stringify(key.slice(0, 100))}. Did you mean ${meant}?`;
      throw new McpError("INVALID_DEFINITION", message);
    }
  }
}

function resolveFor(
  name: string,
  direction: "input" | "output",
  source: unknown,
  published: JSONSchemaObject | undefined,
): ResolvedSchema {
  if (isRawShape(source)) {
    throw new McpError(
      "INVALID_DEFINITION",
      `The ${direction} schema of ${name} is an object of schemas: wrap it, as in z.object({ … }).`,
    );
  }
  return resolveOrRefuse(`The ${direction} schema of ${name} is not valid`, () => {
    const resolved =
      direction === "input"
        ? resolveSchema(source as Source)
        : resolveSchema(source as Source, { direction: "output" });
    return published === undefined || published === source
      ? resolved
      : narrowed(resolved, published, direction);
  });
}

/** Combines the schema with the schema for clients: JSON values must match both. */
function narrowed(
  resolved: ResolvedSchema,
  jsonSchema: JSONSchemaObject,
  direction: "input" | "output",
): ResolvedSchema {
  const validator = compile(jsonSchema);
  const load = (): Promise<unknown> | undefined => loadSchemas([resolved, validator]);
  if (direction === "input") {
    return {
      jsonSchema,
      load,
      check: inTurn(
        (value) => validator.check(value),
        (value) => resolved.check(value),
      ),
    };
  }
  return {
    jsonSchema,
    load,
    check: inTurn(
      (value) => resolved.check(value),
      (value) => validator.check(value),
    ),
  };
}

type Check = ResolvedSchema["check"];

/** A value that passes the first check is passed to the second. */
function inTurn(first: Check, second: Check): Check {
  const then = (result: CheckResult<unknown>): ReturnType<Check> =>
    result.valid ? second(result.value) : result;
  return (value) => {
    const result = first(value);
    return result instanceof Promise ? result.then(then) : then(result);
  };
}
