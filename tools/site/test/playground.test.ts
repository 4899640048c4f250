import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { codeOf, fragmentOf } from "../src/browser/link.ts";
import { programs } from "../src/playground/programs.ts";

const steps = Array.from({ length: 5 }, (_, index) => `${index + 1}/5 step ${index + 1}`);

/** What each program writes, in both versions of the protocol that the page offers. */
const written: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  tool: ["Hello, you!", /^Invalid arguments for tool greet: name: /],
  structured: ["Oslo [ 21, 19 ]"],
  elicitation: ["Where should the chair go?", "Order 7 goes to 1 Main Street."],
  progress: [...steps, "Built.", "The user has changed their mind."],
  resources: [
    "notes://1 The hole that a tenon fits into.",
    "notes://2 The end of a beam.",
    /^-32\d{3} Resource not found: notes:\/\/3$/,
  ],
  prompts: ["Plan a frame of 4 beams of oak.", /^Invalid arguments for prompt plan: beams: /],
  subscription: ["counter://value 1", "counter://value 2", "counter://value 3"],
  task: ["The report is ready."],
  compose: ["[ 'mcp__clock__now', 'mcp__files__read' ]", "noon"],
  "json-rpc": ["3", "1 Closed on Sundays.", "-32601 Method not found: nothing"],
};

test("each program of the playground writes in Node what it writes in the page, in both versions", async () => {
  const folder = mkdtempSync(join(import.meta.dirname, "../programs-"));
  try {
    const all = programs().flatMap(({ id, code }) =>
      [modernRevision, legacyRevision].map((revision) => [
        `${id}-${revision}.mjs`,
        id,
        code.replaceAll(`"${modernRevision}"`, `"${revision}"`),
      ]),
    );
    all.forEach(([file = "", , code = ""]) => writeFileSync(join(folder, file), code));
    const runner = all.map(([file = ""]) => `console.log("== ${file}"); await import("./${file}");`);
    writeFileSync(join(folder, "all.mjs"), runner.join("\n"));
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "all.mjs")]);
    const parts = stdout.split(/^== (.+)\n/m).slice(1);
    expect(parts).toHaveLength(2 * all.length);
    for (const [file = "", id = ""] of all) {
      const lines = parts[parts.indexOf(file) + 1]?.trimEnd().split("\n") ?? [];
      const expected = (written[id] ?? []).map((line) =>
        typeof line === "string" ? line : (expect.stringMatching(line) as string),
      );
      expect([file, ...lines]).toEqual([file, ...expected]);
    }
    expect(programs().map(({ id }) => id)).toEqual(Object.keys(written));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a link has the whole program, whatever its characters, and a cut or foreign one is refused", async () => {
  const code = 'console.log("ä € 𝄞 </script>");\n';
  const fragment = await fragmentOf(code);
  expect(await codeOf(fragment)).toBe(code);
  expect(await codeOf("#program=tool")).toBeUndefined();
  await expect(codeOf(fragment.slice(0, -4))).rejects.toThrow("does not contain a whole program");
  await expect(codeOf("#code=AAAA")).rejects.toThrow("does not contain a whole program");
  await expect(fragmentOf("x".repeat(20_001))).rejects.toThrow("at most 20000 characters");
});
