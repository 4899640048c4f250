import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Invocation } from "../command/invocation.ts";
import { CliError, exitCodes } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { checkReachable } from "../target/remote.ts";
import { resolveTarget } from "../target/resolve.ts";

const suite = "@modelcontextprotocol/conformance";

/** Runs the official conformance suite against a server. The project must have the suite. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell, signal } = invocation;
  const bin = findSuite(shell.cwd);
  if (bin === undefined) {
    throw new CliError("usage", `Install the official suite in ${shell.cwd}.`, {
      hint: `npm install --save-dev ${suite}`,
    });
  }
  const target = await resolveTarget(invocation);
  if (target.kind !== "server" || target.spec.type === "stdio") {
    throw new CliError("usage", "Serve the target over HTTP for the suite.", {
      hint: "tenon serve <target> --http, and then its URL",
    });
  }
  checkReachable(target.label, target.spec, "The suite");
  const revision = flags.text("revision");
  const scenario = flags.text("scenario");
  const child = spawn(
    process.execPath,
    [
      bin,
      "server",
      "--url",
      target.spec.url,
      ...(revision === undefined ? [] : ["--spec-version", revision]),
      ...(scenario === undefined ? [] : ["--scenario", scenario]),
    ],
    { stdio: ["ignore", "pipe", "pipe"], signal, cwd: shell.cwd },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output = (output + text).slice(-1_000_000);
      if (printer.mode === "text") {
        shell.stderr.write(text);
      }
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  const passed = code === 0;
  const counts = /\d+ passed, (\d+) failed/.exec(output);
  if (!passed && counts === null && !output.includes("Test Results")) {
    const [reason = ""] = /^\S*Error\b.*$/m.exec(output) ?? [];
    throw new CliError(
      "failed",
      `The suite did not run on Node ${process.version}. ${visibleLine(reason)}`.trim(),
      {
        hint: "the suite may need a newer Node: npx -p node@22 -p @tenon/cli tenon conformance <url>",
      },
    );
  }
  printer.result({ passed, output }, () =>
    passed
      ? "The suite passed."
      : "The suite failed. Most scenarios need the tools of the suite, such as test_simple_text: a server without them fails these.",
  );
  return passed ? exitCodes.ok : exitCodes.failed;
}

/** The program of the suite, in the nearest `node_modules`. */
function findSuite(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const manifest = join(folder, "node_modules", suite, "package.json");
    if (existsSync(manifest)) {
      const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as {
        readonly bin?: string | Record<string, string>;
      };
      const path = typeof bin === "string" ? bin : Object.values(bin ?? {})[0];
      return path === undefined ? undefined : join(dirname(manifest), path);
    }
    if (dirname(folder) === folder) {
      return undefined;
    }
  }
}
