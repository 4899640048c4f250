import { Server } from "@tenon/mcp";

import { addContentTools } from "./content-tools.ts";
import { addInputTools } from "./input-tools.ts";
import { addInteractiveTools } from "./interactive-tools.ts";
import { addPrompts } from "./prompts.ts";
import { addResources } from "./resources.ts";
import { addSkills } from "./skills.ts";
import { addStreamTools } from "./stream-tools.ts";
import { addTaskTools } from "./task-tools.ts";

/** A server with everything that the scenarios use. */
export function createEverythingServer(): Server {
  const server = new Server(
    { name: "tenon-everything", version: "1.0.0" },
    {
      logging: true,
      capabilities: { resources: { subscribe: true, listChanged: true } },
      onError: (error) => console.error(error),
    },
  );
  addContentTools(server);
  addStreamTools(server);
  addInteractiveTools(server);
  addInputTools(server);
  addSkills(server);
  addTaskTools(server);
  addPrompts(server);
  addResources(server);
  return server;
}
