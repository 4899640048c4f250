import { statSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { createFlags } from "../src/command/flags.ts";
import { serveDaemon } from "../src/daemon/serve.ts";
import { isDaemonRunning } from "../src/kept/client.ts";
import { createPrinter } from "../src/output/printer.ts";
import { Interrupted, type Shell } from "../src/shell.ts";
import { json, program, self, temporaryFolder, tenon } from "./support.ts";

test("a kept connection is shared by commands, survives them, and ends with disconnect", async () => {
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
  const daemon = serveDaemon({
    shell,
    flags,
    printer: createPrinter(shell, flags),
    signal: end.signal,
    operand: () => undefined,
    required: () => "",
    rest: [],
    program: undefined,
    onEnd: () => {},
  });
  await expect.poll(() => isDaemonRunning(shell)).toBe(true);
  expect(statSync(join(cwd, "tenon/daemon.sock")).mode & 0o777).toBe(0o600);
  expect(statSync(join(cwd, "tenon")).mode & 0o777).toBe(0o700);

  const run = (...argv: string[]): ReturnType<typeof tenon> => tenon(argv, { cwd, env });
  expect((await run("list", "@loud")).code).toBe(3);
  const connected = await run("connect", "--name", "loud", ...program("loud.mjs"));
  expect(connected.stdout).toBe("@loud is connected.\ntry: tenon list @loud\n");
  for (const _ of [1, 2]) {
    expect(await json(["tools", "@loud"], { cwd, env })).toMatchObject({ tools: [{ name: "echo" }] });
  }
  expect((await run("call", "@loud", "echo")).stdout).toBe("unset\n");
  expect((await run("connections")).stdout).toContain("@loud");
  expect((await run("connect", "--name", "loud", ...program("loud.mjs"))).stderr).toContain(
    "connected already",
  );
  expect((await run("disconnect", "@loud")).code).toBe(0);
  expect((await run("list", "@loud")).code).toBe(3);
  end.abort(new Interrupted());
  await daemon;
  expect((await run("connections")).stdout).toBe("No connection is kept.\n");
});
