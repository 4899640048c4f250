import { readFileSync } from "node:fs";
import { join } from "node:path";

import { acceptReports, apiReports } from "./api/compare.ts";
import { readManifest, root } from "./packages.ts";
import { sectionOf } from "./version/changelog.ts";
import { raiseVersion } from "./version/raise.ts";

const [command] = process.argv.slice(2);

try {
  if (command === "api") {
    acceptReports(apiReports());
  } else if (command === "version") {
    const { from, version } = raiseVersion(root);
    process.stdout.write(`${from} is now ${version}: read CHANGELOG.md, run npm test, and commit.\n`);
  } else if (command === "notes") {
    const { version } = readManifest(join(root, "packages/sdk"));
    process.stdout.write(`${sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version)}\n`);
  } else {
    throw new Error(`Expected api, version or notes, got ${JSON.stringify(command ?? "nothing")}.`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
