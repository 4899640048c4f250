import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { examples, startOf } from "../examples.mjs";

const all = join(import.meta.dirname, "../../../examples");

test("every example has a command, which its README names, and a program to start", () => {
  const names = readdirSync(all).filter((name) => existsSync(join(all, name, "package.json")));
  expect(Object.keys(examples).toSorted()).toEqual(names.toSorted());
  for (const [name, { file, shows }] of Object.entries(examples)) {
    expect(existsSync(join(all, name, "src", file.replace(/\.js$/, ".ts"))), name).toBe(true);
    expect(shows).toMatch(/^[A-Z].{20,120}$/);
    const scripts = JSON.parse(readFileSync(join(all, name, "package.json"), "utf8")) as {
      scripts?: object;
    };
    expect(scripts.scripts, name).toHaveProperty("build");
    if (name !== "demo") {
      expect(readFileSync(join(all, name, "README.md"), "utf8")).toContain(`npm run example ${name}`);
    }
  }
});

/** What each example prints; a server over standard input and output prints its name. */
const prints: Readonly<Record<string, string>> = {
  agent: "Done. Ordered 10 of screws.",
  app: '"name":"polls"',
  "authorization-server": "token_endpoint",
  broker: "Listening at http://127.0.0.1:",
  browser: "Open http://127.0.0.1:",
  clock: "Asia/Tokyo",
  cluster: "One session was served by Alpha, Beta, Gamma.",
  "custom-transport": '"id":1,"result"',
  demo: "2026-07-28",
  "drop-in": '"name":"rooms"',
  extension: "Spent so far: 6 cents.",
  gateway: "http://127.0.0.1:",
  host: "connected to files, memory, thinking",
  "language-server": "TODO glue",
  login: "Listening at http://127.0.0.1:",
  middleware: "log: tools/call",
  next: "The route offers: book_room",
  notes: '"name":"notes"',
  openapi: '"name":"comics"',
  postgres: '"name":"inventory"',
  protected: "The client is connected with its token.",
  quickstart: "Hello, you!",
  react: "Open http://127.0.0.1:",
  skills: '"name":"handbook"',
  tasks: '"name":"reports"',
  telemetry: "shop inside tools/call order",
};
const given: Readonly<Record<string, readonly string[]>> = { login: ["http://127.0.0.1:1", "0"] };

const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  },
})}\n`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "run-"));
  vi.stubEnv("TMPDIR", folder);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, { inspect, needs }] of Object.entries(examples)) {
  const args = given[name] ?? [];
  const needed = args.length === 0 ? needs : undefined;
  const note = needed === undefined ? "" : ` (skipped without ${needed.what.replace(/:.*/, "")})`;
  test(
    `the example ${name} starts in its folder${note}`,
    { concurrent: true, skip: needed?.isThere() === false },
    async ({ expect: expectHere, onTestFinished }) => {
      const { program, cwd } = startOf(name, args);
      const child = spawn(process.execPath, program, {
        cwd,
        env: { ...process.env, PORT: "0" },
        // A group of its own, which ends with the programs that the example has started.
        detached: true,
      });
      const exited = once(child, "exit");
      // Also after a time-out.
      onTestFinished(async () => {
        try {
          process.kill(-(child.pid ?? 0), "SIGKILL");
        } catch {
          // It has ended, or the platform has no groups.
          child.kill("SIGKILL");
        }
        await exited;
      });
      let output = "";
      child.stderr.on("data", (chunk) => (output += String(chunk)));
      child.stdin.on("error", () => {}).end(inspect === true ? initialize : "");
      for await (const chunk of child.stdout) {
        output += String(chunk);
        if (output.includes(prints[name] ?? "")) {
          break;
        }
      }
      expectHere(output).toContain(prints[name]);
    },
  );
}
