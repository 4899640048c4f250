import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { isRecord, reasonOf } from "@tenon/base";

import { isServerPackage, type Declaration } from "../declaration.ts";
import { ShipError } from "../error.ts";
import type { PackageFacts } from "./read.ts";

/**
 * Loads the declaration that a `package.json` names: `"tenon": { "package": "./dist/package.js" }`.
 *
 * @returns An empty declaration if it names none.
 * @throws `ShipError` `INVALID_PACKAGE` if the module cannot be loaded or exports none.
 */
export async function declarationOf({ folder, json }: PackageFacts): Promise<Declaration> {
  const tenon = json["tenon"];
  const file = isRecord(tenon) ? tenon["package"] : undefined;
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
      `package.json: tenon.package must name a file; got ${JSON.stringify(file)}.`,
      {
        hint: "build the package first",
      },
    );
  }
  let loaded: object;
  try {
    loaded = (await import(pathToFileURL(path).href)) as object;
  } catch (cause) {
    throw new ShipError("INVALID_PACKAGE", `${path} cannot be loaded: ${reasonOf(cause)}`, { cause });
  }
  const found = Object.values(loaded).find(isServerPackage);
  if (found === undefined) {
    throw new ShipError("INVALID_PACKAGE", `${path} exports nothing that defineServerPackage returned.`);
  }
  return found;
}
