import type { CommandGroup } from "./command/help.ts";
import type { CommandSpec, OperandSpec, OptionSpec } from "./command/spec.ts";

const target: OperandSpec = { name: "target" };

const listOptions: readonly OptionSpec[] = [
  { flags: "--all", description: "whole descriptions instead of first lines" },
  { flags: "--schema", description: "the JSON Schemas of tools" },
  { flags: "--search <words>", description: "only items that contain all of these words" },
];

/** A command that lists definitions. */
function listing(name: string, summary: string): CommandSpec {
  return {
    name,
    summary,
    operands: [target],
    options: listOptions,
    connects: true,
    load: async () => {
      const { runList } = await import("./commands/list.ts");
      return { run: (invocation) => runList(invocation, name) };
    },
  };
}

const look: readonly CommandSpec[] = [
  listing("list", "list what a server offers: tools, resources, templates and prompts"),
  listing("tools", "list the tools of a server as signatures"),
  listing("resources", "list the resources of a server"),
  listing("templates", "list the resource templates of a server"),
  listing("prompts", "list the prompts of a server"),
  {
    name: "ping",
    summary: "ask a server whether it responds, and measure the time",
    operands: [target],
    options: [{ flags: "--count <n>", description: "how many times (default: 1)" }],
    connects: true,
    load: () => import("./commands/ping.ts"),
  },
  {
    name: "watch",
    summary: "print the changes that a server announces, until it is interrupted",
    operands: [target, { name: "uri", isRest: true }],
    options: [{ flags: "--count <n>", description: "end after so many changes" }],
    connects: true,
    streams: true,
    examples: ["tenon watch https://example.com/mcp notes://1 --jsonl"],
    load: () => import("./commands/watch.ts"),
  },
];

const act: readonly CommandSpec[] = [
  {
    name: "call",
    summary: "call a tool",
    operands: [target, { name: "tool" }, { name: "arguments", isRest: true }],
    options: [
      { flags: "--raw", description: "write text and bytes unchanged, without labels, to a pipe or a file" },
      { flags: "--fresh", description: "do not list the tools first" },
    ],
    connects: true,
    examples: [
      "tenon call files read_file path=notes.txt",
      "tenon call files search pattern=TODO limit:=5 'exclude:=[\"dist\"]'",
      'echo \'{"path": "notes.txt"}\' | tenon call files read_file - --json',
      "tenon call echo message=hi -- npx -y @modelcontextprotocol/server-everything",
    ],
    load: () => import("./commands/call.ts"),
  },
  {
    name: "read",
    summary: "read a resource",
    operands: [target, { name: "uri" }],
    options: [{ flags: "--raw", description: "write text and bytes unchanged, to a pipe or a file" }],
    connects: true,
    examples: ["tenon read docs file:///readme.md"],
    load: () => import("./commands/read.ts"),
  },
  {
    name: "prompt",
    summary: "have a prompt filled in",
    operands: [target, { name: "prompt" }, { name: "arguments", isRest: true }],
    connects: true,
    examples: ["tenon prompt reviewer review language=rust"],
    load: () => import("./commands/prompt.ts"),
  },
  {
    name: "complete",
    summary: "ask for values of an argument of a prompt, or of a variable of a template",
    operands: [target, { name: "reference" }, { name: "argument" }, { name: "others", isRest: true }],
    connects: true,
    examples: ["tenon complete reviewer review language=ru", "tenon complete docs 'docs://{page}' page=in"],
    load: () => import("./commands/complete.ts"),
  },
];

const httpOptions: readonly OptionSpec[] = [
  { flags: "--http", description: "serve over HTTP instead of standard input and output" },
  { flags: "--port <n>", description: "the port (default: a free one)" },
  { flags: "--host <address>", description: "the address to listen at (default: 127.0.0.1)" },
  { flags: "--allowed-host <name>", description: "a name that clients use", isRepeatable: true },
  { flags: "--allowed-origin <origin>", description: "pages that may connect", isRepeatable: true },
];

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

const failOption: OptionSpec = {
  flags: "--fail-on <effect>",
  description: "the least severe change that fails (default: cosmetic)",
  choices: ["breaking", "additive", "cosmetic"],
};

const serving: readonly CommandSpec[] = [
  {
    name: "serve",
    summary: "serve a target over another transport, or many targets as one",
    operands: [target, { name: "more", isRest: true }],
    options: [
      ...httpOptions,
      {
        flags: "--allow <pattern>",
        description: "offer only tools that match, such as read_*",
        isRepeatable: true,
      },
      { flags: "--read-only", description: "offer only tools that are annotated as read-only" },
    ],
    connects: true,
    examples: ["tenon serve --http --port 8080 -- node server.js", "tenon serve https://example.com/mcp"],
    load: () => import("./commands/serve.ts"),
  },
];

const recording: readonly CommandSpec[] = [
  {
    name: "tap",
    summary: "sit between a host and a server, and record every message",
    operands: [target],
    options: [
      { flags: "--out <file>", description: "the recording (default: tenon-tap.jsonl)" },
      redactOption,
    ],
    connects: true,
    examples: ["tenon tap --out tap.jsonl -- node server.js"],
    load: () => import("./commands/tap.ts"),
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
    load: () => import("./commands/record.ts"),
  },
  {
    name: "replay",
    summary: "send the recorded requests to a server again, and compare the responses",
    operands: [{ name: "recording" }, target],
    options: [{ flags: "--all", description: "also call tools that are not annotated as read-only" }],
    connects: true,
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "mock",
    summary: "serve a recording as if it were the server",
    operands: [target],
    options: [...httpOptions, matchOption],
    connects: true,
    load: () => import("./commands/mock.ts"),
  },
];

const checking: readonly CommandSpec[] = [
  {
    name: "doctor",
    summary: "check a server and name a fix for each finding; calls no tool",
    operands: [{ ...target, isOptional: true }],
    options: [
      { flags: "--all", description: "check every configured server" },
      { flags: "--fix", description: "correct the configuration where this is safe" },
    ],
    connects: true,
    examples: [
      "tenon doctor -- node server.js",
      "tenon doctor https://example.com/mcp",
      "tenon doctor --all",
    ],
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "diff",
    summary: "compare the definitions of two targets or lock files",
    operands: [{ name: "other" }, target],
    options: [failOption],
    connects: true,
    examples: ["tenon diff tenon.lock.json -- node server.js"],
    load: () => import("./commands/diff.ts"),
  },
  {
    name: "lock",
    summary: "write the definitions of a server to a lock file, or compare them with it",
    operands: [target],
    options: [
      { flags: "--check", description: "compare; exit code 7 if they differ" },
      { flags: "--file <file>", description: "the lock file (default: tenon.lock.json)" },
      failOption,
    ],
    connects: true,
    load: () => import("./commands/lock.ts"),
  },
];

/** All commands, in the order of the help text. */
export const groups: readonly CommandGroup[] = [
  { title: "Look", commands: look },
  { title: "Act", commands: act },
  { title: "Serve", commands: serving },
  { title: "Record", commands: recording },
  { title: "Check", commands: checking },
  {
    title: "More",
    commands: [
      {
        name: "version",
        summary: "print the versions of this program, of Node and of the protocol",
        load: () => import("./commands/version.ts"),
      },
    ],
  },
];
