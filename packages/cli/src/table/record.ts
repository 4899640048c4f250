import type { CommandSpec, OptionSpec } from "../command/spec.ts";
import { httpOptions, socketOption } from "./http-options.ts";
import { recording, target } from "./operands.ts";

const matchOption: OptionSpec = {
  flags: "--match <how>",
  description: "recorded requests: by method and params, or by method alone",
  choices: ["strict", "method"],
};

const redactOption: OptionSpec = {
  flags: "--redact <name or /path>",
  description: "hide a property, in addition to tokens",
  isRepeatable: true,
};

const traces: CommandSpec = {
  name: "trace",
  summary: "show or export a recording",
  commands: [
    {
      name: "view",
      summary: "show the requests of a recording as a table, with percentiles",
      operands: [recording],
      options: [{ flags: "--slowest <n>", description: "only the slowest requests" }],
      examples: ["tenon trace view tap.jsonl --slowest 10"],
      load: () => import("../commands/trace-view.ts"),
    },
    {
      name: "export",
      summary: "write a recording in another format",
      operands: [recording],
      options: [
        {
          flags: "--format <format>",
          description: "json, har, otlp or html (default: json)",
          choices: ["json", "har", "otlp", "html"],
        },
        { flags: "--out <file>", description: "the file (default: standard output)" },
      ],
      examples: ["tenon trace export tap.jsonl --format html --out tap.html"],
      load: () => import("../commands/trace-export.ts"),
    },
  ],
};

/** Commands for recordings. */
export const record: readonly CommandSpec[] = [
  {
    name: "tap",
    summary: "sit between a host and a server, and record every message",
    operands: [target],
    options: [
      { flags: "--out <file>", description: "the recording (default: tenon-tap.jsonl)" },
      { flags: "--open", description: "also show the messages in the inspector page" },
      { flags: "--page-port <n>", description: "the port of the page (default: a free one)" },
      { flags: "--otlp <url>", description: "send the requests to an OTLP collector at the end" },
      redactOption,
      ...httpOptions,
    ],
    connects: true,
    examples: ["tenon tap --out tap.jsonl -- node server.js", "tenon tap https://example.com/mcp --http"],
    load: () => import("../commands/tap.ts"),
  },
  {
    name: "record",
    summary: "record all lists of a server, and the reads and calls that are given",
    operands: [target],
    options: [
      { flags: "--out <file>", description: "the recording" },
      { flags: "--call <call>", description: "a call, such as 'echo message=hi'", isRepeatable: true },
      { flags: "--read <uri>", description: "a resource to read", isRepeatable: true },
      redactOption,
    ],
    connects: true,
    examples: ["tenon record files --out files.jsonl --call 'search pattern=TODO'"],
    load: () => import("../commands/record.ts"),
  },
  {
    name: "replay",
    summary: "send the recorded requests to a server again, and compare the responses",
    operands: [recording, target],
    options: [
      { flags: "--all", description: "also call tools that are not annotated as read-only" },
      { flags: "--update", description: "write the responses of now into the recording" },
    ],
    connects: true,
    examples: ["tenon replay files.jsonl -- node server.js"],
    load: () => import("../commands/replay.ts"),
  },
  {
    name: "mock",
    summary: "serve a recording as if it were the server",
    operands: [target],
    options: [...httpOptions, socketOption, matchOption],
    connects: true,
    examples: ["tenon mock files.jsonl --http --port 8080"],
    load: () => import("../commands/mock.ts"),
  },
  traces,
];
