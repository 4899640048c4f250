import { readFileSync } from "node:fs";

import { runCli } from "./cli.ts";
import type { CliContext } from "./commands.ts";

/**
 * Runs the command line of this process and sets its exit code. Output that nobody reads any more,
 * as after `| head`, is dropped.
 */
export async function runProcess(at: Pick<CliContext, "cwd" | "isCheckout" | "root">): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") {
        throw error;
      }
    });
  }
  process.exitCode = await runCli(process.argv.slice(2), {
    ...at,
    version: ownVersion(),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
}

/** The manifest is one folder above both `src` and `dist`. */
function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}
