import { comparable, decode, truncate } from "./encode.ts";
import type { Binding } from "./plan.ts";
import type { VariableSpec } from "./syntax.ts";

/** A decoded value of a variable. */
export type Bound = string | string[] | Record<string, string>;

/** One occurrence of a variable in the URI. */
export type Capture = readonly [spec: VariableSpec, value: Bound];

/** An object on which no name is special, `__proto__` included. */
function bare<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function decodeAll(texts: readonly string[]): string[] | undefined {
  const decoded = texts.map(decode).filter((text) => text !== undefined);
  return decoded.length === texts.length ? decoded : undefined;
}

/**
 * Reads `name=value` parameters in any order. A name that is not declared belongs to the first
 * exploded variable, which then is a map. Without such a variable the text does not match, nor does
 * a repeated name that is not a list.
 */
function bindPairs(specs: readonly VariableSpec[], separator: string, text: string): Capture[] | undefined {
  const lists = new Map<VariableSpec, string[]>();
  const rest = new Map<string, string>();
  // In a URI the digits of triplets are in one case. Of two variables with one name the first
  // counts.
  const named = new Map(specs.toReversed().map((spec) => [comparable(spec.name), spec]));
  const collector = specs.find((spec) => spec.explode);
  for (const pair of text.split(separator)) {
    if (pair === "") {
      continue;
    }
    const equals = pair.indexOf("=");
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
    const name = decode(rawName);
    if (value === undefined || name === undefined || name === "") {
      return undefined;
    }
    const spec = named.get(rawName);
    if (spec !== undefined) {
      const values = lists.get(spec);
      if (values === undefined) {
        lists.set(spec, [value]);
      } else if (spec.explode) {
        values.push(value);
      } else {
        return undefined;
      }
    } else {
      if (collector === undefined || rest.has(name)) {
        return undefined;
      }
      rest.set(name, value);
    }
  }
  const captures: Capture[] = [];
  for (const spec of specs) {
    const values = lists.get(spec);
    if (spec === collector && rest.size > 0) {
      if (values !== undefined && values.length > 1) {
        return undefined;
      }
      const map = bare<string>();
      if (values?.[0] !== undefined) {
        map[spec.name] = values[0];
      }
      for (const [name, value] of rest) {
        map[name] = value;
      }
      captures.push([spec, map]);
    } else if (values !== undefined) {
      captures.push([spec, spec.explode ? values : (values[0] ?? "")]);
    }
  }
  return captures;
}

/** The variables in the text of one hole, or `undefined` if the text does not match. */
export function bind(binding: Binding, text: string): Capture[] | undefined {
  if (binding.kind === "pairs") {
    return bindPairs(binding.specs, binding.separator, text);
  }
  const { spec, separator } = binding;
  const value = spec.explode ? decodeAll(text.split(separator)) : decode(text);
  return value === undefined ? undefined : [[spec, value]];
}

const wholeFirst = ([{ prefix: a = Infinity }]: Capture, [{ prefix: b = Infinity }]: Capture): number =>
  a === b ? 0 : b - a;

/**
 * One value per variable. Occurrences of one variable have to agree: equal values, and under a
 * prefix modifier the beginning of the value. A variable that only occurs with prefixes has the
 * longest of them.
 */
export function settle(captures: readonly Capture[]): Record<string, Bound> | undefined {
  const settled = bare<Bound>();
  for (const [{ name, prefix }, value] of captures.toSorted(wholeFirst)) {
    const known = (settled[name] ??= value);
    const expected =
      prefix === undefined || typeof known !== "string" ? known : truncate(known, prefix, false);
    if (expected !== value && JSON.stringify(expected) !== JSON.stringify(value)) {
      return undefined;
    }
  }
  return settled;
}
