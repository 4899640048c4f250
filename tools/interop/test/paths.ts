import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** The built notes server. */
export const notesServer = join(here, "../../../examples/notes/dist/server.js");

/** The reference server that exercises every feature, from npm. */
export const everythingServer = join(
  dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
  "dist/index.js",
);

/** A server on the official SDK, version 2. */
export const officialServer = join(here, "fixtures/official-v2-server.mjs");

/** A server of ours with one of each feature. */
export const tenonFeaturesServer = join(here, "fixtures/tenon-features-server.mjs");

/** A server on the official SDK, version 2, with one of each feature. */
export const v2FeaturesServer = join(here, "fixtures/official-v2-features.mjs");

/** A server on the official SDK, version 1, with one of each feature. */
export const v1FeaturesServer = join(here, "fixtures/official-v1-features.mjs");
