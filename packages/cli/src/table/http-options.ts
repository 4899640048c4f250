import type { OptionSpec } from "../command/spec.ts";

/** The option of commands that can serve on a socket. */
export const socketOption: OptionSpec = {
  flags: "--socket <path>",
  description: "serve over HTTP on a Unix socket, or on a named pipe of Windows",
};

/** Options of commands that can serve over HTTP. */
export const httpOptions: readonly OptionSpec[] = [
  { flags: "--stdio", description: "serve over standard input and output: the default" },
  { flags: "--http", description: "serve over HTTP instead of standard input and output" },
  { flags: "--port <n>", description: "the port (default: a free one)" },
  { flags: "--host <address>", description: "the address to listen at (default: 127.0.0.1)" },
  { flags: "--allowed-host <name>", description: "a name that clients use", isRepeatable: true },
  { flags: "--allowed-origin <origin>", description: "pages that may connect", isRepeatable: true },
];
