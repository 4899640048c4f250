import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const names = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(entry.parentPath, entry.name, "package.json")))
  .map(({ name }) => name);

test.each(names)(
  "the programs, files and ports that the README of %s names are those of the example",
  (name) => {
    const folder = join(root, "examples", name);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    for (const [, program = "", args = ""] of readme.matchAll(/^.*\bnode dist\/(\S+)\.js\b([^#\n]*)/gm)) {
      expect(existsSync(join(folder, "src", `${program}.ts`)), program).toBe(true);
      const config = args.split(" ").find((arg) => arg === "mcp.json");
      expect(config === undefined || existsSync(join(folder, config)), config).toBe(true);
    }
    expect(readme).not.toMatch(/npm install$/m);
    const sources = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(folder, "src", file), "utf8"));
    for (const [, port = ""] of readme.matchAll(/127\.0\.0\.1:(\d+)/g)) {
      expect(sources.join("\n"), port).toContain(port);
    }
  },
);

/** Maximum number of lines of an example. `demo` is the program of `npm run demo`. */
const maxLines = (name: string): number => (name === "demo" ? 180 : 150);

/** The lines of an example's sources that contain code, without the program that only shows it. */
function linesOf(name: string): number {
  const folder = join(root, "examples", name, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const code = files
    .filter((file) => /\.(?:ts|tsx|js|html)$/.test(file) && (file !== "demo.ts" || name === "demo"))
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll(/\/\*[^]*?\*\//g, ""));
  return code.flatMap((text) => text.split("\n").filter((line) => /^\s*(?!\/\/)\S/.test(line))).length;
}

test("there are examples", () => {
  expect(names).toContain("quickstart");
});

test.each(names)("the example %s is short, explained in a README, and listed in the index", (name) => {
  expect(linesOf(name)).toBeGreaterThan(0);
  expect(linesOf(name)).toBeLessThanOrEqual(maxLines(name));
  expect(readFileSync(join(root, "examples", name, "README.md"), "utf8")).toMatch(/^# /);
  const command = name === "demo" ? "npm run demo" : `npm run example ${name}`;
  expect(readFileSync(join(root, "examples", name, "README.md"), "utf8")).toContain(`\`${command}\``);
  expect(readFileSync(join(root, "docs/README.md"), "utf8")).toContain(`(../examples/${name})`);
});
