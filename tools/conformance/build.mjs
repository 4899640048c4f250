// Bundles the three programs that the conformance suite talks to, each into one file so that it starts fast.
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { build } from "esbuild";

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { server: "src/server/main.ts", client: "src/client/main.ts", broker: "src/broker/main.ts" },
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  // The HTTP client of Node is CommonJS and asks for built-in modules by require.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
});

// The official suite with its six hundred files in one: it starts a hundred times, and half of each start was looking for files.
const official = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
);
const suite = join(import.meta.dirname, "dist/suite");
rmSync(suite, { recursive: true, force: true });
await build({
  entryPoints: [join(official, "dist/index.js")],
  outfile: join(suite, "dist/index.js"),
  bundle: true,
  platform: "node",
  target: "node22",
  format: "esm",
  banner: {
    js: 'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);',
  },
  logLevel: "warning",
});
for (const beside of ["package.json", "requirements"]) {
  cpSync(join(official, beside), join(suite, beside), { recursive: true });
}
