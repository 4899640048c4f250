import { isRecord } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp/client";
import type { Tool } from "@tenon/protocol";

import { counted } from "../output/counted.ts";
import { hasHidden, messageOf, visibleLine } from "../output/escape.ts";
import { fetchLists, listNames, type ListName, type Lists } from "../session/definitions.ts";
import type { Findings } from "./finding.ts";
import { injectionIn } from "./injection.ts";
import type { Observation } from "./observe.ts";
import { checkSchema, undescribedIn } from "./schema-checks.ts";

/** Characters of the definitions of tools above which models choose badly and pay much. */
const maxListLength = 100_000;
const maxTools = 100;
const maxDescription = 4000;
/** Notifications that a server may send unasked while it is checked. */
const maxNotifications = 200;

/** Lists everything twice, and checks the definitions. Never calls a tool. */
export async function checkLists(
  session: ClientSession,
  seen: Observation,
  signal: AbortSignal,
  findings: Findings,
): Promise<void> {
  const lists = await fetchAll(session, signal, findings);
  const { tools = [] } = lists;
  checkNames(lists, findings);
  tools.forEach((tool) => checkTool(tool, findings));
  checkDescribed(tools, findings);
  checkInjections(session, lists, findings);
  const length = JSON.stringify(tools).length;
  const size = `${countOf("tools", tools)}, ${Math.ceil(length / 1000)} kB, about ${Math.ceil(length / 4)} tokens`;
  if (length > maxListLength || tools.length > maxTools) {
    findings.warn(
      "sizes",
      `Every conversation starts with the definitions of all tools: ${size}.`,
      "shorten descriptions, merge tools, or offer groups of them as separate servers",
    );
  } else if (tools.length > 0) {
    findings.ok("sizes", `${size}.`);
  }
  if (seen.notifications > maxNotifications) {
    findings.fail(
      "traffic",
      `${seen.notifications} notifications arrived unasked during the checks.`,
      "send notifications when something changes, and log messages only at the level that the client has set",
    );
  }
  const noise = seen.connection?.diagnosis;
  if (noise !== undefined) {
    findings.fail(
      "standard output",
      visibleLine(noise),
      "write logs to standard error: in Node console.error, in Python print(…, file=sys.stderr)",
    );
  } else if (session.network?.transport === "pipe") {
    findings.ok("standard output", "Only messages were written to it.");
  }
  if (seen.malformed !== undefined) {
    findings.fail(
      "messages",
      `A message was invalid: ${visibleLine(seen.malformed)}`,
      "send JSON-RPC 2.0 objects, one per line",
    );
  }
}

const nouns: Readonly<Record<ListName, string>> = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
};

function countOf(name: ListName, { length }: readonly object[]): string {
  return counted(length, nouns[name]);
}

/** A server declares its templates by no capability of their own. */
const mayBeAbsent = (name: ListName): boolean => name === "resourceTemplates";

async function fetchAll(session: ClientSession, signal: AbortSignal, findings: Findings): Promise<Lists> {
  const lists: Partial<Record<ListName, readonly object[]>> = {};
  for (const name of listNames) {
    try {
      const [first, second] = [
        await fetchLists(session, [name], signal, mayBeAbsent),
        await fetchLists(session, [name], signal, mayBeAbsent),
      ];
      lists[name] = first[name] ?? [];
      if (JSON.stringify(first) !== JSON.stringify(second)) {
        findings.warn(
          "lists",
          `Two lists of ${name} in a row differ.`,
          "keep the order and the definitions stable: models and caches compare them",
        );
      }
    } catch (error) {
      signal.throwIfAborted();
      findings.fail(
        "lists",
        `${name} cannot be listed: ${visibleLine(messageOf(error))}`,
        "declare only capabilities whose lists work, and respond to every page",
      );
    }
  }
  const counts = listNames.flatMap((name) => (lists[name] === undefined ? [] : [countOf(name, lists[name])]));
  if (counts.length > 0) {
    findings.ok("lists", `${counts.join(", ")}.`);
  }
  return lists as Lists;
}

