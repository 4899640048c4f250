import { isLocalError } from "@tenon/jsonrpc2/core";

import { CliError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";

/** A pattern in the output of a program that ended, and the remedy. */
interface Remedy {
  readonly pattern: RegExp;
  /** `$1` is replaced by the first group of the pattern. */
  readonly fix: string;
}

const remedies: readonly Remedy[] = [
  {
    pattern: /Top-level await is currently not supported with the "cjs"|Cannot use import statement outside/,
    fix: 'put "type": "module" into package.json',
  },
  {
    pattern: /ERR_REQUIRE_ESM|Must use import to load ES Module|TS1479/,
    fix: 'the package is an ES module: set "type": "module" in package.json, or use import()',
  },
  {
    pattern: /Cannot find module '(\/[^']+|[A-Za-z]:\\[^']+)'/,
    fix: "there is no file $1: correct its path, or build it first",
  },
  {
    pattern: /Cannot (?:find|use) (?:package|module) '([^']+)'/,
    fix: "install what is missing: npm install $1",
  },
  {
    pattern: /ModuleNotFoundError: No module named '([^']+)'/,
    fix: "install what is missing: pip install $1",
  },
  {
    pattern: /SyntaxError: Invalid or unexpected token|experimentalDecorators/,
    fix: "decorators need a compiler: see docs/toolchains.md, or use Model() instead of decorators",
  },
  {
    pattern: /ERR_UNKNOWN_FILE_EXTENSION|Unknown file extension "\.ts"/,
    fix: "this Node does not run TypeScript: start it with npx tsx, or use Node 22.18 or later",
  },
  {
    pattern: /EADDRINUSE[^\d]*(?:[\d.:]*:)?(\d+)?/,
    fix: "another process uses the port $1: end it, or choose another port",
  },
  {
    pattern: /EACCES|[Pp]ermission denied/,
    fix: "make the program executable, or correct the permissions of its files",
  },
  {
    pattern: /npm (?:error|ERR!) (?:code )?E404|404 Not Found - GET/,
    fix: "the package does not exist in this registry: check its name. Programs get few variables: for another registry, add --env npm_config_registry, or name it in ~/.npmrc",
  },
  {
    pattern:
      /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^\n]{0,60}\b(?:required|missing|not set|not defined|undefined|must be set|not found)|(?:[Mm]issing|[Rr]equire[sd]?|[Ss]et)\b[^\n]{0,60}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/,
    fix: "set the variable: --env $1=value, or env of the entry in the configuration",
  },
  { pattern: /\b[Uu]sage:/, fix: "the program expects other arguments: compare them with its usage text" },
];

/** The remedy for a program that ended with these last words, if it is known. */
export function remedyFor(words: string): string | undefined {
  for (const { pattern, fix } of remedies) {
    const found = pattern.exec(words);
    if (found !== null) {
      const name = found.slice(1).find((group) => group !== undefined) ?? "";
      return fix.replace("$1", name).trimEnd();
    }
  }
  return undefined;
}

/** Lines of standard error that are kept. */
const maxKept = 200;

/** Keeps the last 200 lines that a program writes to standard error. */
export function keepLines(): { readonly all: readonly string[]; add(this: void, line: string): void } {
  const all: string[] = [];
  return {
    all,
    add(line) {
      all.splice(0, Math.max(0, all.length - maxKept + 1));
      all.push(line);
    },
  };
}

const stackFrame = /^\s+at \S/;
/** Lines after an error that do not concern it, such as news of a version of npm. */
const noise = /^(?:Node\.js v\d|npm notice\b|npm (?:error|ERR!) A complete log of this run)/;
/** Lines of a program's standard error that are shown. */
const maxShown = 10;

/**
 * Returns the line that names an error, and the next line if the error is a heading that ends in a
 * colon.
 */
export function reasonIn(lines: readonly string[]): string | undefined {
  const spoken = withoutStack(lines);
  const at = spoken.findIndex((line) => /\w*(?:Error|error|Exception|fatal|FATAL)\b.*[:\]]/.test(line));
  const [reason, next] = at === -1 ? [] : spoken.slice(at, at + 2);
  return next !== undefined && reason?.trimEnd().endsWith(":") === true
    ? `${reason.trimEnd()} ${next.trim()}`
    : reason;
}

/**
 * The error of a connection to a program that ended. Its message has the last lines of standard
 * error without stack frames, so that the frames do not displace the cause. Other errors are
 * returned unchanged.
 */
export function withLastWords(error: unknown, lines: readonly string[]): unknown {
  const [first, ...quoted] = messageOf(error).split("\n");
  const causes = [error, error instanceof Error ? error.cause : undefined];
  if (quoted.length === 0 || !causes.some((each) => isLocalError(each, "CONNECTION_CLOSED"))) {
    return error;
  }
  const spoken = withoutStack(lines).slice(-maxShown);
  return new CliError("connection", [first, ...spoken].join("\n"), {
    hint: remedyFor(spoken.join("\n")),
    cause: error,
  });
}

function withoutStack(lines: readonly string[]): readonly string[] {
  // A program that dies at its start is started again in the other era, and says the same.
  return [...new Set(lines.filter((line) => !stackFrame.test(line) && !noise.test(line)))];
}
