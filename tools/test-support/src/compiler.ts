import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The program that `typescript/bin/tsc` starts: a process of Node less for each compilation. */
function findCompiler(): string {
  const typescript = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  const name = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  const program = process.platform === "win32" ? "tsc.exe" : "tsc";
  return join(dirname(createRequire(typescript).resolve(name)), "lib", program);
}

/**
 * Runs the TypeScript of the workspace.
 *
 * @param args - The arguments of `tsc`.
 * @returns What it prints, whether there are errors in the program or not.
 */
export function runCompiler(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(findCompiler(), args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      // The exit code is 1 or 2 when there are type errors; they are the result here.
      if (error !== null && typeof error.code !== "number") {
        reject(error);
      } else {
        resolve(stdout + stderr);
      }
    });
  });
}
