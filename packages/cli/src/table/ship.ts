import type { CommandSpec } from "../command/spec.ts";
import { target } from "./operands.ts";

/** The names of all hosts, which are not loaded for the help of other commands. */
const hosts = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "windsurf",
  "codex",
  "gemini",
  "copilot",
  "zed",
  "continue",
  "amp",
  "opencode",
  "crush",
  "goose",
];

/** Commands that bring a server to its users. */
export const ship: readonly CommandSpec[] = [
  {
    name: "ship",
    summary: "bring a server to its users",
    options: [
      { flags: "--check", description: "check the package, server.json, bundle and image" },
      {
        flags: "--env <name=value>",
        description: "check with this variable",
        isRepeatable: true,
      },
      {
        flags: "--arg <name=value>",
        description: "check with this declared argument",
        isRepeatable: true,
      },
      {
        flags: "--entry <file>",
        description: "check this program, if there are several",
      },
      {
        flags: "--include <path>",
        description: "check with this file or folder, too",
        isRepeatable: true,
      },
      {
        flags: "--call <tool>",
        description: "check this tool (default: one that only reads)",
      },
      {
        flags: "--skip <part>",
        description: "do not check registry, bundle or image",
        isRepeatable: true,
      },
    ],
    examples: ["tenon ship --check"],
    load: () => import("../commands/ship-check.ts"),
    commands: [
      {
        name: "install",
        summary: "add a server to a host, such as cursor, or remove it",
        operands: [
          { name: "host", choices: hosts },
          { ...target, isOptional: true },
        ],
        options: [
          { flags: "--name <name>", description: "its name (default: the name of the package)" },
          { flags: "--from-npm", description: "start the package of this folder by npx -y" },
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
          "tenon ship install claude-code --from-npm",
          "tenon ship install cursor --name notes --env KEY -- node server.js",
          "tenon ship install cursor --name notes --remove",
        ],
        load: () => import("../commands/ship-install.ts"),
      },
      {
        name: "pack",
        summary: "pack a stdio server into a bundle (MCPB)",
        operands: [{ name: "entry", isOptional: true }],
        options: [
          { flags: "--out <file>", description: "the bundle (default: <name>-<version>.mcpb)" },
          {
            flags: "--env <name=value>",
            description: "set a variable while the server is tried; it is not packed",
            isRepeatable: true,
          },
          {
            flags: "--arg <name=value>",
            description: "set a declared argument while the server is tried",
            isRepeatable: true,
          },
          {
            flags: "--include <path>",
            description: "pack this file or folder too",
            isRepeatable: true,
          },
          {
            flags: "--call <tool>",
            description: "try this tool without arguments (default: one that only reads)",
          },
        ],
        examples: ["tenon ship pack", "tenon ship pack dist/server.js --env NOTES_KEY=test"],
        load: () => import("../commands/ship-pack.ts"),
      },
      {
        name: "publish",
        summary: "write, check and publish server.json",
        options: [
          { flags: "--write-only", description: "write and check server.json only" },
          { flags: "--dry-run", description: "check and print server.json, and write nothing" },
        ],
        examples: ["tenon ship publish --write-only"],
        load: () => import("../commands/ship-publish.ts"),
      },
      {
        name: "card",
        summary: "read and check a server card, or make one",
        operands: [target],
        options: [
          { flags: "--name <name>", description: "make the card, with this name in the registry" },
          { flags: "--description <text>", description: "its description (default: the server's)" },
        ],
        connects: true,
        examples: [
          "tenon ship card https://example.com/mcp",
          "tenon ship card https://example.com/mcp --name com.example/notes",
        ],
        load: () => import("../commands/ship-card.ts"),
      },
      {
        name: "image",
        summary: "write a Dockerfile",
        operands: [{ name: "entry", isOptional: true }],
        options: [
          { flags: "--port <n>", description: "the port of a server over HTTP" },
          { flags: "--force", description: "replace a Dockerfile that exists" },
          { flags: "--dry-run", description: "print the files instead" },
        ],
        examples: ["tenon ship image --port 3000"],
        load: () => import("../commands/ship-image.ts"),
      },
    ],
  },
];
