// Bundles the command line of the published package into one file, and puts the schemas beside it.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const here = import.meta.dirname;
await build({
  absWorkingDir: here,
  entryPoints: ["src/bin.ts"],
  outdir: "dist",
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
});
const target = join(here, "dist", "schema");
rmSync(target, { recursive: true, force: true });
cpSync(join(here, "../../schema"), target, { recursive: true });
