import { isAbsolute, relative } from "node:path";

import { isRecord } from "@tenon/base";

import { ShipError } from "../error.ts";
import { programOf, type PackageFacts } from "../package/read.ts";

/** The program of an image. */
export interface Start {
  /** The options of Node. */
  readonly options: readonly string[];
  /** The path of the program below the folder of the package. */
  readonly entry: string;
  /** Its arguments, which a user of the image can replace. */
  readonly args: readonly string[];
}

/**
 * The program of an image: a file that is named, the program that the package installs, or else the
 * script `start` if it only runs Node, as servers over HTTP have it.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if there is none, or its path leads out.
 */
export function startOf(facts: PackageFacts, named: string | undefined): Start {
  const { bin, folder, json } = facts;
  const script = named === undefined && Object.keys(bin).length === 0 ? scriptOf(json) : undefined;
  const { entry, ...rest } = script ?? { options: [], entry: named ?? programOf(facts), args: [] };
  const path = (isAbsolute(entry) ? relative(folder, entry) : entry)
    .replaceAll("\\", "/")
    .replace(/^\.\//, "");
  if (path === "" || path.startsWith("/") || path.split("/").includes("..") || /["\n\r]/.test(path)) {
    throw new ShipError(
      "INVALID_PACKAGE",
      `${JSON.stringify(entry)} must be a path below the folder of the package.`,
    );
  }
  return { ...rest, entry: path };
}

/** Words that no shell changes: an option with its value, a file, arguments. */
const nodeScript = /^node((?: --[\w-]+(?:=[\w.:/@-]+)?)*) ([\w./-]+\.[cm]?[jt]s)((?: [\w.:/@=-]+)*)$/;

function scriptOf({ scripts }: PackageFacts["json"]): Start | undefined {
  const start = isRecord(scripts) ? scripts["start"] : undefined;
  const [, options = "", entry, args = ""] =
    typeof start === "string" && start.length <= 1000 ? (nodeScript.exec(start.trim()) ?? []) : [];
  const words = (text: string): readonly string[] => text.split(" ").filter((word) => word !== "");
  return entry === undefined ? undefined : { options: words(options), entry, args: words(args) };
}
