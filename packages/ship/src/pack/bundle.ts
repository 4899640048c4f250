import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { codeOf, reasonOf } from "@tenon/base";
import type * as Rolldown from "rolldown";

import { ShipError } from "../error.ts";
import { addCommand } from "../package/add-command.ts";

/** The module of the bundler. */
export type Bundler = typeof Rolldown;

/**
 * Puts a program with everything that it imports into one file, for Node.
 *
 * @throws `ShipError` `BUNDLE_FAILED` for a program that cannot be one file.
 */
export async function bundleProgram({ rolldown }: Bundler, folder: string, entry: string): Promise<string> {
  const warnings: string[] = [];
  try {
    const bundle = await rolldown({
      cwd: folder,
      input: entry,
      platform: "node",
      transform: { target: "node20.19" },
      onLog(_level, { code, message }) {
        if (code === "UNRESOLVED_IMPORT") {
          warnings.push(message);
        }
      },
    });
    const { output } = await bundle.generate({
      format: "esm",
      // All parts that are loaded later are in the same file.
      codeSplitting: false,
      // Comments with paths would differ from machine to machine.
      minify: { mangle: false, compress: false, codegen: { removeWhitespace: false } },
      comments: { annotation: false, jsdoc: false, legal: true },
    });
    await bundle.close();
    const [chunk, ...others] = output;
    const missing = chunk.imports.filter((name) => !isBuiltin(name));
    if (others.length > 0 || missing.length > 0) {
      const names = [...others.map(({ fileName }) => fileName), ...missing].slice(0, 5).join(", ");
      throw new ShipError("BUNDLE_FAILED", `Cannot put the program into one file. It also needs ${names}.`, {
        hint: "native modules and packages that are not installed cannot be bundled",
      });
    }
    return chunk.code;
  } catch (error) {
    if (error instanceof ShipError) {
      throw error;
    }
    throw new ShipError("BUNDLE_FAILED", `The program cannot be bundled: ${warnings[0] ?? reasonOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Loads the bundler, which has native code, so that it is not a part of any package that programs
 * install.
 *
 * @param folder - The folder of the package, whose `rolldown` is used if it has one.
 * @throws `ShipError` `NO_BUNDLER`.
 */
export async function loadBundler(folder: string): Promise<Bundler> {
  for (const from of [join(folder, "package.json"), import.meta.url]) {
    try {
      const path = createRequire(from).resolve("rolldown");
      return (await import(pathToFileURL(path).href)) as Bundler;
    } catch (error) {
      if (codeOf(error) !== "MODULE_NOT_FOUND") {
        throw error;
      }
    }
  }
  throw new ShipError("NO_BUNDLER", "Cannot bundle the program: rolldown is not installed.", {
    hint: `${addCommand(folder)} rolldown`,
  });
}
