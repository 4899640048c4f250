import { existsSync } from "node:fs";
import { extname, resolve } from "node:path";

import {
  planInstall,
  programOf,
  readPackage,
  type HostName,
  type InstallPlan,
  type PackageFacts,
  type ProgramEntry,
  type RemoteEntry,
} from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { CliError, usageError } from "../exit.ts";
import { visible } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";
import { isInteractive } from "../shell.ts";
import { withFullPaths } from "../ship/full-paths.ts";
import { variablesOf } from "../target/environment.ts";
import { headersOf } from "../target/headers.ts";

/** Adds a server to the configuration of a host, or removes it. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  const isRemoval = flags.has("remove");
  checkSource(invocation);
  const server = isRemoval ? undefined : serverOf(invocation);
  const name = flags.text("name") ?? nameOf(invocation);
  const plan = await planInstall({
    host: invocation.required("host") as HostName,
    name,
    server,
    place: shell,
    scope: flags.has("project") ? "project" : "user",
    file: flags.text("file"),
  });
  const { change, diff, file, title } = plan;
  if (change === "unchanged") {
    const text = isRemoval
      ? `${title} has no server ${name} in ${file}.`
      : `${title} already has ${name}: ${file}`;
    printer.result({ host: title, file, name, change, diff: [] }, () => text);
    return undefined;
  }
  if (isOwnBuild(invocation) && isPublishable(readPackage(shell.cwd))) {
    printer.note("This entry starts the build in this folder. --from-npm starts the published package.");
  }
  const shown = { host: title, file, name, change, diff };
  if (flags.has("dry-run")) {
    printer.result({ ...shown, written: false }, () => `${file}\n${diffText(printer, plan)}`);
    return undefined;
  }
  if (!flags.has("yes")) {
    await agree(invocation, plan);
  }
  const backup = await plan.apply();
  printer.result({ ...shown, written: true, ...(backup === undefined ? {} : { backup }) }, () =>
    [
      ...(flags.has("yes") ? [diffText(printer, plan)] : []),
      `${name} was ${change} in ${file}.${backup === undefined ? "" : ` Backup: ${backup}`}`,
      `Restart ${title} if it is running.`,
    ].join("\n"),
  );
  const values = Object.keys(
    server === undefined ? {} : (("url" in server ? server.headers : server.env) ?? {}),
  );
  if (flags.has("project") && values.length > 0) {
    printer.note(
      `This file of the project contains the values of ${values.join(", ")}. Do not commit secrets.`,
    );
  }
  if (flags.has("project") && backup !== undefined) {
    printer.note(`${backup} is in the project, with the earlier values. Do not commit it.`);
  }
  return undefined;
}

/** Shows the change, and prompts for consent. @throws `CliError` without a terminal. */
async function agree({ printer, shell, signal }: Invocation, plan: InstallPlan): Promise<void> {
  if (!isInteractive(shell)) {
    if (printer.mode === "text") {
      printer.note(`${plan.file}\n${diffText(printer, plan)}`);
    }
    throw usageError("Nothing was written, because there is no terminal to agree at.", "--yes, or --dry-run");
  }
  printer.note(`${plan.file}\n${diffText(printer, plan)}`);
  const { askYes } = await import("../session/prompt.ts");
  if ((await askYes("Write this change?", signal)) !== true) {
    throw new CliError("interrupted", "Nothing was written.");
  }
}

const signs = { same: " ", added: "+", removed: "-" } as const;

function diffText({ style }: Printer, { diff }: InstallPlan): string {
  return diff
    .map(({ kind, text }) => {
      const line = `${signs[kind]} ${visible(text)}`;
      return kind === "added" ? style.good(line) : kind === "removed" ? style.bad(line) : style.dim(line);
    })
    .join("\n");
}

