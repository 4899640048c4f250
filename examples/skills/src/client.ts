// Starts the server, and uses one of its skills as a host would.
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

import { Manager } from "@tenon/sdk/host";
import { nodeTransports } from "@tenon/sdk/host/node";
import { skillClient } from "@tenon/sdk/skills/client";

import { useSkill } from "./use-skill.ts";

const args = [join(import.meta.dirname, "server.js")];
await using manager = new Manager({
  servers: { handbook: { type: "stdio", command: process.execPath, args } },
  transports: nodeTransports(),
});
manager.use(skillClient());
await manager.connectAll();

const terminal = createInterface(process.stdin, process.stdout);
// Without a terminal the input ends.
const ended = new Promise<string>((resolve) => {
  terminal.once("close", () => resolve("n"));
});
try {
  await useSkill(manager, {
    show: console.log,
    async approve({ server, skill, fingerprint }) {
      const question = `Use ${skill.uri} of ${server} (${fingerprint ?? "dynamic"})? [y/n] `;
      return (await Promise.race([terminal.question(question), ended])) === "y";
    },
  });
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}
terminal.close();
