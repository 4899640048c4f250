import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** The built notes server. */
export const notesServer = join(here, "../../../examples/notes/dist/server.js");

/** The program of a package from npm. */
const programOf = (manifest: string): string => join(dirname(manifest), "dist/index.js");

/** The reference server that exercises every feature, from npm. */
export const everythingServer = programOf(
  require.resolve("@modelcontextprotocol/server-everything/package.json"),
);

/** Further reference servers from npm. */
export const filesystemServer = programOf(
  require.resolve("@modelcontextprotocol/server-filesystem/package.json"),
);
export const memoryServer = programOf(require.resolve("@modelcontextprotocol/server-memory/package.json"));
export const thinkingServer = programOf(
  require.resolve("@modelcontextprotocol/server-sequential-thinking/package.json"),
);

/** A server on the official SDK, version 2. */
export const officialServer = join(here, "fixtures/official-v2-server.mjs");

/** A server of ours with one of each feature. */
export const tenonFeaturesServer = join(here, "fixtures/tenon-features-server.mjs");

/** A server on the official SDK, version 2, with one of each feature. */
export const v2FeaturesServer = join(here, "fixtures/official-v2-features.mjs");

/** A server on the official SDK, version 1, with one of each feature. */
export const v1FeaturesServer = join(here, "fixtures/official-v1-features.mjs");

/** A server over HTTP on the official SDK, of the version that its argument says. */
export const officialHttpServer = join(here, "fixtures/official-http-server.mjs");
