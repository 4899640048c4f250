import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { rolldown } from "rolldown";
import { expect, test } from "vitest";

import { memoryStore, type OAuthOptions, type OAuthProvider } from "../src/client.ts";
import { temporaryDirectory } from "./folder.ts";
import { headersOf, setUp } from "./setup.ts";

/** The client as a page has it that has gone offline before it needed the code of a logout. */
async function offlineClient(
  dir: string,
): Promise<{ readonly createOAuth: (options: OAuthOptions) => OAuthProvider }> {
  const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const platform = source("../../http/src/client/platform/web.ts");
  const build = await rolldown({
    input: { client: source("../src/client.ts") },
    plugins: [{ name: "platform", resolveId: (id) => (id === "#platform" ? platform : undefined) }],
    platform: "browser",
    resolve: { conditionNames: ["browser", "@tenon/source", "import", "default"] },
    logLevel: "silent",
  });
  await build.write({ dir, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" });
  await build.close();
  for (const name of await readdir(dir)) {
    if (name.startsWith("upkeep")) {
      await rm(join(dir, name));
    }
  }
  return (await import(pathToFileURL(join(dir, "client.mjs")).href)) as Awaited<
    ReturnType<typeof offlineClient>
  >;
}

test.each([
  ["the provider uses", true],
  ["the provider has not read yet", false],
])(
  "a logout whose code cannot be loaded rejects, and tokens that %s are not used again",
  async (_, isUsed) => {
    await using folder = await temporaryDirectory();
    const { createOAuth } = await offlineClient(folder.path);
    const { servers, provider, options } = setUp({}, { store: memoryStore(), interactive: "onLogin" });
    await provider.login();
    const offline = createOAuth(options);
    if (isUsed) {
      expect(await headersOf(offline, servers.server)).toBeDefined();
    }
    await expect(offline.logout()).rejects.toThrow(/upkeep/);
    expect(await headersOf(offline, servers.server)).toBeUndefined();
    expect(offline.status.state).toBe("anonymous");
  },
);
