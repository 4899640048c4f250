import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { addCommand } from "../src/package/add-command.ts";

test.each([
  ["pnpm-lock.yaml", "pnpm add --save-dev"],
  ["yarn.lock", "yarn add --dev"],
  ["bun.lock", "bun add --dev"],
  ["bun.lockb", "bun add --dev"],
  ["npm-shrinkwrap.json", "npm install --save-dev"],
  ["package-lock.json", "npm install --save-dev"],
])("a package of a workspace with %s is advised %s", (lock, command) => {
  const root = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "packages", "notes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, lock), "");
  expect(addCommand(folder)).toBe(command);
});
