// Runs the tests of the official repository with its modules replaced: see run.mjs.
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { defineConfig, type Plugin } from "vitest/config";

const folder = resolve(process.env["TENON_OFFICIAL_SDK"] ?? ".");
const source = `${join(folder, "src")}/`;
const ours = fileURLToPath(new URL("../../dist/entry", import.meta.url));
const requireHere = createRequire(import.meta.url);
const official = join(dirname(requireHere.resolve("mcp-sdk-1/types.js")), "../esm");
const target = process.env["TENON_OFFICIAL_TARGET"] === "original" ? official : ours;
const requireOfOfficial = createRequire(join(official, "types.js"));
/** What the official package and its tests must load from one place. */
const shared = /^(zod|express|hono|ajv|eventsource|jose|pkce-challenge|cors|cross-spawn)(\/|$)/;

/** What the tests import from `src` comes from a package instead. */
const replaced: Plugin = {
  name: "replaced",
  enforce: "pre",
  resolveId(wanted, importer) {
    if (importer?.startsWith(folder) !== true) {
      return undefined;
    }
    if (wanted.startsWith(".")) {
      const path = resolve(dirname(importer), wanted);
      const isReplaced = path.startsWith(source) && !path.includes("__fixtures__");
      return isReplaced ? { id: join(target, path.slice(source.length)), external: true } : undefined;
    }
    return shared.test(wanted)
      ? { id: requireOfOfficial.resolve(wanted).replace(/\.cjs$/, ".js"), external: wanted.startsWith("zod") }
      : undefined;
  },
};

export default defineConfig({
  root: folder,
  plugins: [replaced],
  server: { fs: { strict: false } },
  test: {
    globals: true,
    environment: "node",
    setupFiles: ["./vitest.setup.ts"],
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**", "test/conformance/**", "**/node_modules/**"],
    server: { deps: { external: [/official-v1\/dist\//] } },
  },
});
