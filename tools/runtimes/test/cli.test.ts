import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { runtimes } from "./runtimes.ts";

const here = createRequire(import.meta.url);
const bin = join(dirname(here.resolve("@tenon/cli/package.json")), "dist/bin.js");

test.for(runtimes.filter(({ name }) => name.startsWith("Node")))(
  "`tenon` runs on $name, and keeps its compiled code where Node can",
  async ({ name, binary, args }, { skip }) => {
    if (binary === undefined) {
      skip(`There is no ${name} for this platform`);
      return;
    }
    const folder = await mkdtemp(join(tmpdir(), "tenon-compiled-"));
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env;
    const { stdout } = await promisify(execFile)(binary, [...args(bin), "version"], {
      env: { ...env, TMPDIR: folder },
    });
    expect(stdout).toContain("tenon");
    expect(await readdir(folder)).toEqual(name === "Node 20" ? [] : ["node-compile-cache"]);
    await rm(folder, { recursive: true });
  },
);
