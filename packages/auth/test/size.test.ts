import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { rolldown } from "rolldown";
import { expect, test } from "vitest";

/** The sizes of a bundle, minified and gzipped, in kilobytes. */
interface Size {
  /** All that is loaded before it runs. */
  readonly start: number;
  /** With the modules that are loaded when a server requires authorization. */
  readonly total: number;
  readonly code: string;
}

/** Bundles what a program imports of the client entry, as for a browser. */
async function bundle(names: string): Promise<Size> {
  const input = fileURLToPath(new URL("../src/client.ts", import.meta.url));
  const platform = fileURLToPath(new URL("../../http/src/client/platform/web.ts", import.meta.url));
  const entry = "virtual:entry";
  const build = await rolldown({
    input: entry,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : id === "#platform" ? platform : undefined),
        load: (id) => (id === entry ? `export { ${names} } from ${JSON.stringify(input)};` : undefined),
      },
    ],
    platform: "browser",
    resolve: { conditionNames: ["browser", "@tenon/source", "import", "default"] },
    logLevel: "silent",
  });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  const chunks = output.filter((chunk) => chunk.type === "chunk");
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const atStart = new Set([chunks.find(({ isEntry }) => isEntry)?.fileName ?? ""]);
  for (const name of atStart) {
    byName.get(name)?.imports.forEach((other) => atStart.add(other));
  }
  const text = (names: Iterable<string>): string =>
    Array.from(names, (name) => byName.get(name)?.code ?? "").join("");
  const code = text(byName.keys());
  return { start: kilobytes(text(atStart)), total: kilobytes(code), code };
}

const kilobytes = (code: string): number => gzipSync(code, { level: 9 }).length / 1000;

test("a client with the code flow takes at most 15.7 KB, and 29 KB with what a login loads, without jose and dpop", async () => {
  const { start, total, code } = await bundle("authorizationCode, createOAuth");
  expect(start).toBeLessThanOrEqual(15.7);
  expect(total).toBeLessThanOrEqual(29);
  expect(code).not.toMatch(/dpop\+jwt|PBES2|id-jag/);
});

test("dpop adds at most 3 KB", async () => {
  const without = await bundle("authorizationCode, createOAuth");
  const { total } = await bundle("authorizationCode, createOAuth, dpop");
  expect(total - without.total).toBeLessThanOrEqual(3);
});
