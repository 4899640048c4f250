import type { CommandSpec, OptionSpec } from "../command/spec.ts";
import { target } from "./operands.ts";

const forceOption: OptionSpec = { flags: "--force", description: "replace servers of the same name" };

/** Commands for connections, logins and configurations. */
export const keep: readonly CommandSpec[] = [
  {
    name: "connect",
    summary: "keep a connection open, for later commands to use as @name",
    operands: [target],
    options: [
      { flags: "--name <name>", description: "its name (default: the name of the target, or its host)" },
      { flags: "--ttl <time>", description: "how long it is kept without use (default: 30m)" },
    ],
    connects: true,
    examples: ["tenon connect --name files -- npx -y @modelcontextprotocol/server-filesystem ."],
    load: () => import("../commands/connect.ts"),
  },
  {
    name: "disconnect",
    summary: "end a kept connection",
    operands: [{ name: "name" }],
    examples: ["tenon disconnect files"],
    load: () => import("../commands/disconnect.ts"),
  },
  {
    name: "connections",
    summary: "list the kept connections",
    examples: ["tenon connections --json"],
    load: () => import("../commands/connections.ts"),
  },
  {
    name: "daemon",
    summary: "run the process that keeps connections; tenon connect starts it",
    examples: ["tenon daemon"],
    isInternal: true,
    load: () => import("../commands/daemon.ts"),
  },
  {
    name: "login",
    summary: "log in at a remote server",
    operands: [target],
    options: [
      {
        flags: "--scope <scope>",
        description: "request a further scope",
        isRepeatable: true,
      },
      { flags: "--no-browser", description: "print the address instead of opening a browser" },
    ],
    connects: true,
    examples: ["tenon login https://example.com/mcp --scope notes:write"],
    load: () => import("../commands/login.ts"),
  },
  {
    name: "logout",
    summary: "revoke and delete the tokens of a remote server",
    operands: [target],
    options: [{ flags: "--forget", description: "also delete the registration of the client" }],
    connects: true,
    examples: ["tenon logout https://example.com/mcp"],
    load: () => import("../commands/logout.ts"),
  },
  {
    name: "auth",
    summary: "list the logins, and explain the authorization of a remote server",
    commands: [
      {
        name: "status",
        summary: "list the servers with a login, its scopes and how long it is valid",
        operands: [{ ...target, isOptional: true }],
        connects: true,
        examples: ["tenon auth status", "tenon auth status https://example.com/mcp"],
        load: () => import("../commands/auth-status.ts"),
      },
      {
        name: "explain",
        summary: "follow each step of the discovery, with a verdict; no login",
        operands: [target],
        connects: true,
        examples: ["tenon auth explain https://example.com/mcp"],
        load: () => import("../commands/auth-explain.ts"),
      },
    ],
  },
  {
    name: "config",
    summary: "list the configured servers, and add further servers",
    commands: [
      {
        name: "list",
        summary: "list the servers of all configurations, without secrets",
        options: [{ flags: "--config <file>", description: "this file alone" }],
        examples: ["tenon config list --json"],
        load: () => import("../commands/config-list.ts"),
      },
      {
        name: "add",
        summary: "add a server to the configuration of tenon",
        operands: [{ name: "name" }, { name: "target" }],
        options: [forceOption],
        connects: true,
        examples: ["tenon config add files -- npx -y @modelcontextprotocol/server-filesystem ."],
        load: () => import("../commands/config-add.ts"),
      },
      {
        name: "import",
        summary: "copy the servers of another host into the configuration of tenon",
        operands: [{ name: "file" }],
        options: [forceOption],
        examples: ["tenon config import ~/.cursor/mcp.json"],
        load: () => import("../commands/config-import.ts"),
      },
    ],
  },
];
