#!/usr/bin/env node
import { fileURLToPath } from "node:url";

import { runCli } from "./cli.ts";

// The published package has a copy of `schema/` beside this file.
process.exitCode = await runCli(process.argv.slice(2), {
  root: fileURLToPath(new URL(".", import.meta.url)),
  isCheckout: false,
  cwd: process.cwd(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
