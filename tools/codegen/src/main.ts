import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { runCli } from "./cli.ts";

process.exitCode = await runCli(process.argv.slice(2), {
  root: resolve(fileURLToPath(import.meta.url), "../../../.."),
  isCheckout: true,
  cwd: process.env["INIT_CWD"] ?? process.cwd(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
