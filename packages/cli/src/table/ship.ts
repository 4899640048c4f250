import type { CommandSpec } from "../command/spec.ts";
import { target } from "./operands.ts";

/** Commands that bring a server to its users. */
export const ship: readonly CommandSpec[] = [
  {
    name: "ship",
    summary: "bring a server to its users",
    commands: [
      {
        name: "install",
        summary: "add a server to the configuration of a host, such as cursor",
        operands: [{ name: "host" }, { ...target, isOptional: true }],
        options: [
          { flags: "--name <name>", description: "its name (default: the name of the package)" },
          { flags: "--remove", description: "remove the server of this name" },
          { flags: "--project", description: "edit the file of this project, not the user's" },
          { flags: "--file <file>", description: "edit this file in the format of the host" },
          {
            flags: "--env <name=value>",
            description: "set a variable; <name> alone refers to the host's",
            isRepeatable: true,
          },
          {
            flags: "--header <name: value>",
            description: "send this header with every request",
            isRepeatable: true,
          },
          { flags: "--yes", description: "write without a prompt" },
          { flags: "--dry-run", description: "show the change only" },
        ],
        examples: [
          "tenon ship install claude-code",
          "tenon ship install cursor --name notes --env KEY -- node server.js",
          "tenon ship install cursor --name notes --remove",
        ],
        load: () => import("../commands/ship-install.ts"),
      },
    ],
  },
];
