import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { inTime, isRecord, reasonOf, unlessAborted } from "@tenon/base";

import { isServerPackage, type Declaration } from "../declaration.ts";
import { ShipError } from "../error.ts";
import type { PackageFacts } from "./read.ts";

/** The time for a module of a declaration. */
export interface LoadOptions {
  readonly timeoutMs: number;
  /** Ends the wait, which rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Loads the declaration that a `package.json` names: `"tenon": { "package": "./dist/package.js" }`.
 *
 * @returns An empty declaration if it names none.
 * @throws `ShipError` `INVALID_PACKAGE` if the module cannot be loaded in time or exports none.
 */
export async function declarationOf(
  { folder, json }: PackageFacts,
  { timeoutMs, signal }: LoadOptions,
): Promise<Declaration> {
  const file = fileIn(json);
  if (file === undefined) {
    return {};
  }
  if (typeof file !== "string") {
    throw new ShipError(
      "INVALID_PACKAGE",
      `tenon.package in package.json must be a path; got ${JSON.stringify(file)}.`,
    );
  }
  const path = resolve(folder, file);
  if (relative(folder, path).startsWith("..") || !existsSync(path)) {
    throw new ShipError(
      "INVALID_PACKAGE",
      `tenon.package in package.json must name a file; got ${JSON.stringify(file)}.`,
      {
        hint: "build the package first",
      },
    );
  }
  let loaded: object;
  try {
    // A module that waits at its top level may never be loaded.
    loaded = await unlessAborted(
      inTime(import(pathToFileURL(path).href) as Promise<object>, timeoutMs, {
        expired() {
          throw new Error(`it was not loaded within ${timeoutMs} ms (startTimeoutMs)`);
        },
      }),
      signal,
    );
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ShipError("INVALID_PACKAGE", `${path} cannot be loaded: ${reasonOf(cause)}`, { cause });
  }
  const found = Object.values(loaded).find(isServerPackage);
  if (found === undefined) {
    throw new ShipError("INVALID_PACKAGE", `${path} exports nothing that defineServerPackage returned.`);
  }
  return found;
}

/** Whether a package declares its variables and arguments. */
export function declaresInputs({ json }: PackageFacts): boolean {
  return fileIn(json) !== undefined;
}

function fileIn(json: PackageFacts["json"]): unknown {
  const tenon = json["tenon"];
  return isRecord(tenon) ? tenon["package"] : undefined;
}
