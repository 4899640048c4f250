import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { bothEras } from "@tenon/test-support";
import { expect, test } from "vitest";

import { createFlags } from "../src/command/flags.ts";
import { serveDaemon } from "../src/daemon/serve.ts";
import { isDaemonRunning } from "../src/kept/client.ts";
import { createPrinter } from "../src/output/printer.ts";
import { Interrupted, type Shell } from "../src/shell.ts";
import { program, self, temporaryFolder, tenon } from "./support.ts";

test.each(bothEras)(
  "a tool behind a kept connection asks the command that called it, and does what it does once (server of %s)",
  async (back) => {
    const cwd = temporaryFolder();
    const env = { XDG_RUNTIME_DIR: cwd };
    const end = new AbortController();
    const shell = {
      stdin: process.stdin,
      stdout: { write: () => true },
      stderr: { write: () => true },
      env: { ...env, VITEST: "true" },
      cwd,
      home: cwd,
      platform: "linux",
      version: "1.2.3",
      self,
      signal: end.signal,
    } satisfies Shell;
    const flags = createFlags({});
    const printer = createPrinter(shell, flags);
    const daemon = serveDaemon({
      shell,
      flags,
      printer,
      signal: end.signal,
      operand: () => undefined,
      required: () => "",
      rest: [],
      program: undefined,
      onEnd: () => {},
    });
    await expect.poll(() => isDaemonRunning(shell)).toBe(true);
    const run = async (...argv: string[]): Promise<string> => {
      const { code, stdout, stderr } = await tenon(argv, { cwd, env });
      return code === 0 ? stdout.trim() : `${code}: ${stderr}`;
    };
    const file = join(cwd, "effects");
    writeFileSync(file, "");
    const linesOf = (line: string): number =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((each) => each === line).length;
    expect(await run("connect", "--name", "x", ...program("matrix-program.mjs", back, file))).toContain("@x");

    const calls = ["a", "b"].map((tag) =>
      run("call", "@x", "step", `tag=${tag}`, "--elicit", tag === "a" ? "accept" : "decline"),
    );
    expect(await Promise.all(calls)).toEqual(["accept undefined", "decline"]);
    expect([linesOf("charge a"), linesOf("charge b")]).toEqual([1, 1]);
    expect(linesOf("run step a")).toBe(back === bothEras[0] ? 1 : 2);
    end.abort(new Interrupted());
    await daemon;
  },
);
