// Bundles the two programs that the conformance suite talks to, each into one file so that it starts fast.
import { build } from "esbuild";

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { server: "src/server/main.ts", client: "src/client/main.ts" },
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
