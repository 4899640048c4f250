import { isRecord } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import type { ToolOption } from "../../../request/server/extension.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import type { ToolsFeature } from "../server.ts";
import { runTool, type ToolAnswer } from "./call.ts";
import { given, type RegisteredTool } from "./register.ts";

/** An option of extensions, and its value in the definition of one tool. */
interface AppliedOption {
  readonly option: ToolOption;
  readonly value: unknown;
}

const optionsOf = new WeakMap<ToolsFeature, Map<string, ToolOption>>();
const ownMembers = new Set(["name", "input", "inputSchema", "output", "outputSchema", "handler"]);

/**
 * Defines an option of tool definitions, for existing and future tools.
 *
 * @throws `McpError` `INVALID_DEFINITION` for a name that is taken, or a tool with an invalid
 *   value.
 */
export function addToolOption(tools: ToolsFeature, name: string, option: ToolOption): void {
  const options = optionsOf.get(tools) ?? new Map<string, ToolOption>();
  if (options.has(name) || ownMembers.has(name) || given.has(name)) {
    throw new McpError("INVALID_DEFINITION", `Tools have an option ${JSON.stringify(name)} already.`);
  }
  options.set(name, option);
  tools.options.add(name);
  optionsOf.set(tools, options);
  tools.onAdd = (registered) => {
    apply(options, registered);
  };
  [...tools.registry.values()].forEach(tools.onAdd);
}

function apply(options: ReadonlyMap<string, ToolOption>, registered: RegisteredTool): void {
  const applied = [...options].flatMap(([name, option]) => {
    const value = Reflect.get(registered.definition, name) as unknown;
    if (value === undefined) {
      return [];
    }
    check(name, option, value, registered.tool);
    return [{ option, value }];
  });
  const others = [...options].flatMap(([name, { checkOther }]) =>
    checkOther !== undefined && Reflect.get(registered.definition, name) === undefined ? [checkOther] : [],
  );
  if (applied.length > 0) {
    registered.listed = (rules) => membersIn(applied, rules, registered.tool);
  }
  if (applied.length > 0 || others.length > 0) {
    registered.around = applied.reduce<typeof runTool>(wrap, others.reduce<typeof runTool>(guard, runTool));
  }
}

function check(name: string, option: ToolOption, value: unknown, tool: Tool): void {
  // Assigned first: the compiler wants the type of an assertion to be explicit.
  const { check: assertValid } = option as { check?: (value: unknown, tool: Tool) => void };
  try {
    assertValid?.(value, tool);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new McpError("INVALID_DEFINITION", `The option ${name} of tool ${tool.name}: ${detail}`, { cause });
  }
}

/** `_meta` is merged, because the tool and several extensions share it. */
function membersIn(
  applied: readonly AppliedOption[],
  { revision, era }: RevisionRules,
  { _meta: own }: Tool,
): Partial<Tool> {
  const added = applied.map(({ option, value }) => option.list?.(value, { revision, era }));
  const meta = added.some((members) => members?._meta !== undefined)
    ? { _meta: Object.assign({}, own, ...added.map((members) => members?._meta)) as Tool["_meta"] }
    : {};
  return Object.assign({}, ...added, meta) as Partial<Tool>;
}

function guard(inner: typeof runTool, checkOther: NonNullable<ToolOption["checkOther"]>): typeof runTool {
  return (registered, args, scope, onError, context) => {
    checkOther(registered.tool, scope as InnerServerRequest);
    return inner(registered, args, scope, onError, context);
  };
}

function wrap(inner: typeof runTool, { option: { call }, value }: AppliedOption): typeof runTool {
  if (call === undefined) {
    return inner;
  }
  return (registered, args, scope, onError) => {
    const request = scope as InnerServerRequest;
    const { tool } = registered;
    const raw = request.params["arguments"];
    return call({
      tool,
      value,
      rawArguments: isRecord(raw) ? raw : {},
      arguments: args,
      request,
      run: (context) => inner(registered, args, scope, onError, context),
    }) as ToolAnswer | Promise<ToolAnswer>;
  };
}