function nameOf(invocation: Invocation): string {
  const isOther = invocation.program !== undefined || /^https?:/i.test(invocation.operand("target") ?? "");
  if (isOther) {
    throw usageError("Name the server for the host.", "--name <name>");
  }
  // Names of packages may have characters that names of servers may not have.
  return readPackage(invocation.shell.cwd).shortName.replaceAll(/[^\w-]/g, "-");
}

function serverOf(invocation: Invocation): ProgramEntry | RemoteEntry {
  const { flags, shell } = invocation;
  const word = invocation.operand("target");
  const headers = headersOf(flags.list("header"));
  if (word !== undefined && /^https?:\/\//i.test(word)) {
    if (!URL.canParse(word)) {
      throw usageError(`${JSON.stringify(word)} is not a URL.`);
    }
    if (flags.list("env").length > 0) {
      throw usageError("--env is for programs. A remote server gets headers.", "--header <name: value>");
    }
    return { url: word, headers };
  }
  if (Object.keys(headers).length > 0) {
    throw usageError("--header is for remote servers. A program gets variables.", "--env <name=value>");
  }
  const [command = "", ...args] = flags.has("from-npm")
    ? publishedProgram(readPackage(shell.cwd))
    : invocation.program === undefined
      ? programAt(shell.cwd, word)
      : withFullPaths(invocation.program, shell.cwd);
  return { command, args, ...settingsOf(flags.list("env")) };
}

/** `NAME=value` is written into the file; `NAME` becomes a reference. */
function settingsOf(settings: readonly string[]): Pick<ProgramEntry, "env" | "variables"> {
  const all = variablesOf(settings);
  return {
    env: Object.fromEntries(all.filter((each): each is readonly [string, string] => each[1] !== undefined)),
    variables: all.filter(([, value]) => value === undefined).map(([name]) => name),
  };
}

/** Whether the server is the program that the package in the folder has built. */
function isOwnBuild(invocation: Invocation): boolean {
  const { flags } = invocation;
  return !namesServer(invocation) && !flags.has("from-npm") && !flags.has("remove");
}

/** Whether the command line names a program, a file or a URL. */
function namesServer(invocation: Invocation): boolean {
  return invocation.program !== undefined || invocation.operand("target") !== undefined;
}

/** @throws `CliError` if `--from-npm` and something else name the server. */
function checkSource(invocation: Invocation): void {
  if (invocation.flags.has("from-npm") && namesServer(invocation)) {
    throw usageError(
      "--from-npm installs the package in this folder, so it takes no program, file or URL.",
      "-- npx -y <package>",
    );
  }
}

/** Whether npm may have the package. */
function isPublishable({ isPrivate, version }: PackageFacts): boolean {
  return !isPrivate && version !== undefined;
}

/** The program of a package that npm has. */
function publishedProgram(facts: PackageFacts): readonly string[] {
  if (!isPublishable(facts)) {
    throw usageError(
      `npm cannot have ${facts.name}: ${facts.isPrivate ? "it is private" : "it has no version"}.`,
      "publish the package first: `npm publish --access public`",
    );
  }
  // npx selects the program by the same rule.
  programOf(facts);
  return ["npx", "-y", facts.name];
}

/**
 * The program of a server: a file, or by default the program that the package in the folder
 * installs.
 */
function programAt(cwd: string, word: string | undefined): readonly string[] {
  const facts = word === undefined ? readPackage(cwd) : undefined;
  const path = resolve(cwd, word ?? (facts === undefined ? "" : programOf(facts)));
  if (!existsSync(path)) {
    const other = facts !== undefined && isPublishable(facts) ? ", or --from-npm if npm has it" : "";
    throw usageError(
      `${path} does not exist.`,
      facts === undefined ? "name a file or a URL, or a program after --" : `build the package first${other}`,
    );
  }
  if (![".js", ".mjs", ".cjs"].includes(extname(path))) {
    throw usageError(`${path} is not a JavaScript file.`, "name the program after --");
  }
  return ["node", path];
}
