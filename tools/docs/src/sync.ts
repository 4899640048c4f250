import { readFileSync, writeFileSync } from "node:fs";

import { pages, synchronised } from "./markdown.ts";

for (const page of pages()) {
  const before = readFileSync(page, "utf8");
  const after = synchronised(page, before);
  if (after !== before) {
    writeFileSync(page, after);
  }
}
