#!/usr/bin/env node
import { fileURLToPath } from "node:url";

import { runProcess } from "./run-process.ts";

// The published package has a copy of `schema/` beside this file.
await runProcess({
  root: fileURLToPath(new URL(".", import.meta.url)),
  isCheckout: false,
  cwd: process.cwd(),
});
