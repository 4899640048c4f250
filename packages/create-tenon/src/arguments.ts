import { parseArgs } from "node:util";

/** The options of the command line. Missing options are requested, or have a default. */
export interface Arguments {
  readonly folder: string | undefined;
  readonly template: string | undefined;
  readonly adapter: string | undefined;
  readonly manager: string | undefined;
  readonly isQuiet: boolean;
  readonly isHelp: boolean;
}

/** @throws If an option does not exist, or there is more than one folder. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      adapter: { type: "string" },
      help: { type: "boolean", short: "h" },
      pm: { type: "string" },
      template: { type: "string", short: "t" },
      yes: { type: "boolean", short: "y" },
    },
  });
  if (positionals.length > 1) {
    throw new Error(`Expected one folder, got ${positionals.join(" ")}.`);
  }
  return {
    folder: positionals[0],
    template: values.template,
    adapter: values.adapter,
    manager: values.pm,
    isQuiet: values.yes === true,
    isHelp: values.help === true,
  };
}
