import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { nodeLauncher, type LaunchedProcess, type ProcessLauncher } from "@tenon/transports-stdio";
import { build } from "esbuild";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A program of `fixtures/` that plain Node can run as it is. */
export const fixture = (name: "server" | "ledger" | "wrapper"): string => here(`fixtures/${name}.mjs`);

/** Compiles a program of `fixtures/` so that plain Node can run it; returns its path. */
export async function compiled(name: "dying-host" | "busy-host"): Promise<string> {
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
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outfile,
  });
  return outfile;
}

/**
 * True while a process exists and is no zombie: in a container without an init process orphans stay
 * as zombies.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** Starts real processes, and remembers them. */
export function rememberingLauncher(): ProcessLauncher & { readonly children: LaunchedProcess[] } {
  const children: LaunchedProcess[] = [];
  return {
    children,
    async launch(request) {
      const child = await nodeLauncher.launch(request);
      children.push(child);
      return child;
    },
  };
}
