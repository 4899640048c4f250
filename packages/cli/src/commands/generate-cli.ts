import { mkdir } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

import { redactArguments, redactor } from "@tenon/http/redact";
import { lockOf } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { writeProgram, type ProgramServer } from "../generate/program.ts";
import { visibleLine } from "../output/escape.ts";
import { openTarget } from "../session/open.ts";
import { resolveTarget } from "../target/resolve.ts";
import type { Target } from "../target/target.ts";
import { checkWritten, writeAgain } from "../typegen/check-written.ts";
import { plainHead } from "../typegen/definitions-constant.ts";
import { replaceFile } from "../write-file.ts";

/** Writes a program with a command for each tool of a server, or compares the tools with it. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  const out = flags.text("out");
  if (flags.has("check") && out === undefined) {
    throw usageError("--check compares the tools with a file.", "--check --out <file>");
  }
  const path = resolve(shell.cwd, out ?? "cli.mjs");
  const target = await resolveTarget(invocation);
  const server = serverOf(invocation, target, dirname(path));
  const { server: info, definitions } = await definitionsOf(invocation, target);
  const { tools } = definitions;
  const text = writeProgram({ info, server, tools, from: flags.text("from") ?? "@tenon/sdk" });
  if (out === undefined) {
    printer.result({ text }, () => text);
    return exitCodes.ok;
  }
  if (flags.has("check")) {
    return checkWritten(invocation, {
      path,
      text,
      tools,
      head: plainHead,
      again: writeAgain(invocation, "generate cli"),
    });
  }
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text, { mode: 0o755 });
  const { length } = tools;
  printer.result(
    { file: path, ...info, tools: length },
    () => `${path}: ${length} commands of ${visibleLine(info.name)}`,
  );
  return exitCodes.ok;
}

async function definitionsOf(
  invocation: Invocation,
  target: Target,
): Promise<Awaited<ReturnType<typeof lockOf>>> {
  await using opened = await openTarget(invocation, target);
  // Without `await` the session would end before its lists arrive.
  return await lockOf(opened.session);
}

/** Returns the address of the server, without values of variables, headers and queries. */
function serverOf({ printer, shell }: Invocation, target: Target, folder: string): ProgramServer {
  if (target.kind !== "server" || target.isBundle === true) {
    throw usageError(
      `${target.label} cannot be started by another program.`,
      "name a URL or a configured server, or a program after --",
    );
  }
  const { spec } = target;
  if (spec.type !== "stdio") {
    const url = new URL(spec.url);
    if (url.search !== "" || Object.keys(spec.headers ?? {}).length > 0) {
      printer.note("Queries and headers may be secret, so the program does not have them: pass --header.");
    }
    url.search = "";
    url.hash = "";
    url.username = "";
    url.password = "";
    return { kind: "remote", url: url.href };
  }
  const { command, args = [], env = {}, cwd = shell.cwd } = spec;
  const names = Object.keys(env).toSorted();
  if (names.length > 0) {
    printer.note(`The program passes these variables on: ${names.join(", ")}.`);
  }
  const safe = redactArguments(args, redactor());
  if (safe.some((each, index) => each !== args[index])) {
    printer.warn(
      "The arguments seem to contain a secret; the program has [redacted] in its place. Pass secrets as variables: --env.",
    );
  }
  const path = relative(folder, cwd).split(sep).join("/");
  return { kind: "program", command, args: safe, env: names, folder: `${path === "" ? "." : path}/` };
}
