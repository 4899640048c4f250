import { usageError } from "../exit.ts";

/** The options of a command line, read by name. */
export interface Flags {
  /** Whether an option is set. */
  has(name: string): boolean;
  /** The value of an option. */
  text(name: string): string | undefined;
  /** The values of an option that may be repeated. */
  list(name: string): readonly string[];
  /** A whole number. @throws `CliError` if the value is not a number from `least` to `most`. */
  integer(name: string, least?: number, most?: number): number | undefined;
  /** A time in milliseconds. @throws `CliError` if the value is not a time. */
  duration(name: string): number | undefined;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads options by their long names without the dashes, such as `no-open`. */
export function createFlags(values: Readonly<Record<string, unknown>>): Flags {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    has: (name) => values[name] !== undefined && values[name] !== false,
    text,
    list(name) {
      const value = values[name];
      return Array.isArray(value) ? (value as readonly string[]) : [];
    },
    integer(name, least = 0, most = Infinity) {
      const value = text(name);
      if (value === undefined) {
        return undefined;
      }
      if (!/^\d{1,9}$/.test(value) || Number(value) < least || Number(value) > most) {
        const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
        throw usageError(`--${name} takes a whole number ${range}; got ${JSON.stringify(value)}.`);
      }
      return Number(value);
    },
    duration(name) {
      const value = text(name);
      return value === undefined ? undefined : parseDuration(value, `--${name}`);
    },
  };
}

/** A time such as `30`, `500ms`, `30s`, `5m` or `1h`, in milliseconds. */
export function parseDuration(value: string, what: string): number {
  const [, number, unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(value) ?? [];
  const factor = units[unit];
  const time = number === undefined || factor === undefined ? 0 : Math.round(Number(number) * factor);
  // Timers of Node end at once beyond 2^31 ms.
  if (time < 1 || time > 2_147_483_647) {
    throw usageError(
      `${what} takes a time such as 500ms, 30s, 5m or 1h, up to 24 days; got ${JSON.stringify(value)}.`,
    );
  }
  return time;
}
