import type { OptionSpec } from "./spec.ts";

/** Options of every command. */
export const outputOptions: readonly OptionSpec[] = [
  { flags: "--json", description: "print exactly one JSON value, errors included" },
  { flags: "--envelope", description: "with --json: add the target, the era and the milliseconds" },
  {
    flags: "--color <when>",
    description: "always, never or auto; before NO_COLOR, FORCE_COLOR and TERM=dumb",
    choices: ["always", "auto", "never"],
  },
  { flags: "--verbose", description: "show the log of the server and the causes of errors" },
];

/** The option of commands that print values one at a time. */
export const streamOptions: readonly OptionSpec[] = [
  { flags: "--jsonl", description: "print one JSON value per line, as they come" },
];

/** Options of every command that connects to a server. */
export const connectionOptions: readonly OptionSpec[] = [
  { flags: "--config <file>", description: "find the target in this configuration file" },
  { flags: "--revision <date>", description: "speak this protocol version only" },
  {
    flags: "--header <name: value>",
    description: "send this header with every request (HTTP)",
    isRepeatable: true,
  },
  {
    flags: "--env <name=value>",
    description: "set a variable of the program; <name> alone passes it on",
    isRepeatable: true,
  },
  { flags: "--cwd <folder>", description: "start the program in this folder" },
  { flags: "--timeout <time>", description: "total time limit, such as 500ms, 30s, 5m (default: 1h)" },
  { flags: "--idle <time>", description: "time limit without progress (default: 60s)" },
  {
    flags: "--max-message-bytes <count>",
    description: "accept messages of this size (default: 32 MiB)",
  },
  {
    flags: "--elicit <file|accept|decline>",
    description: "respond to forms of the server: from a JSON file, with defaults, or decline them",
  },
  { flags: "--root <folder>", description: "declare this folder as a root", isRepeatable: true },
  {
    flags: "--proxy <url>",
    description: "reach remote servers and their logins by this proxy, whatever HTTPS_PROXY says",
  },
  { flags: "--no-proxy", description: "reach them without a proxy" },
  { flags: "--profile <name>", description: "use the login of this name (default: default)" },
];
