import { typeError, unknownOption } from "./option-names.ts";
import { kindOf } from "./unknown-value.ts";

/**
 * The rule of a limit: its default, its least value and its greatest value. A limit without a
 * greatest value may be `Infinity`, which disables it. If the default depends on the limited
 * input, a limit that is not given gets the value `unset`. A limit whose name ends in `Ms` is a
 * time in milliseconds; any other limit is an integer.
 */
export type LimitRule = readonly [initial: number, least: number, most?: number | undefined, unset?: number];

/** The rule of every limit in `L`. If the rule of a limit is missing, the code does not compile. */
export type LimitRules<L> = { readonly [Name in keyof Required<L>]: LimitRule };

/** Limits with every default filled in. */
export type ResolvedLimits<L> = { readonly [Name in keyof L]-?: number };

/**
 * Checks limits and fills in the defaults.
 *
 * @param subject - The options that contain the limits, as users write them.
 * @param errorOf - Makes the error from its message. Default: a `TypeError`.
 * @throws The error of `errorOf` for limits that are unknown, and for values outside of their rule.
 */
export function readLimits<L extends object>(
  limits: L | undefined,
  rules: LimitRules<L>,
  errorOf: (message: string) => Error = typeError,
  subject = "limits",
): ResolvedLimits<L> {
  const given = (limits === undefined ? {} : limits) as Readonly<Record<string, unknown>>;
  const unknown = unknownOption(subject, given, Object.keys(rules));
  if (unknown !== undefined) {
    throw errorOf(unknown);
  }
  const resolved: Record<string, number> = {};
  for (const [name, rule] of Object.entries<LimitRule>(rules)) {
    const value = given[name];
    if (value !== undefined && !isWithin(value, name, rule)) {
      throw errorOf(`${subject}.${name} must be ${expected(name, rule)}; got ${shown(value)}.`);
    }
    resolved[name] = value ?? rule[3] ?? rule[0];
  }
  return resolved as ResolvedLimits<L>;
}

function isWithin(
  value: unknown,
  name: string,
  [, least, most = Infinity, unset]: LimitRule,
): value is number {
  // Transports pass resolved limits on to decoders, which resolve them again.
  if (value === unset && value !== undefined) {
    return true;
  }
  return (
    typeof value === "number" &&
    value >= least &&
    value <= most &&
    (isTime(name) || value === Infinity || Number.isInteger(value))
  );
}

function isTime(name: string): boolean {
  return name.endsWith("Ms");
}

function expected(name: string, [, least, most]: LimitRule): string {
  const kind = isTime(name) ? "a number" : "an integer";
  return most === undefined
    ? `${kind} of ${least} or more, or Infinity for no limit`
    : `${kind} from ${least} to ${most}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.slice(0, 100));
  }
  return typeof value === "number" ? String(value) : kindOf(value);
}
