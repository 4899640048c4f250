import { usageError } from "../exit.ts";

/** The values of `--header` by their names. @throws `CliError` for an invalid value. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        const start = line.split(":", 1)[0]?.slice(0, 40) ?? "";
        // The rest may be a token.
        throw usageError(
          `--header takes a name and a value; got ${JSON.stringify(start)} and a rest.`,
          '--header "Authorization: Bearer $TOKEN"',
        );
      }
      return [name, value.trim()];
    }),
  );
}
