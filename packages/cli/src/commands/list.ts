import type { ToolCosts } from "@tenon/host";
import { redactTarget } from "@tenon/http/redact";
import type { ClientSession } from "@tenon/mcp/client";
import type { Prompt, Tool } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { shellWord } from "../command/shell-word.ts";
import { exitCodes } from "../exit.ts";
import { messageOf, visible, visibleJson, visibleLine } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";
import { parametersOf, typeOf } from "../output/signature.ts";
import { table } from "../output/table.ts";
import type { VendorTool } from "../output/vendor.ts";
import { cutTo, wrap } from "../output/width.ts";
import { fetchEach, listNames, type ListName, type Lists } from "../session/definitions.ts";
import { inSession, type OpenSession } from "../session/open.ts";
import { placeOf, type Target } from "../target/target.ts";

const listOf: Readonly<Record<string, readonly ListName[]>> = {
  list: listNames,
  tools: ["tools"],
  resources: ["resources"],
  templates: ["resourceTemplates"],
  prompts: ["prompts"],
};

/** Prints the definitions of a server. @param command - `list`, or the name of one list. */
export async function runList(invocation: Invocation, command: string): Promise<number> {
  return inSession(invocation, (opened) => listIn(invocation, opened, command));
}

/** As {@link runList}, in an open session. */
export async function listIn(
  invocation: Invocation,
  { session, signal, target }: OpenSession,
  command: string,
): Promise<number> {
  const { flags, printer, shell } = invocation;
  const names = listOf[command] ?? listNames;
  const { lists: all, failures } = await fetchEach(session, names, signal);
  const lists = filtered(all, flags.text("search"));
  const vendor = flags.text("vendor");
  const converted =
    vendor === undefined
      ? undefined
      : (await import("../output/vendor.ts")).vendorTools(vendor, lists.tools ?? []);
  const isWhole = names === listNames;
  const about = isWhole
    ? {
        revision: session.revision,
        serverInfo: session.serverInfo,
        capabilities: session.serverCapabilities,
        instructions: session.instructions,
      }
    : {};
  const forVendor = converted === undefined ? {} : { vendor: { name: vendor, tools: converted } };
  const costs = flags.has("cost")
    ? (await import("@tenon/host")).costOf((lists.tools ?? []).map((tool) => ({ name: tool.name, tool })))
    : undefined;
  const cost = costs === undefined ? {} : { cost: costs };
  printer.result({ ...about, ...lists, ...forVendor, ...cost }, () => {
    const head = isWhole ? headOf(printer, target, session) : [];
    const sections = names.flatMap((name) => sectionOf(invocation, name, lists));
    const changes = converted === undefined ? [] : changesOf(printer, String(vendor), converted);
    const sizes = costs === undefined ? [] : costLines(printer, costs);
    const none = isWhole ? "The server offers nothing." : "The server offers none.";
    const empty = flags.has("search") ? "Nothing matches." : none;
    return [...head, ...(sections.length === 0 ? [empty] : sections), ...changes, ...sizes]
      .join("\n")
      .replace(/^\n/, "");
  });
  const [tool] = lists.tools ?? [];
  const isCalled = command === "explore";
  if (
    names.includes("tools") &&
    tool !== undefined &&
    !isCalled &&
    printer.mode === "text" &&
    shell.stdout.isTTY
  ) {
    printer.tell(`\nCall one: ${callOf(invocation, tool)}`);
  }
  for (const [name, error] of failures) {
    printer.warn(`The list of ${name} failed: ${messageOf(error)}`);
  }
  return failures.size === 0 ? exitCodes.ok : exitCodes.protocol;
}

/** The command that calls a tool, with its required arguments. */
function callOf({ flags, operand, program }: Invocation, { name, inputSchema }: Tool): string {
  const profile = flags.text("profile");
  const target = operand("target");
  const isPublic = target !== undefined && redactTarget(target) === target;
  const { required = [] } = inputSchema;
  const words = [
    "tenon",
    "call",
    ...(target === undefined ? [] : [isPublic ? shellWord(target) : "<target>"]),
    shellWord(name),
    ...required.map((each) => `${shellWord(each)}=…`),
    ...(profile === undefined ? [] : ["--profile", shellWord(profile)]),
    ...(program === undefined ? [] : ["--", redactTarget(program.map(shellWord).join(" "))]),
  ];
  return visibleLine(words.join(" "));
}

/** The changes that a vendor requires in the tools, as lines. */
function changesOf({ style }: Printer, vendor: string, tools: readonly VendorTool[]): readonly string[] {
  const lines = tools.flatMap(({ tool, changes }) =>
    changes.map(({ at, kind, message }) => {
      const place = at.replace(/^\/inputSchema/, "") || "/";
      return `  ${style.name(visibleLine(tool))}  ${visibleLine(`${kind} ${place}: ${message}`)}`;
    }),
  );
  const title = `${style.bold(`Changed for ${vendor}`)} (${lines.length})`;
  return ["", title, ...lines];
}

/** Lines with the cost of the definitions in the context of a model, most expensive first. */
function costLines({ style, width }: Printer, { tokens, bytes, tools }: ToolCosts): readonly string[] {
  const rows = tools.map((tool) => [visibleLine(tool.name), `${tool.tokens} tokens`, `${tool.bytes} bytes`]);
  const title = `${style.bold("Cost")} (about ${tokens} tokens, ${bytes} bytes)`;
  return ["", title, ...table(rows, { width, indent: "  ", styles: [style.name] })];
}

