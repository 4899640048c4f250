import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import type { Metrics, Subject } from "../../runner.ts";
import { cli } from "./program.ts";

/** The candidate that everything else is compared with. */
export const bareNode = "bare Node";

/** The work of {@link starts}: from the start of the process to its end. */
export const startWork = "start to end";

/** Starts a process and waits for its end. */
async function run(args: readonly string[], expected: string): Promise<Metrics> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const output = await text(child.stdout);
  const [code] = (await ended) as [number | null];
  const ns = (performance.now() - started) * 1e6;
  if (code !== 0 || !output.includes(expected)) {
    throw new Error(`Expected ${JSON.stringify(expected)}, got exit code ${code} and ${output}`);
  }
  return { ns };
}

/** How long commands take that connect to nothing. */
export const starts: readonly Subject[] = [
  { candidate: bareNode, work: startWork, sample: () => run(["-e", "0"], "") },
  { candidate: "tenon --help", work: startWork, sample: () => run([cli, "--help"], "Exit codes") },
  { candidate: "tenon --version", work: startWork, sample: () => run([cli, "--version"], ".") },
  { candidate: "tenon help call", work: startWork, sample: () => run([cli, "help", "call"], "--raw") },
];
