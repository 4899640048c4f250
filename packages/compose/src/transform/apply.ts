import { isRecord, matchesPattern } from "@tenon/base";
import type { Tool } from "@tenon/protocol";

import type { ReceivedParams } from "../source/source.ts";
import { tagsKey, type ArgumentChanges, type ToolChanges, type Transform } from "./changes.ts";
import { checkedChanges } from "./check-changes.ts";
import { valueAt, schemaAt } from "./pointer.ts";
import { freeName, propertyIn, referenceTo, withReferences } from "./references.ts";

/** A tool as clients see it, and the way back. */
export interface Transformed {
  /** With the name that its source gives it. */
  readonly tool: Tool;
  /** The name that a transform has given it. */
  readonly name: string | undefined;
  /** The arguments as the source expects them; `undefined` if they are the same. */
  readonly inward: ((args: ReceivedParams) => ReceivedParams) | undefined;
  /** The result for clients; `undefined` if it is the same. */
  readonly outward: ((result: ReceivedParams) => ReceivedParams) | undefined;
}

/** Applies transforms to a tool, in their order. @returns `undefined` if the tool is hidden. */
export function transformTool(
  listed: Tool,
  source: string,
  transforms: readonly Transform[],
): Transformed | undefined {
  let tool = listed;
  let name: string | undefined;
  const inwards: ((args: ReceivedParams) => ReceivedParams)[] = [];
  const outwards: ((result: ReceivedParams) => ReceivedParams)[] = [];
  for (const transform of transforms) {
    const changes = changesOf(transform, { ...tool, name: listed.name }, source);
    if (changes?.hide === true) {
      return undefined;
    }
    if (changes !== undefined) {
      tool = changed(tool, changes);
      name = changes.name ?? name;
      inwards.push(...inwardOf(changes));
      outwards.push(...outwardOf(changes));
    }
  }
  return {
    tool,
    name,
    // The last change is the first that is undone.
    inward: inwards.length === 0 ? undefined : (args) => inwards.reduceRight((all, undo) => undo(all), args),
    outward:
      outwards.length === 0 ? undefined : (result) => outwards.reduce((whole, cut) => cut(whole), result),
  };
}

function changesOf(transform: Transform, tool: Tool, source: string): ToolChanges | undefined {
  if (typeof transform === "function") {
    return checkedChanges(transform(tool, source));
  }
  const { source: of, tool: pattern, tag } = transform;
  const isMeant =
    (of === undefined || matchesPattern(of, source)) &&
    (pattern === undefined || matchesPattern(pattern, tool.name)) &&
    (tag === undefined || tagsOf(tool).includes(tag));
  return isMeant ? transform : undefined;
}

function tagsOf({ _meta }: Tool): readonly unknown[] {
  const tags: unknown = _meta?.[tagsKey];
  return Array.isArray(tags) ? tags : [];
}

function changed(
  tool: Tool,
  { title, description, annotations, arguments: args, output, tags }: ToolChanges,
): Tool {
  const { outputSchema, ...rest } = tool;
  const part = output === undefined ? outputSchema : partOf(outputSchema, output);
  return {
    ...rest,
    // Without a schema of the part, clients would refuse results that they cannot check.
    ...(part === undefined ? {} : { outputSchema: part }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(annotations === undefined ? {} : { annotations: { ...tool.annotations, ...annotations } }),
    ...(args === undefined ? {} : { inputSchema: withArguments(tool.inputSchema, args) }),
    ...(tags === undefined
      ? {}
      : { _meta: { ...tool._meta, [tagsKey]: [...new Set([...tagsOf(tool), ...tags])] } }),
  };
}

function withArguments(
  schema: Tool["inputSchema"],
  changes: Readonly<Record<string, ArgumentChanges>>,
): Tool["inputSchema"] {
  const { properties = {}, required } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const changesOfName = new Map(Object.entries(changes));
  const isFixed = (name: string): boolean => Object.hasOwn(changesOfName.get(name) ?? {}, "value");
  const kept = Object.entries(properties).filter(([name]) => !isFixed(name));
  const renamed = (name: string): string => changesOfName.get(name)?.name ?? name;
  const changed = {
    ...schema,
    properties: Object.fromEntries(
      kept.map(([name, property]) => {
        const description = changesOfName.get(name)?.description;
        return [
          renamed(name),
          description === undefined || !isRecord(property) ? property : { ...property, description },
        ];
      }),
    ),
    ...(required === undefined
      ? {}
      : { required: required.filter((name) => !isFixed(name)).map((name) => renamed(name)) }),
  };
  const definitions = new Map(Object.entries(isRecord(schema["$defs"]) ? schema["$defs"] : {}));
  /** The fixed arguments that others refer to, with the definitions that their schemas become. */
  const moved = new Map<string, string>();
  const follow = (ref: string): string => {
    const { name, rest } = propertyIn(ref) ?? {};
    if (name === undefined || !Object.hasOwn(properties, name)) {
      return ref;
    }
    if (isFixed(name)) {
      const place = moved.get(name) ?? freeName(name, definitions);
      moved.set(name, place);
      definitions.set(place, properties[name]);
      return referenceTo("$defs", place) + rest;
    }
    return referenceTo("properties", renamed(name)) + rest;
  };
  const result = withReferences(changed, follow);
  const added: [string, unknown][] = [];
  // One of them may refer to another, which the loop visits too.
  for (const [name, place] of moved) {
    const property = properties[name];
    added.push([place, isRecord(property) ? withReferences(property, follow) : property]);
  }
  return {
    ...result,
    ...(added.length === 0
      ? {}
      : { $defs: { ...(result["$defs"] as object | undefined), ...Object.fromEntries(added) } }),
  } as Tool["inputSchema"];
}

function partOf(schema: Tool["outputSchema"], pointer: string): Tool["outputSchema"] {
  return schema === undefined ? undefined : (schemaAt(schema, pointer) as Tool["outputSchema"]);
}

function inwardOf({
  arguments: changes,
}: ToolChanges): readonly ((args: ReceivedParams) => ReceivedParams)[] {
  if (changes === undefined) {
    return [];
  }
  const entries = Object.entries(changes);
  const ownNames = new Map(entries.map(([own, { name = own }]) => [name, own]));
  const fixed = entries.filter(([, change]) => Object.hasOwn(change, "value"));
  const values = Object.fromEntries(fixed.map(([own, { value }]) => [own, value]));
  return [
    (args) => ({
      ...Object.fromEntries(Object.entries(args).map(([name, value]) => [ownNames.get(name) ?? name, value])),
      ...values,
    }),
  ];
}

function outwardOf({ output }: ToolChanges): readonly ((result: ReceivedParams) => ReceivedParams)[] {
  return output === undefined ? [] : [(result) => trimmed(result, output)];
}

/** The part of a result that a pointer names. Its text repeats the structured content. */
function trimmed(result: ReceivedParams, pointer: string): ReceivedParams {
  if (result["isError"] === true) {
    return result;
  }
  const text = textOf(result["content"]);
  const whole = result["structuredContent"] ?? parsed(text);
  const part = valueAt(whole, pointer);
  if (part === undefined) {
    return result;
  }
  const { structuredContent: before, ...rest } = result;
  return {
    ...rest,
    content: [{ type: "text", text: typeof part === "string" ? part : JSON.stringify(part) }],
    ...(before === undefined ? {} : { structuredContent: part }),
  };
}

function textOf(content: unknown): string | undefined {
  const block: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return isRecord(block) && typeof block["text"] === "string" ? block["text"] : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
