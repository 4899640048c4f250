import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { inTemporaryFolder } from "./temporary.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");

/** What the compiler said about a program. */
export interface Compilation {
  /** One entry per error, with the lines that explain it. */
  readonly errors: readonly string[];
  /** The compiler's own counter of type instantiations. */
  readonly instantiations: number;
}

/**
 * Runs the workspace's TypeScript on one module; `FIXTURES` in it stands for `test/fixtures`,
 * `SOURCE` for `src`.
 */
export function compileTypeScript(source: string, options: object = {}): Promise<Compilation> {
  return inTemporaryFolder(async (folder) => {
    const output = await runTypeScript(folder, source, { noEmit: true, ...options });
    return {
      errors: output.match(/^.*error TS.*(?:\n .*)*/gm) ?? [],
      instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]),
    };
  });
}

/** Compiles `source` as `program.ts` in the folder and returns what the compiler prints. */
export async function runTypeScript(folder: string, source: string, options: object): Promise<string> {
  const from = (path: string): string => relative(folder, join(root, "packages/jsonschema", path));
  const text = source.replaceAll("FIXTURES", from("test/fixtures")).replaceAll("SOURCE", from("src"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "program.ts"), text);
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    isolatedDeclarations: false,
    allowImportingTsExtensions: true,
    lib: ["ES2023", "ESNext.Disposable", "ESNext.Decorators", "DOM"],
    types: [],
    skipLibCheck: true,
    ...options,
  };
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, files: ["program.ts"] }),
  );
  return run([tsc, "-p", folder, "--extendedDiagnostics", "--pretty", "false", "--singleThreaded"]);
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      // The compiler's exit code is 1 or 2 when there are type errors; they are the result here.
      if (error !== null && typeof error.code !== "number") {
        reject(error);
      } else {
        resolve(stdout + stderr);
      }
    });
  });
}
