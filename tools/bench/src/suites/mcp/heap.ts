import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { programOf } from "./stdio.ts";

const run = promisify(execFile);

/** The heap bytes that an idle server session holds, measured in a process of its own. */
export async function heapPerSession(): Promise<number> {
  const { stdout } = await run(process.execPath, ["--expose-gc", programOf("idle-sessions")]);
  return Number(stdout);
}
