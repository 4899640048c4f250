import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { delimiter, join } from "node:path";

import { planPublish } from "@tenon/ship/node";

import type { Invocation } from "../command/invocation.ts";
import { CliError, exitCodes } from "../exit.ts";
import { visible } from "../output/escape.ts";
import type { Shell } from "../shell.ts";
import { findingLines, hasErrors } from "../ship/findings.ts";
import { replaceFile } from "../write-file.ts";

/** Writes and checks `server.json`, then runs the official publisher. */
export async function run({ flags, printer, shell, signal }: Invocation): Promise<number> {
  const isRehearsal = flags.has("dry-run");
  const plan = await planPublish({ folder: shell.cwd, signal });
  const { changes, exists, file, findings, server, text } = plan;
  const fails = hasErrors(findings);
  const publisher = findProgram("mcp-publisher", shell);
  const result = { file, changes, findings, server, publisher: publisher ?? null, published: false };
  if (fails) {
    printer.result(result, () =>
      [`${file} cannot be published:`, ...findingLines(printer, findings)].join("\n"),
    );
    return exitCodes.failed;
  }
  if (isRehearsal) {
    const next =
      publisher === undefined
        ? "mcp-publisher is not on the PATH; tenon ship publish needs it."
        : "tenon ship publish would now run mcp-publisher publish.";
    const state = changes ? `would be ${exists ? "brought up to date" : "written"}` : "is up to date";
    printer.result(result, () =>
      [
        `${file} ${state}, and is valid.`,
        ...findingLines(printer, findings),
        visible(text.trimEnd()),
        next,
      ].join("\n"),
    );
    return exitCodes.ok;
  }
  if (changes) {
    await replaceFile(file, text, { mode: 0o644, isNamed: false });
  }
  const lines = [
    `${file} ${changes ? (exists ? "was brought up to date" : "was written") : "is up to date"}, and is valid.`,
    ...findingLines(printer, findings),
  ];
  if (flags.has("write-only")) {
    printer.result(result, () => lines.join("\n"));
    return exitCodes.ok;
  }
  if (publisher === undefined) {
    throw new CliError("failed", `${file} is valid, but mcp-publisher is not on the PATH.`, {
      hint: "install it from https://github.com/modelcontextprotocol/registry/releases, publish the package to npm, run `mcp-publisher login github`, and repeat the command",
    });
  }
  const code = await runPublisher(publisher, shell, signal);
  if (code !== 0) {
    throw new CliError("failed", `mcp-publisher ended with the exit code ${code}.`, {
      hint: "its messages are above; `mcp-publisher login` proves the name space",
    });
  }
  printer.result({ ...result, published: true }, () =>
    [...lines, `${server.name} ${server.version} was published.`].join("\n"),
  );
  return exitCodes.ok;
}

/** Finds a program on the PATH. */
function findProgram(name: string, { env, platform }: Shell): string | undefined {
  const names = platform === "win32" ? [`${name}.exe`] : [name];
  return (env["PATH"] ?? env["Path"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** Standard output has results only, so the output of the publisher is not there. */
function runPublisher(path: string, { cwd, env, stderr }: Shell, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, ["publish"], {
      cwd,
      env,
      signal,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => stderr.write(chunk));
    }
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
