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

const codes = `Exit codes: 0 done, nothing differs · 1 differences found · 2 wrong usage · 3 a document is unreadable or malformed
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
} as const;

/**
 * Runs one command and gives the exit code; prints results to `out` and errors to `err`, never
 * throws for bad input.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
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
}

async function dispatch(argv: readonly string[], context: CliContext): Promise<number> {
  const text = context.isCheckout ? help : packageHelp;
  const { positionals, values } = parse(argv, text);
  const [command, first, second, ...more] = positionals;
  if (values.help === true) {
    context.out(text);
    return exitCodes.ok;
  }
  if (more.length === 0) {
    if (command === "generate" && first === undefined && context.isCheckout) {
      return generateAll(values.check === true, context);
    }
    if (command === "diff" && first !== undefined && second !== undefined) {
      return diff(first, second, values, context);
    }
    if (first !== undefined && second === undefined) {
      if (command === "generate") {
        return generateFrom(first, values, context);
      }
      if (command === "check") {
        return check(first, revisionOf(values), values, context);
      }
      if (command === "import") {
        return importFrom(first, revisionOf(values), values, context);
      }
    }
  }
  throw new CodegenError(
    "usage",
    `expected a command with its operands, got ${JSON.stringify(positionals.join(" "))}\n\n${text}`,
  );
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
  if (revision !== undefined && isRevisionName(revision)) {
    return revision;
  }
  throw new CodegenError("usage", `expected --revision YYYY-MM-DD, got ${String(revision)}`);
}
