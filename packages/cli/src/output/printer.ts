import { redactText } from "@tenon/http/redact";

import { usageError } from "../exit.ts";
import type { Shell } from "../shell.ts";
import { createStyle, hasColor, type Style } from "./color.ts";
import { printable, visibleJson, visibleLine } from "./escape.ts";
import { createProgressLine } from "./progress.ts";

/** Properties that `--envelope` adds to a result. */
export interface Envelope {
  readonly target?: string | undefined;
  readonly era?: string | undefined;
}

/**
 * Prints the results of a command to standard output, and everything else to standard error. All
 * methods except {@link Printer.raw} escape characters that a terminal would obey.
 */
export interface Printer {
  readonly mode: "text" | "json" | "jsonl";
  /** The styles of standard output. */
  readonly style: Style;
  /** The columns of the terminal, or 80. */
  readonly width: number;
  readonly isVerbose: boolean;
  /** Whether standard error is a terminal, which shows {@link Printer.progress}. */
  readonly hasProgressLine: boolean;
  /** Prints the result of the command: the value as JSON, or its text. Called once. */
  result(value: unknown, text: () => string): void;
  /** Prints one of many values: a line of JSON with `--jsonl`, otherwise its text. */
  item(value: unknown, text: () => string): void;
  /** Writes bytes unchanged. */
  raw(bytes: string | Uint8Array): void;
  /** Prints on standard error what the user has to know now. */
  tell(message: string): void;
  /** Prints a note for the user on standard error. */
  note(message: string): void;
  /** Prints a warning on standard error. */
  warn(message: string): void;
  /** Prints an error: on standard output with `--json`, otherwise on standard error. */
  error(error: { readonly message: string; readonly hint?: string | undefined }): void;
  /** Replaces the progress line of a terminal. Without a terminal there is none. */
  progress(text: string | undefined): void;
  /** Begins a new line of a terminal, after the user has pressed keys that it shows. */
  newLine(): void;
  /** Sets what `--envelope` adds. */
  about(envelope: Envelope): void;
}

/** The options that a printer reads. */
export interface PrinterFlags {
  has(name: string): boolean;
  text(name: string): string | undefined;
}

/** Creates the printer that the flags ask for. @throws `CliError` for flags that contradict. */
export function createPrinter(shell: Shell, flags: PrinterFlags): Printer {
  if (flags.has("json") && flags.has("jsonl")) {
    throw usageError("--json and --jsonl exclude each other: one value, or one value per line.");
  }
  const mode = flags.has("jsonl") ? "jsonl" : flags.has("json") ? "json" : "text";
  const { stdout, stderr, env } = shell;
  const started = performance.now();
  const errStyle = createStyle(hasColor(flags.text("color"), env, stderr));
  const line = createProgressLine(stderr);
  let envelope: Envelope = {};
  let isPrinted = false;
  const toStderr = (text: string): void => {
    line.clear();
    stderr.write(`${printable(text)}\n`);
  };
  const wrapped = (value: unknown): unknown =>
    flags.has("envelope")
      ? { ...envelope, ms: Math.round(performance.now() - started), result: value }
      : value;
  const print = (text: string): void => {
    line.clear();
    const shown = printable(text);
    stdout.write(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
  };
  return {
    mode,
    style: createStyle(hasColor(flags.text("color"), env, stdout)),
    width: columnsOf(shell),
    isVerbose: flags.has("verbose"),
    hasProgressLine: stderr.isTTY === true,
    result(value, text) {
      isPrinted = true;
      print(mode === "text" ? text() : visibleJson(wrapped(value), mode === "json" ? 2 : undefined));
    },
    item(value, text) {
      print(mode === "text" ? text() : visibleJson(wrapped(value)));
    },
    raw(bytes) {
      line.clear();
      stdout.write(bytes);
    },
    tell: toStderr,
    note: (message) => toStderr(errStyle.dim(message)),
    warn: (message) => toStderr(`${errStyle.warning("warning:")} ${visibleLine(redactText(message))}`),
    error(error) {
      const { hint, message } = error;
      if (mode !== "text" && !isPrinted) {
        isPrinted = true;
        print(visibleJson({ error }, mode === "json" ? 2 : undefined));
        return;
      }
      toStderr(`${errStyle.bad("error:")} ${message}`);
      if (hint !== undefined) {
        toStderr(`${errStyle.bold("try:")} ${hint}`);
      }
    },
    progress: (text) => (text === undefined ? line.clear() : line.show(text)),
    newLine: line.leave,
    about(next) {
      envelope = { ...envelope, ...next };
    },
  };
}

function columnsOf({ stdout, env }: Shell): number {
  const columns = stdout.columns ?? Number(env["COLUMNS"]);
  return Number.isInteger(columns) && columns >= 20 ? Math.min(columns, 500) : 80;
}
