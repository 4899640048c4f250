import { parseArgs } from "node:util";

import {
  check,
  diff,
  exitCodes,
  generateAll,
  generateFrom,
  importFrom,
  type CliContext,
  type CliOptions,
} from "./commands.ts";
import { CodegenError } from "./error.ts";
import { isRevisionName } from "./repository.ts";

export type { CliContext } from "./commands.ts";

const codes = `Exit codes: 0 done, nothing differs · 1 differences found · 2 wrong usage · 3 a document is unreadable or malformed · 4 a file cannot be read or written
`;

/** The help text in a checkout. */
export const help = `Usage: npm run codegen -- <command>

  generate [--check]                   write what is generated from schema/; --check only compares
  generate <date|file|url> --out <folder>  write modules from one document; --check only compares
  check <file|url> --revision <date>   compare an upstream schema document with ours, structure only
  import <file|url> --revision <date>  bring a revision's structure into schema/, then generate
      --url <url> --commit <hash>        where upstream keeps it, for schema/sources.json (default: the URL imported)
      --descriptions <file>              JSON object of descriptions by path ("Tool.icons[].src"), used before ours
  diff <from> <to>                     what changed, as a table; each is a date, a file or a URL
  --version                            the version of this program
  --help                               this text

${codes}`;

/** The help text of the published package. */
export const packageHelp = `Usage: npx @tenon/codegen <command>

  check <file|url> --revision <date>   compare a schema document of MCP with the one known here, structure only
  diff <from> <to>                     what changed, as Markdown tables; each is a date, a file or a URL
  generate <date|file|url> --out <folder>  write types.ts and methods.ts; with --check only compare
  import <file|url> --revision <date>  write schema/<date>/schema.json: the structure, with the descriptions known here
      --url <url> --commit <hash>        where upstream keeps it, for schema/sources.json (default: the URL imported)
      --descriptions <file>              JSON object of descriptions by path ("Tool.icons[].src"), used before others
  --schema <folder>                    schemas of your own, which come before those of this package (default: schema)
  --version                            the version of this program
  --help                               this text

${codes}`;

const options = {
  check: { type: "boolean" },
  commit: { type: "string" },
  descriptions: { type: "string" },
  help: { type: "boolean", short: "h" },
  out: { type: "string" },
  revision: { type: "string" },
  schema: { type: "string" },
  url: { type: "string" },
  version: { type: "boolean" },
} as const;

/**
 * Runs one command and gives the exit code; prints results to `out` and errors to `err`, never
 * throws for bad input.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
    if (isSystemError(error)) {
      context.err(`codegen: cannot read or write a file: ${error.message}\n`);
      return exitCodes.io;
    }
    if (!(error instanceof CodegenError)) {
      throw error;
    }
    context.err(`codegen: ${error.message}\n`);
    return error.code === "usage" || error.code === "unknown_revision"
      ? exitCodes.usage
      : exitCodes.unreadable;
  }
}

interface Values extends CliOptions {
  readonly help?: boolean | undefined;
  readonly revision?: string | undefined;
  readonly version?: boolean | undefined;
}

/** The operands of each command. */
const operandsOf: { readonly [command: string]: readonly string[] } = {
  check: ["<file|url>"],
  diff: ["<from>", "<to>"],
  generate: ["<date|file|url>"],
  import: ["<file|url>"],
};

/** An error of the file system, as Node reports it. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

async function dispatch(argv: readonly string[], context: CliContext): Promise<number> {
  const text = context.isCheckout ? help : packageHelp;
  const { positionals, values } = parse(argv, text);
  const [command, ...operands] = positionals;
  if (values.help === true) {
    context.out(text);
    return exitCodes.ok;
  }
  if (values.version === true) {
    context.out(`${context.version}\n`);
    return exitCodes.ok;
  }
  if (command === "generate" && operands.length === 0 && context.isCheckout) {
    return generateAll(values.check === true, context);
  }
  requireOperands(command, operands, text);
  const [first = "", second = ""] = operands;
  switch (command) {
    case "check":
      return check(first, revisionOf(values), values, context);
    case "diff":
      return diff(first, second, values, context);
    case "import":
      return importFrom(first, revisionOf(values), values, context);
    default:
      return generateFrom(first, values, context);
  }
}

function requireOperands(command: string | undefined, operands: readonly string[], text: string): void {
  if (command === undefined || !Object.hasOwn(operandsOf, command)) {
    const commands = Object.keys(operandsOf).join(", ");
    const got = command === undefined ? "none" : JSON.stringify(command);
    throw new CodegenError("usage", `expected a command (${commands}); got ${got}\n\n${text}`);
  }
  const expected = operandsOf[command] ?? [];
  const usage = `${command} ${expected.join(" ")}`;
  if (operands.length < expected.length) {
    const missing = expected.slice(operands.length).join(" ");
    throw new CodegenError("usage", `${missing} is missing: expected ${usage}`);
  }
  if (operands.length > expected.length) {
    const extra = JSON.stringify(operands[expected.length]);
    throw new CodegenError("usage", `${extra} is one operand too many: expected ${usage}`);
  }
}

function parse(argv: readonly string[], text: string): { positionals: string[]; values: Values } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    throw new CodegenError("usage", `${cause instanceof Error ? cause.message : String(cause)}\n\n${text}`, {
      cause,
    });
  }
}

function revisionOf({ revision }: Values): string {
  if (revision !== undefined && isDate(revision)) {
    return revision;
  }
  const got = revision === undefined ? "--revision is missing" : `got ${JSON.stringify(revision)}`;
  throw new CodegenError("usage", `expected --revision YYYY-MM-DD, a date; ${got}`);
}

/** Whether `text` is a day of the calendar. `Date` accepts February 30 and takes it for March. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return isRevisionName(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
