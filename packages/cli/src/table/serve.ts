import type { CommandSpec } from "../command/spec.ts";
import { httpOptions, socketOption } from "./http-options.ts";
import { target } from "./operands.ts";

/** Commands that serve. */
export const serve: readonly CommandSpec[] = [
  {
    name: "serve",
    summary: "serve a target over another transport, or many targets as one",
    operands: [target, { name: "more", isRest: true }],
    options: [
      ...httpOptions,
      socketOption,
      {
        flags: "--allow <pattern>",
        description: "offer only tools that match, such as read_*",
        isRepeatable: true,
      },
      { flags: "--read-only", description: "offer only tools that are annotated as read-only" },
      {
        flags: "--shared",
        description: "one connection for all clients; calls wait",
      },
      {
        flags: "--hold <duration>",
        description: "how long a call waits for input (default: 10m)",
      },
    ],
    connects: true,
    examples: ["tenon serve --http --port 8080 -- node server.js"],
    load: () => import("../commands/serve.ts"),
  },
  {
    name: "inspect",
    summary: "show a target, or a recording, in a page on this machine",
    operands: [{ name: "target" }],
    options: [
      { flags: "--port <port>", description: "the port (default: a free one)" },
      { flags: "--no-open", description: "print the link only" },
      {
        flags: "--model <name>",
        description: "a vendor (anthropic, openai, gemini) and its model, to chat with in the page",
      },
      { flags: "--model-url <url>", description: "the base URL of an API like the vendor's" },
    ],
    connects: true,
    examples: [
      "tenon inspect -- node server.js",
      "tenon inspect recording.jsonl",
      "tenon inspect --model openai:gpt-5 -- node server.js",
    ],
    load: () => import("../commands/inspect.ts"),
  },
  {
    name: "dev",
    summary: "run a server, and restart it when its files change; clients stay connected",
    operands: [{ name: "file" }],
    options: [
      ...httpOptions,
      socketOption,
      {
        flags: "--watch <folder>",
        description: "watch all sources of a folder (default: the modules that are imported)",
      },
      { flags: "--inspect", description: "also show the messages in the inspector page" },
      { flags: "--page-port <n>", description: "the port of the page (default: a free one)" },
    ],
    examples: ["tenon dev server.ts --http --inspect"],
    load: () => import("../commands/dev.ts"),
  },
];
