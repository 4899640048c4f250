// Serves the skills of a folder over stdio: `node server.js <folder>`.
import { watch } from "node:fs";
import { join } from "node:path";

import { Server } from "@tenon/sdk/server";
import { loadSkills } from "@tenon/sdk/skills/node";
import { createSkillCatalog, skills } from "@tenon/sdk/skills/server";
import { StdioTransport } from "@tenon/sdk/stdio";

const folder = process.argv[2] ?? join(import.meta.dirname, "../skills");

const catalog = await createSkillCatalog(await loadSkills(folder));
const server = new Server({ name: "handbook", version: "1.0.0" });
server.use(skills(catalog));

// All skills are replaced at once. If one of them is not valid, clients keep the previous ones.
let timer: NodeJS.Timeout | undefined;
const watcher = watch(folder, { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    loadSkills(folder)
      .then((loaded) => catalog.replace(loaded))
      .catch(console.error);
  }, 50);
});

await server.run(new StdioTransport());
clearTimeout(timer);
watcher.close();
