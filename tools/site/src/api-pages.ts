import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { filesIn } from "./files.ts";
import type { Entry, Group } from "./navigation.ts";
import { content } from "./place.ts";

/** The groups of the pages of the API that have been written, one for each package. */
export function apiGroups(): Group[] {
  const folder = join(content, "api");
  const groups = new Map<string, Entry[]>();
  for (const path of existsSync(folder) ? filesIn(folder) : []) {
    const text = /^# (.+)$/m.exec(readFileSync(join(folder, path), "utf8"))?.[1] ?? "";
    const name = text.split("/").slice(0, 2).join("/");
    if (path !== "index.md") {
      groups.set(name, [...(groups.get(name) ?? []), { text, link: `/api/${path.replace(/\.md$/, "")}` }]);
    }
  }
  return [...groups].map(([text, items]) => ({ text, items }));
}
