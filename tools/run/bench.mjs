// npm run bench -- <suite>: builds the packages and measures what users get, side by side with others.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { install, root, run } from "./workspace.mjs";

if (!existsSync(`${root}/tools/bench/node_modules`)) await install();
const { resolve } = createRequire(`${root}/package.json`);
const tsc = join(dirname(resolve("typescript/package.json")), "bin", "tsc");
// Files are written in spite of type errors, so these do not stop a measurement.
if ((await run(process.execPath, [tsc, "-b"])) !== 0)
  process.stderr.write("The packages have type errors, see above.\n");
process.exitCode = await run(process.execPath, [
  "--import",
  pathToFileURL(resolve("tsx")).href,
  `${root}/tools/bench/src/main.ts`,
  ...process.argv.slice(2),
]);
