import { mkdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/**
 * Compiles a program of a test, so that plain Node can run it as a child. Returns its path.
 *
 * @param source - Its file, beside the tests of a package: `new URL("fixtures/x.ts",
 *   import.meta.url)`.
 * @param external - Packages that stay where they are, such as native ones.
 */
export async function compiledProgram(source: URL, external: readonly string[] = []): Promise<string> {
  const folder = fileURLToPath(new URL("../../node_modules/.cache/programs", source));
  mkdirSync(folder, { recursive: true });
  const file = fileURLToPath(source);
  const outfile = `${folder}/${basename(file, ".ts")}-${process.pid}.mjs`;
  await build({
    entryPoints: [file],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tenon/source"],
    // Dependencies in CommonJS call it.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    external: [...external],
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
