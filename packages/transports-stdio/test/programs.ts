import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Compiles a program of `fixtures/` so that plain Node can run it as a child; returns its path. */
export async function program(name: "server" | "relay" | "greeter"): Promise<string> {
  const folder = here("../node_modules/.cache/programs");
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/${name}-${process.pid}.mjs`;
  await build({
    entryPoints: [here(`fixtures/${name}.ts`)],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tenon/source"],
    outfile,
  });
  return outfile;
}

/** A child that runs this text, with a helper that writes one message per line. */
export function script(text: string): { command: string; args: string[] } {
  const prelude = `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const lines = (onLine) => { let rest = ""; process.stdin.setEncoding("utf8").on("data", (text) => {
      const all = (rest + text).split("\\n"); rest = all.pop(); for (const line of all) onLine(JSON.parse(line)); }); };\n`;
  return { command: process.execPath, args: ["-e", prelude + text] };
}

/** True while a process exists and is no zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX] /.test(readStat(pid));
  } catch {
    return process.platform !== "linux";
  }
}

function readStat(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, "latin1");
}
