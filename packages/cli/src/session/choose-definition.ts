import { CliError } from "../exit.ts";
import { askChoice } from "./choice.ts";
import { fetchLists, type Lists } from "./definitions.ts";
import type { OpenSession } from "./open.ts";

/**
 * Prompts for one of the tools or prompts of a server.
 *
 * @throws `CliError` if the server lists none. `Interrupted` if the person gives up.
 */
export async function chooseDefinition<Name extends "tools" | "prompts">(
  { session, signal }: OpenSession,
  name: Name,
): Promise<NonNullable<Lists[Name]>[number]> {
  const { [name]: items = [] } = await fetchLists(session, [name], signal);
  if (items.length === 0) {
    throw new CliError("failed", `The server lists no ${name}.`, {
      hint: "tenon list <target> shows what it has",
    });
  }
  const choices = items.map((item, index) => ({
    value: String(index),
    label: item.name,
    hint: hintOf(item),
  }));
  const chosen = Number(await askChoice(`Which ${name.slice(0, -1)}?`, choices, signal));
  return items[chosen] as NonNullable<Lists[Name]>[number];
}

/** The first line of the description of a definition, or its title. */
export function hintOf({ description, title }: { description?: string; title?: string }): string {
  return (description ?? title ?? "").split("\n", 1)[0] ?? "";
}
