#!/usr/bin/env node
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";

import { main } from "./main.ts";
import { interruptSignal } from "./signals.ts";

// Node 22 and later keep compiled code between two runs. Most commands are loaded after this line.
const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
enableCompileCache?.();
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};
for (const stream of [process.stdout, process.stderr]) {
  // The reader of the pipe has ended, as `head` does. Nothing more can be reported.
  stream.on("error", () => process.exit(0));
  // A terminal that does not know its size has 0 columns: every word would be a line.
  if (stream.columns === 0) {
    Object.assign(stream, { columns: 80, rows: 24 });
  }
}
const { argv, env, execArgv, execPath, platform, stderr, stdin, stdout } = process;
const code = await main(argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  home: homedir(),
  platform,
  version,
  self: [execPath, ...execArgv, argv[1] ?? ""],
  signal: interruptSignal(process),
});
// Output to a pipe may still be pending, and modules of users may keep timers.
await Promise.all(
  [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
);
process.exit(code);