function checkNames({ tools = [], prompts = [], resources = [] }: Lists, findings: Findings): void {
  const lists = {
    tools: tools.map(({ name }) => name),
    prompts: prompts.map(({ name }) => name),
    resources: resources.map(({ uri }) => uri),
  };
  for (const [list, names] of Object.entries(lists)) {
    const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
    if (twice.length > 0) {
      findings.fail(
        "names",
        `Defined twice among the ${list}: ${twice.map(visibleLine).join(", ")}.`,
        "give every definition its own name",
      );
    }
  }
  for (const prompt of prompts) {
    const names = (prompt.arguments ?? []).map(({ name }) => name);
    const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
    if (twice.length > 0) {
      findings.fail(
        "names",
        `The prompt ${visibleLine(prompt.name)} defines arguments twice: ${twice.map(visibleLine).join(", ")}.`,
        "give every argument its own name",
      );
    }
  }
  const odd = lists.tools.filter((name) => !/^[\w./-]{1,128}$/.test(name));
  const long = lists.tools.filter((name) => /^[\w./-]{1,128}$/.test(name) && !/^[\w-]{1,64}$/.test(name));
  if (odd.length > 0) {
    findings.fail(
      "names",
      `Names of tools must have 1 to 128 letters, digits, "_", "-", "." or "/": ${odd.map(visibleLine).join(", ")}.`,
      "rename the tools",
    );
  }
  if (long.length > 0) {
    findings.note(
      "names",
      `Vendors of models accept at most 64 letters, digits, "_" and "-", so hosts rename ${long.map(visibleLine).join(", ")}.`,
      "choose shorter names without dots and slashes",
    );
  }
}

/** Whether models see a tool. Tools of the page of an app may be for the page alone. */
function isForModels({ _meta }: Tool): boolean {
  const ui = _meta?.["ui"];
  const visibility = isRecord(ui) ? ui["visibility"] : undefined;
  return !Array.isArray(visibility) || visibility.includes("model");
}

function checkTool(tool: Tool, findings: Findings): void {
  const name = visibleLine(tool.name);
  const { description = "", inputSchema, outputSchema } = tool;
  if (description.trim() === "" && isForModels(tool)) {
    findings.warn(
      "descriptions",
      `The tool ${name} has no description, which models choose by.`,
      "describe what it does and when to use it",
    );
  } else if (description.length > maxDescription) {
    findings.warn(
      "sizes",
      `The description of ${name} has ${description.length} characters.`,
      "move instructions into the server's instructions or a prompt",
    );
  }
  // Terminals, logs and models read descriptions.
  if (stringsIn(tool).some((text) => hasHidden(text))) {
    findings.fail(
      "descriptions",
      `The definition of ${name} contains control characters or invisible text.`,
      "remove them: hidden instructions are an attack on models",
    );
  }
  checkSchema(name, "input", inputSchema, findings);
  if (outputSchema !== undefined) {
    checkSchema(name, "output", outputSchema, findings);
  }
  if (tool.annotations?.readOnlyHint === true && tool.annotations.destructiveHint === true) {
    findings.warn(
      "annotations",
      `The tool ${name} is annotated as read-only and as destructive.`,
      "decide for one: hosts ask the user by it",
    );
  }
}

/** Tools that are named in one finding. */
const maxNamed = 5;

/** One finding for all tools: in many servers no argument has a description. */
function checkDescribed(tools: readonly Tool[], findings: Findings): void {
  const bare = tools
    .map(({ name, inputSchema }) => ({ name: visibleLine(name), names: undescribedIn(inputSchema) }))
    .filter(({ names }) => names.length > 0);
  if (bare.length > 0) {
    const shown = bare.slice(0, maxNamed).map(({ name, names }) => `${name} (${names.join(", ")})`);
    const more = bare.length > maxNamed ? `, and of ${bare.length - maxNamed} more tools` : "";
    findings.note("descriptions", `Arguments without a description: of ${shown.join(", ")}${more}.`);
  }
}

/** A hint only: a description may quote such a phrase for a good reason. */
function checkInjections(
  session: ClientSession,
  { tools = [], prompts = [] }: Lists,
  findings: Findings,
): void {
  const texts: readonly (readonly [what: string, texts: readonly string[]])[] = [
    ["The instructions of the server", [session.instructions ?? ""]],
    ...tools.map(
      (tool) => [`The definition of the tool ${visibleLine(tool.name)}`, stringsIn(tool)] as const,
    ),
    ...prompts.map(
      (prompt) => [`The definition of the prompt ${visibleLine(prompt.name)}`, stringsIn(prompt)] as const,
    ),
  ];
  for (const [what, all] of texts) {
    const phrase = all.map((text) => injectionIn(text)).find((found) => found !== undefined);
    if (phrase !== undefined) {
      findings.note(
        "injections",
        `${what} may address the model like an attack: "${visibleLine(phrase)}".`,
        "read it before you use the server",
      );
    }
  }
}

function stringsIn(value: object): readonly string[] {
  const found: string[] = [];
  JSON.stringify(value, (key, each: unknown) => {
    found.push(key, ...(typeof each === "string" ? [each] : []));
    return each;
  });
  return found;
}
