import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../place.ts";

/** A program of the playground. */
export interface Program {
  /** The name of its file, without the number and the extension. */
  readonly id: string;
  /** Its first line, a comment. */
  readonly title: string;
  readonly code: string;
}

const folder = join(root, "tools/site/programs");

/** The programs that the playground offers, in their order. */
export function programs(): readonly Program[] {
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const [first = "", ...rest] = text.split("\n");
      return {
        id: file.replace(/^\d+-|\.mjs$/g, ""),
        title: first.replace("// ", ""),
        code: rest.join("\n"),
      };
    });
}
