import { join } from "node:path";

import { createFlags } from "../src/command/flags.ts";
import type { Invocation } from "../src/command/invocation.ts";
import { createPrinter } from "../src/output/printer.ts";
import { self, temporaryFolder } from "./support.ts";

/** An invocation without flags of a user with an empty folder. It writes nothing. */
export function invocationUntil(signal: AbortSignal): Invocation {
  const flags = createFlags({});
  const cwd = temporaryFolder();
  const shell = {
    stdin: process.stdin,
    stdout: { write: () => true },
    stderr: { write: () => true },
    env: { XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd, XDG_RUNTIME_DIR: join(cwd, "run") },
    cwd,
    home: cwd,
    platform: "linux" as const,
    version: "1.2.3",
    self,
    signal,
  };
  return {
    shell,
    flags,
    printer: createPrinter(shell, flags),
    signal,
    operand: () => undefined,
    required: () => "",
    rest: [],
    program: undefined,
    onEnd: () => {},
  };
}
