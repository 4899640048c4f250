import type { CommandSpec, OptionSpec } from "../command/spec.ts";
import { target } from "./operands.ts";

const failOption: OptionSpec = {
  flags: "--fail-on <effect>",
  description: "the least severe change that fails: breaking, additive or cosmetic (default)",
  choices: ["breaking", "additive", "cosmetic"],
};

/** Commands that check and measure. */
export const check: readonly CommandSpec[] = [
  {
    name: "doctor",
    summary: "check a server and name a fix for each finding; calls no tool",
    operands: [{ ...target, isOptional: true }],
    options: [
      { flags: "--all", description: "check every configured server" },
      { flags: "--fix", description: "correct the configuration where this is safe" },
      {
        flags: "--official <folder>",
        description: "run the program of a folder on the official SDK and on Tenon, and compare",
      },
    ],
    connects: true,
    examples: [
      "tenon doctor -- node server.js",
      "tenon doctor https://example.com/mcp",
      "tenon doctor --all",
    ],
    load: () => import("../commands/doctor.ts"),
  },
  {
    name: "diff",
    summary: "compare the definitions of two targets or lock files, of which the first is the older",
    operands: [{ name: "old" }, target],
    options: [failOption],
    connects: true,
    examples: ["tenon diff tenon.lock.json -- node server.js"],
    load: () => import("../commands/diff.ts"),
  },
  {
    name: "lock",
    summary: "write the definitions of a server to a lock file, or compare them with it",
    operands: [target],
    options: [
      { flags: "--check", description: "compare; exit code 7 if they differ" },
      { flags: "--out <file>", description: "the lock file (default: tenon.lock.json)" },
      { flags: "--file <file>", description: "the same as --out" },
      failOption,
    ],
    connects: true,
    examples: ["tenon lock -- node server.js", "tenon lock --check --fail-on breaking -- node server.js"],
    load: () => import("../commands/lock.ts"),
  },
  {
    name: "typegen",
    summary: "write the types of a server's tools, and functions that call them",
    operands: [target],
    options: [
      { flags: "--out <file>", description: "the file (default: standard output)" },
      { flags: "--check", description: "compare with the file; exit code 7 if they differ" },
      {
        flags: "--format <format>",
        description: "types and functions, or types alone (default: ts; dts for a file .d.ts)",
        choices: ["ts", "dts"],
      },
      { flags: "--from <package>", description: "the package of the SDK (default: @tenon/sdk)" },
      failOption,
    ],
    connects: true,
    examples: [
      "tenon typegen --out src/notes.gen.ts -- node server.js",
      "tenon typegen tenon.lock.json --out src/notes.gen.ts --check",
    ],
    load: () => import("../commands/typegen.ts"),
  },
  {
    name: "generate",
    summary: "write programs from the definitions of a server",
    commands: [
      {
        name: "cli",
        summary: "write a command line with a command for each tool of a server",
        operands: [target],
        options: [
          { flags: "--out <file>", description: "the file, such as notes.mjs (default: standard output)" },
          { flags: "--check", description: "compare with the file; exit code 7 if they differ" },
          { flags: "--from <package>", description: "the package of the SDK (default: @tenon/sdk)" },
          failOption,
        ],
        connects: true,
        examples: ["tenon generate cli --out notes.mjs -- node server.js"],
        load: () => import("../commands/generate-cli.ts"),
      },
    ],
  },
  {
    name: "conformance",
    summary: "run the official suite against a remote server, if it is installed",
    operands: [target],
    options: [{ flags: "--scenario <name>", description: "one scenario of the suite" }],
    connects: true,
    examples: ["tenon conformance http://localhost:3000/mcp --scenario tools-list"],
    load: () => import("../commands/conformance.ts"),
  },
  {
    name: "fuzz",
    summary: "call read-only tools with arguments generated from their schemas",
    operands: [target],
    options: [
      { flags: "--tool <name>", description: "call this tool, whatever its effects", isRepeatable: true },
      { flags: "--runs <n>", description: "calls of each tool (default: 20)" },
      { flags: "--seed <n>", description: "repeat a run (default: 1)" },
    ],
    connects: true,
    examples: ["tenon fuzz --tool search --runs 100 -- node server.js"],
    load: () => import("../commands/fuzz.ts"),
  },
  {
    name: "eval",
    summary: "judge which tools of a server models call for prompts",
    operands: [{ name: "cases" }, target],
    options: [
      {
        flags: "--model <name>",
        description:
          "a vendor (anthropic, openai, gemini) and its model; by default the recording is repeated",
        isRepeatable: true,
      },
      { flags: "--model-url <url>", description: "the base URL of an API like the vendor's" },
      { flags: "--repeat <n>", description: "runs of each case (default: 1)" },
      { flags: "--recording <file>", description: "the recording (default: next to the cases)" },
      { flags: "--update", description: "write the responses of the models again" },
      { flags: "--all", description: "call tools with effects too" },
      { flags: "--min <percent>", description: "runs that must pass (default: 100)" },
      { flags: "--html <file>", description: "write the report as a page" },
    ],
    connects: true,
    examples: [
      "tenon eval cases.json --model openai:gpt-5 --repeat 3 -- node server.js",
      "tenon eval cases.json --html report.html -- node server.js",
    ],
    load: () => import("../commands/eval.ts"),
  },
  {
    name: "bench",
    summary: "measure pings, or calls of a tool",
    operands: [target, { name: "arguments", isRest: true }],
    options: [
      { flags: "--tool <name>", description: "the tool to call (default: ping)" },
      { flags: "--calls <n>", description: "the number of calls (default: 1000)" },
      { flags: "--concurrency <n>", description: "closed loop: calls in flight" },
      { flags: "--rps <n>", description: "open loop: calls started per second" },
      {
        flags: "--warm-up <n>",
        description:
          "calls before, which do not count (default: a tenth, at most 50; none if a tool has effects)",
      },
      { flags: "--budget <limit>", description: "such as p99=50, in milliseconds", isRepeatable: true },
    ],
    connects: true,
    examples: [
      "tenon bench files --tool search pattern=TODO --calls 200",
      "tenon bench https://example.com/mcp --rps 50 --budget p99=100",
    ],
    load: () => import("../commands/bench.ts"),
  },
];
