import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

const packages = join(import.meta.dirname, "../..");

/** The packages of which the umbrella has every entry. */
const whole = ["apps", "host", "skills", "tasks", "transports-memory", "transports-message"];

/** Adapters of packages that users install themselves. */
const adapters = ["./bullmq", "./temporal"];

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(packages, folder, "package.json"), "utf8")) as Manifest;
}

test("every entry of the packages in the umbrella, besides adapters, is an entry of it", async () => {
  const sources = await readdir(join(packages, "sdk/src"));
  const texts = await Promise.all(sources.map((name) => readFile(join(packages, "sdk/src", name), "utf8")));
  const text = texts.join("\n");
  for (const folder of whole) {
    const { name, exports } = await manifestOf(folder);
    const entries = Object.keys(exports).filter(
      (entry) => entry !== "./package.json" && !adapters.includes(entry),
    );
    expect(entries).not.toEqual([]);
    for (const entry of entries) {
      expect(text).toContain(`export * from "${join(name, entry)}";`);
    }
  }
});
