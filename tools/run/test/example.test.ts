import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { examples, startOf } from "../examples.mjs";

const folder = join(import.meta.dirname, "../../../examples");

test("every example has a command, which its README names, and a program to start", () => {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "package.json")));
  expect(Object.keys(examples).toSorted()).toEqual(names.toSorted());
  for (const [name, { file, shows }] of Object.entries(examples)) {
    expect(existsSync(join(folder, name, "src", file.replace(/\.js$/, ".ts"))), name).toBe(true);
    expect(shows).toMatch(/^[A-Z].{20,120}$/);
    const scripts = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")) as {
      scripts?: object;
    };
    expect(scripts.scripts, name).toHaveProperty("build");
    if (name !== "demo") {
      expect(readFileSync(join(folder, name, "README.md"), "utf8")).toContain(`npm run example ${name}`);
    }
  }
});

test("an example that starts a program beside it finds the program", () => {
  const { program, cwd } = startOf("clock");
  expect(execFileSync(process.execPath, program, { cwd, encoding: "utf8" })).toContain("Asia/Tokyo");
});
