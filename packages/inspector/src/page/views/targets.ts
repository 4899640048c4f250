import type { Definitions } from "../../wire/action.ts";
import { asSchema, text, type Schema } from "../form/shape.ts";

/** Something that the person can try. */
export interface Target {
  readonly kind: "tool" | "prompt" | "resource" | "template";
  /** Unique among all targets. */
  readonly key: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations: Schema;
  readonly method: string;
  /** The schema of the form. */
  readonly schema: Schema;
  /** The parameters of the request, from the values of the form. */
  readonly params: (filled: Schema) => Readonly<Record<string, unknown>>;
  /** The values of the form, from the parameters of an earlier request. */
  readonly filled: (params: Schema) => unknown;
}

const empty: Schema = { type: "object", properties: {}, additionalProperties: false };

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Everything in the lists of a server that can be tried. */
export function targetsOf(definitions: Definitions | undefined): readonly Target[] {
  if (definitions === undefined) {
    return [];
  }
  const { tools, prompts, resources, resourceTemplates } = definitions;
  return [
    ...tools.map((one) => toolTarget(asSchema(one))),
    ...prompts.map((one) => promptTarget(asSchema(one))),
    ...resources.map((one) => resourceTarget(asSchema(one))),
    ...resourceTemplates.map((one) => templateTarget(asSchema(one))),
  ];
}

function base(
  one: Schema,
  kind: Target["kind"],
  name: string,
): Pick<Target, "kind" | "key" | "name" | "title" | "description" | "annotations"> {
  return {
    kind,
    key: `${kind} ${name}`,
    name,
    // Older servers have the title of a tool among its annotations.
    title: textOf(one["title"]) ?? textOf(asSchema(one["annotations"])["title"]),
    description: textOf(one["description"]),
    annotations: asSchema(one["annotations"]),
  };
}

function toolTarget(tool: Schema): Target {
  const name = String(tool["name"]);
  return {
    ...base(tool, "tool", name),
    method: "tools/call",
    schema: asSchema(tool["inputSchema"]),
    params: (filled) => ({ name, arguments: filled }),
    filled: (params) => params["arguments"],
  };
}

function promptTarget(prompt: Schema): Target {
  const name = String(prompt["name"]);
  const list = Array.isArray(prompt["arguments"]) ? prompt["arguments"].map(asSchema) : [];
  const properties = Object.fromEntries(
    list.map(({ name: argument, title, description }) => [
      text(argument),
      {
        type: "string",
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      },
    ]),
  );
  const required = list.filter(({ required: is }) => is === true).map(({ name: argument }) => text(argument));
  return {
    ...base(prompt, "prompt", name),
    method: "prompts/get",
    schema: { type: "object", properties, required, additionalProperties: false },
    params: (filled) => ({ name, arguments: filled }),
    filled: (params) => params["arguments"],
  };
}

function resourceTarget(resource: Schema): Target {
  const uri = String(resource["uri"]);
  return {
    ...base(resource, "resource", uri),
    title: textOf(resource["title"]) ?? textOf(resource["name"]),
    method: "resources/read",
    schema: empty,
    params: () => ({ uri }),
    filled: () => ({}),
  };
}

function templateTarget(template: Schema): Target {
  const uriTemplate = String(template["uriTemplate"]);
  return {
    ...base(template, "template", uriTemplate),
    title: textOf(template["title"]) ?? textOf(template["name"]),
    method: "resources/read",
    schema: {
      type: "object",
      properties: {
        uri: { type: "string", title: "URI", description: `Matches ${uriTemplate}`, default: uriTemplate },
      },
      required: ["uri"],
      additionalProperties: false,
    },
    params: (filled) => ({ uri: filled["uri"] }),
    filled: (params) => ({ uri: params["uri"] }),
  };
}

/** The target of an earlier request, if the server still lists it. */
export function targetFor(
  targets: readonly Target[],
  { method, params }: { readonly method: string; readonly params: Schema },
): Target | undefined {
  const name = params["name"] ?? params["uri"];
  return targets.find(
    (target) => target.method === method && (target.name === name || target.kind === "template"),
  );
}
