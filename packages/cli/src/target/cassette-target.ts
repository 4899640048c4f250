import { readFile } from "node:fs/promises";

import { parseCassette } from "@tenon/testing/cassette";

import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import type { Target } from "./target.ts";

/** Reads a recording. @throws `CliError` for a file that is not a recording. */
export async function readCassette(
  path: string,
  label: string,
): Promise<Extract<Target, { kind: "cassette" }>> {
  try {
    return { kind: "cassette", label, cassette: parseCassette(await readFile(path, "utf8")) };
  } catch (cause) {
    throw new CliError("usage", `${label}: ${messageOf(cause)}`, {
      hint: `tenon record <target> --out ${label}`,
      cause,
    });
  }
}
