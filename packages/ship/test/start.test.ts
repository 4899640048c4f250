import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { zipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";

import { extractBundle, readBundle, type BundleStart, type BundleStartOptions } from "../src/node.ts";

const text = new TextEncoder();

function start(manifest: unknown, options: Partial<BundleStartOptions> = {}): BundleStart {
  const folder = mkdtempSync(join(tmpdir(), "tenon-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const json = typeof manifest === "string" ? manifest : JSON.stringify(manifest);
  const files = readBundle(
    zipSync({ "manifest.json": text.encode(json), "bin/server": text.encode("#!/bin/sh\n") }),
  );
  const made = extractBundle(files, { folder, home: "/home/ada", platform: "linux", ...options });
  expect(readFileSync(join(folder, "bin/server"), "utf8")).toBe("#!/bin/sh\n");
  if (process.platform !== "win32") {
    expect(statSync(join(folder, "bin/server")).mode & 0o777).toBe(0o700);
  }
  return JSON.parse(JSON.stringify(made).replaceAll(folder, "/bundle")) as BundleStart;
}

const config = {
  command: "node",
  args: [
    "${__dirname}${/}index.js",
    "--root=${user_config.root}",
    "${user_config.folders}",
    "${user_config.odd}",
  ],
  env: { KEY: "${user_config.api-key}", PLACE: "${HOME}/notes", NONE: "${user_config.none}" },
  platform_overrides: { win32: { command: "${__dirname}\\bin\\server.exe" } },
};
const settings = {
  "api-key": { type: "string", description: "The key", required: true, sensitive: true },
  root: { type: "directory", default: "${DOCUMENTS}/notes" },
  folders: { type: "directory", multiple: true, default: ["${HOME}/a", "/b"] },
  odd: { type: "number", default: 3 },
  none: { type: "string" },
  constructor: { type: "string", required: true, title: "A name that objects have" },
};

test("a bundle is extracted, and its command is filled in as a host does", () => {
  const manifest = { server: { mcp_config: config }, user_config: settings };
  expect(start(manifest, { values: { KEY: "k", constructor: "c" } })).toEqual({
    command: process.execPath,
    args: ["/bundle/index.js", "--root=/home/ada/Documents/notes", "/home/ada/a", "/b", "3"],
    env: { KEY: "k", PLACE: "/home/ada/notes", NONE: "${user_config.none}" },
    missing: [],
  });
  expect(start(manifest, { values: { api_key: "", folders: "/c" }, platform: "win32" })).toMatchObject({
    command: "/bundle\\bin\\server.exe",
    args: expect.arrayContaining(["/c"]),
    missing: [
      { name: "KEY", description: "The key" },
      { name: "constructor", description: "A name that objects have" },
    ],
  });
});

test.each([
  ["{", "not JSON"],
  [[], "must be an object"],
  [{}, "must have a command"],
  [{ server: { mcp_config: { command: "node", args: [1] } } }, "must be strings"],
  [{ server: { mcp_config: { command: "node", env: { A: 1 } } } }, "must be strings"],
])("the manifest %j cannot be started: %s", (manifest, reason) => {
  expect(() => start(manifest)).toThrow(reason);
});
