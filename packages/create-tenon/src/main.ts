import { relative } from "node:path";

import { readArguments } from "./arguments.ts";
import { askAtTerminal, type Questions } from "./ask.ts";
import { createProject } from "./create.ts";
import { managerOf, managers } from "./manager.ts";
import { adapters, choices, findTemplate, templates } from "./templates.ts";

const titles = new Map(templates.map(({ name, title }) => [name, title]));
const titleOf = (choice: string): string => titles.get(choice) ?? "a server over HTTP";

const help = `npm create tenon@latest [folder] -- [options]

  -t, --template <name>   ${choices.join(", ")}
      --adapter <name>    where the template http runs: ${adapters.join(", ")}
      --pm <name>         the package manager of the project: ${managers.join(", ")}
  -y, --yes               does not prompt: missing options have their defaults

Nothing is downloaded: the templates are in this package.
`;

/**
 * Creates a project as the command line asks.
 *
 * @param isTerminal - Whether a user can enter missing options.
 * @returns The code of the process.
 */
export async function main(args: readonly string[], isTerminal: boolean): Promise<number> {
  let questions: Questions | undefined;
  try {
    const given = readArguments(args);
    if (given.isHelp) {
      process.stdout.write(help);
      return 0;
    }
    questions = isTerminal && !given.isQuiet ? askAtTerminal() : undefined;
    const choice =
      given.template ??
      // Only this template has adapters.
      (given.adapter === undefined ? undefined : "http") ??
      (await questions?.choice(
        "What do you want to make?",
        choices.map((name) => [name, titleOf(name)]),
      )) ??
      "stdio";
    checkOneOf("--template", choice, choices);
    const adapter =
      given.adapter ??
      (choice === "http"
        ? await questions?.choice(
            "Where does it run?",
            adapters.map((name) => [name, titleOf(`http-${name}`)]),
          )
        : undefined) ??
      "node";
    checkOneOf("--adapter", adapter, adapters);
    if (given.adapter !== undefined && choice !== "http") {
      throw new Error(`--adapter is for the template http; got --template ${choice}.`);
    }
    if (given.manager !== undefined) {
      checkOneOf("--pm", given.manager, managers);
    }
    const manager = managerOf(process.env["npm_config_user_agent"], given.manager);
    const folder = given.folder ?? (await questions?.text("Which folder?", "my-mcp")) ?? "my-mcp";
    const template = findTemplate(choice, adapter);
    if (template === undefined) {
      throw new Error(`There is no template ${choice} with the adapter ${adapter}.`);
    }
    const created = createProject(folder, template, manager);
    const shown = relative(process.cwd(), created.folder) || ".";
    process.stdout.write(`${shown} has ${template.title}: ${created.files.length} files.\n\n`);
    const steps = [
      ...(shown === "." ? [] : [`cd ${/^[\w./~+-]+$/.test(shown) ? shown : JSON.stringify(shown)}`]),
      `${manager.name} install`,
      manager.test,
    ];
    process.stdout.write(`${steps.map((step) => `  ${step}\n`).join("")}\n`);
    process.stdout.write("README.md names the next steps.\n");
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  } finally {
    questions?.close();
  }
}

function checkOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) {
    throw new Error(`${option} must be one of ${allowed.join(", ")}, got "${value}".`);
  }
}