/** The items that contain all words. */
function filtered(lists: Lists, search: string | undefined): Lists {
  const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (item: object): boolean => {
    const text = JSON.stringify(item).toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return Object.fromEntries(
    Object.entries(lists).map(([name, items]: [string, readonly object[]]) => [name, items.filter(fits)]),
  );
}

function headOf({ style }: Printer, target: Target, session: ClientSession): readonly string[] {
  const { name, title, version } = session.serverInfo ?? { name: target.label, version: "" };
  const words = [`${title ?? name} ${version}`.trim(), session.revision, placeOf(target)];
  return [style.bold(visibleLine(words[0] ?? "")), style.dim(words.slice(1).map(visibleLine).join(" · "))];
}

const titles: Readonly<Record<ListName, string>> = {
  tools: "Tools",
  resources: "Resources",
  resourceTemplates: "Templates",
  prompts: "Prompts",
};

function sectionOf(invocation: Invocation, name: ListName, lists: Lists): readonly string[] {
  const items = lists[name] ?? [];
  if (items.length === 0) {
    return [];
  }
  const { style } = invocation.printer;
  const title = `${style.bold(titles[name])} (${items.length})`;
  switch (name) {
    case "tools":
      return ["", title, ...(lists.tools ?? []).flatMap((tool) => toolLines(invocation, tool))];
    case "prompts":
      return ["", title, ...(lists.prompts ?? []).flatMap((prompt) => promptLines(invocation, prompt))];
    case "resources":
      return [
        "",
        title,
        ...rowsOf(
          invocation,
          (lists.resources ?? []).map(({ uri, ...each }) => ({ ...each, key: uri })),
        ),
      ];
    case "resourceTemplates":
      return [
        "",
        title,
        ...rowsOf(
          invocation,
          (lists.resourceTemplates ?? []).map(({ uriTemplate, ...each }) => ({ ...each, key: uriTemplate })),
        ),
      ];
  }
}

function toolLines(invocation: Invocation, tool: Tool): readonly string[] {
  const { flags, printer } = invocation;
  const output = tool.outputSchema === undefined ? "" : ` → ${typeOf(tool.outputSchema)}`;
  const marks = marksOf(tool);
  const signature = `  ${printer.style.name(visibleLine(tool.name))}${parametersOf(tool.inputSchema)}${output}`;
  const line = `${signature}${marks === "" ? "" : `  ${printer.style.warning(marks)}`}`;
  // A pipe gets a signature in one line; a terminal would break it inside of words.
  const isPipe = invocation.shell.stdout.columns === undefined;
  const parts = isPipe ? [line.trimStart()] : wrap(line.trimStart(), printer.width - 6);
  return [
    ...parts.map((part, index) => (index === 0 ? "  " : "      ") + part),
    ...descriptionLines(invocation, tool.description),
    ...(flags.has("schema") ? schemaLines("input", tool.inputSchema) : []),
    ...(flags.has("schema") && tool.outputSchema !== undefined
      ? schemaLines("output", tool.outputSchema)
      : []),
  ];
}

/** The annotations of a tool, in words. */
function marksOf({ annotations = {} }: Tool): string {
  const words = [
    ...(annotations.readOnlyHint === true ? ["read-only"] : []),
    ...(annotations.destructiveHint === true && annotations.readOnlyHint !== true ? ["destructive"] : []),
    ...(annotations.idempotentHint === true ? ["idempotent"] : []),
  ];
  return words.length === 0 ? "" : `[${words.join(", ")}]`;
}

function schemaLines(name: string, schema: unknown): readonly string[] {
  return `${name} ${visibleJson(schema, 2)}`.split("\n").map((line) => `      ${line}`);
}

function promptLines(invocation: Invocation, prompt: Prompt): readonly string[] {
  const parameters = (prompt.arguments ?? []).map(
    ({ name, required }) => `${visibleLine(name)}${required === true ? "" : "?"}`,
  );
  const { style } = invocation.printer;
  return [
    `  ${style.name(visibleLine(prompt.name))}(${parameters.join(", ")})`,
    ...descriptionLines(invocation, prompt.description),
  ];
}

function descriptionLines(
  { flags, printer }: Invocation,
  description: string | undefined,
): readonly string[] {
  const text = (description ?? "").trim();
  if (text === "") {
    return [];
  }
  const shown = flags.has("all") ? visible(text) : cutTo(firstLine(text), maxDescription);
  return wrap(shown, printer.width - 6).map((line) => `      ${line}`);
}

/** Returns the first sentence, or the first line. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  const [sentence = line] = /^.*?[.!?](?=\s|$)/.exec(line) ?? [];
  return visibleLine(sentence);
}

/** Columns of a description, if `--all` does not ask for the whole. */
const maxDescription = 400;

interface Row {
  readonly key: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly description?: string | undefined;
}

function rowsOf(invocation: Invocation, items: readonly Row[]): readonly string[] {
  const { printer } = invocation;
  const rows = items.map(({ key, name, title, mimeType = "", description = "" }) => [
    visibleLine(key),
    visibleLine(mimeType),
    [title ?? name, firstLine(description)].filter(Boolean).map(visibleLine).join(": "),
  ]);
  return table(rows, { width: printer.width, indent: "  ", styles: [printer.style.name, printer.style.dim] });
}
