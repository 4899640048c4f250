import type { ResourceTemplate } from "@tenon/protocol";
import { parse } from "@tenon/uri-template";

import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { askChoice } from "./choice.ts";
import { fetchLists } from "./definitions.ts";
import type { OpenSession } from "./open.ts";
import { promptArguments } from "./prompt-arguments.ts";

/**
 * Prompts for one of the resources and templates of a server, and for the variables of a template.
 *
 * @returns The URI of a resource.
 * @throws `CliError` if the server lists none. `Interrupted` if the person gives up.
 */
export async function chooseUri({ session, signal }: OpenSession): Promise<string> {
  const { resources = [], resourceTemplates: templates = [] } = await fetchLists(
    session,
    ["resources", "resourceTemplates"],
    signal,
  );
  const choices = [
    ...resources.map(({ uri, name, title = name }) => ({ label: uri, hint: title })),
    ...templates.map(({ uriTemplate, name, title = name }) => ({ label: uriTemplate, hint: title })),
  ].map((choice, index) => ({ ...choice, value: String(index) }));
  if (choices.length === 0) {
    throw new CliError("failed", "The server lists no resources.", {
      hint: "tenon list <target> shows what it has",
    });
  }
  const chosen = Number(await askChoice("Which resource?", choices, signal));
  const template = templates[chosen - resources.length];
  return template === undefined ? (resources[chosen]?.uri ?? "") : promptUri(template, signal);
}

/**
 * Prompts for the variables of a template. Variables of a query are optional.
 *
 * @returns The URI.
 * @throws `CliError` for a template that is malformed. `Interrupted` if the person gives up.
 */
export async function promptUri(
  { uriTemplate }: Pick<ResourceTemplate, "uriTemplate">,
  signal: AbortSignal,
): Promise<string> {
  const template = parsed(uriTemplate);
  const required = new Set(parse(uriTemplate.replaceAll(/\{[?&][^}]*\}/g, "")).variables);
  const variables = template.variables.map((name) => ({ name, required: required.has(name) }));
  return template.expand(await promptArguments({ arguments: variables }, signal));
}

function parsed(uriTemplate: string): ReturnType<typeof parse<string>> {
  try {
    return parse(uriTemplate);
  } catch (cause) {
    throw new CliError("protocol", `The server lists a malformed template. ${messageOf(cause)}`, { cause });
  }
}
