import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { planImage } from "../src/node.ts";

function packageFolder(facts: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "notes", bin: "./dist/main.js", ...facts }),
  );
  return folder;
}

test("an image is built by the lock file of the package, and runs as nobody", async () => {
  const folder = packageFolder({ mcpName: "io.github.me/notes", scripts: { build: "tsc" } });
  writeFileSync(join(folder, "package-lock.json"), "{}");
  await planImage({ folder, port: 3000 }).apply();
  const text = readFileSync(join(folder, "Dockerfile"), "utf8");
  expect(text).toContain("RUN npm ci --ignore-scripts\n");
  expect(text).toContain("RUN npm run build && npm prune --omit=dev\n");
  expect(text).toContain('LABEL io.modelcontextprotocol.server.name="io.github.me/notes"\n');
  expect(text).toMatch(/USER nobody\nEXPOSE 3000\nENTRYPOINT \["node", "dist\/main.js"\]\n$/);
  expect(readFileSync(join(folder, ".dockerignore"), "utf8")).toContain(".env*\n");

  await expect(planImage({ folder }).apply()).rejects.toMatchObject({ code: "EXISTS" });
  await planImage({ folder }).apply({ replaces: true });
  expect(readFileSync(join(folder, "Dockerfile"), "utf8")).not.toContain("EXPOSE");
});

test("packages without a program, and paths and facts that would break the file, are refused", () => {
  expect(() => planImage({ folder: packageFolder({ bin: undefined }) })).toThrow(/no bin/);
  expect(() => planImage({ folder: packageFolder(), entry: "../main.js" })).toThrow(/below the folder/);
  expect(() => planImage({ folder: packageFolder(), entry: 'a"\nRUN evil' })).toThrow(/below the folder/);
  expect(() => planImage({ folder: packageFolder(), port: 0 })).toThrow(/65535/);
  const [image] = planImage({ folder: packageFolder({ mcpName: 'a"\nRUN evil' }) }).files;
  expect(image?.text).toBeDefined();
  expect(image?.text).not.toContain("evil");
});
