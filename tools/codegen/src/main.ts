import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { runProcess } from "./run-process.ts";

await runProcess({
  root: resolve(fileURLToPath(import.meta.url), "../../../.."),
  isCheckout: true,
  cwd: process.env["INIT_CWD"] ?? process.cwd(),
});
