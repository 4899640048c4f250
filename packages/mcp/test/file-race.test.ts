import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { expect, test } from "vitest";

import { readInside } from "../src/node/read-inside.ts";

/**
 * A folder `base` with the folder `inner`, and beside `base` a folder with a secret and the link
 * that another process puts in the place of `inner`.
 */
interface Site extends AsyncDisposable {
  readonly root: string;
  readonly base: string;
  readonly outside: string;
}

async function openSite(): Promise<Site> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "tenon-")));
  const base = join(root, "base");
  const outside = join(root, "outside");
  await mkdir(join(base, "inner"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(base, "inner", "file.txt"), "fine");
  await writeFile(join(outside, "file.txt"), "secret");
  await symlink(outside, join(base, "link"));
  return {
    root,
    base,
    outside,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

test("files have one spelling, also on file systems that find them by others", async () => {
  await using site = await openSite();
  const { base } = site;
  await symlink(join(base, "inner"), join(base, "inside"));
  await writeFile(join(base, "inner", "caf\u00E9.txt"), "fine");
  // As macOS and Windows do: any case, any Unicode form.
  const insensitive = (path: string): Promise<string> =>
    realpath(`${base}${path.slice(base.length).normalize("NFC").toLowerCase()}`);
  const read = (path: string): Promise<unknown> =>
    readInside(base, path.split("/"), 100, undefined, insensitive);
  for (const path of [
    "Inner/file.txt",
    "inner/FILE.txt",
    "inner/file.TXT",
    "INNER/FILE.TXT",
    "Inside/file.txt",
    "inside/File.txt",
    "inner/cafe\u0301.txt",
    "inside/CAF\u00C9.txt",
  ]) {
    expect([path, await read(path)]).toEqual([path, undefined]);
  }
  for (const path of ["inner/file.txt", "inside/file.txt", "inner/caf\u00E9.txt", "inside/caf\u00E9.txt"]) {
    expect(await read(path)).toMatchObject({ bytes: Buffer.from("fine") });
  }
});

/** Swaps the folder `inner` and the link until it is told to stop. */
const swapping = `
  const { renameSync } = require("node:fs");
  const { workerData: { base, stop } } = require("node:worker_threads");
  const [inner, link, away] = ["inner", "link", "away"].map((name) => base + "/" + name);
  while (Atomics.load(stop, 0) === 0) {
    renameSync(inner, away); renameSync(link, inner);
    renameSync(inner, link); renameSync(away, inner);
  }
`;

const reads = 20_000;

test.skipIf(process.platform !== "linux")(
  `a folder that becomes a link at any moment leads none of ${reads} reads outside (T-094)`,
  async () => {
    await using site = await openSite();
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const swapper = new Worker(swapping, { eval: true, workerData: { base: site.base, stop } });
    const ended = new Promise((resolve) => swapper.once("exit", resolve));
    const seen: Record<string, number> = {};
    let left = reads;
    const reader = async (): Promise<void> => {
      while (left-- > 0) {
        const found = await readInside(site.base, ["inner", "file.txt"], 100);
        const what = found?.bytes === undefined ? "nothing" : new TextDecoder().decode(found.bytes);
        seen[what] = (seen[what] ?? 0) + 1;
      }
    };
    try {
      await Promise.all(Array.from({ length: 4 }, reader));
    } finally {
      Atomics.store(stop, 0, 1);
      await ended;
    }
    expect(seen).toEqual({ fine: expect.any(Number), nothing: expect.any(Number) });
  },
);

/**
 * What another process does in the moment after the file was opened, where the kernel does not name
 * open files.
 */
const meanwhile: readonly (readonly [string, (site: Site) => Promise<void>, string | undefined])[] = [
  ["does nothing", async () => {}, "fine"],
  [
    "puts another file in its place",
    async ({ base, outside }) => rename(join(outside, "file.txt"), join(base, "inner", "file.txt")),
    undefined,
  ],
  [
    "puts a link to a folder with the same file in the place of its folder",
    async ({ base, outside }) => {
      await rm(join(outside, "file.txt"));
      await link(join(base, "inner", "file.txt"), join(outside, "file.txt"));
      await rename(join(base, "inner"), join(base, "away"));
      await rename(join(base, "link"), join(base, "inner"));
    },
    undefined,
  ],
];

test.skipIf(process.platform === "win32").each(meanwhile)(
  "without the name of an open file, one is served only if it is still there: another process %s",
  async (_, act, text) => {
    await using site = await openSite();
    const found = await readInside(site.base, ["inner", "file.txt"], 100, async () => {
      await act(site);
      return undefined;
    });
    expect(found?.bytes && new TextDecoder().decode(found.bytes)).toBe(text);
  },
);
