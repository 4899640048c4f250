import type { CheckResult } from "../validator.ts";
import { isMembers } from "../value/members.ts";
import { oneOf, type Random } from "./random.ts";

/** A value that the schema does not allow, although it differs from an allowed one in one place. */
export interface NearMiss {
  readonly value: unknown;
  /** A JSON pointer to the change. */
  readonly at: string;
  /** The keyword that does not hold, such as `required`. */
  readonly keyword: string;
}

/** Maximum number of places of a value that are changed. */
const maxPlaces = 200;
/** Parts of values that are copied for all places. A change copies the lists around it. */
const maxCopied = 50_000;

const strangers: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "stranger",
  [],
  {},
  ["stranger"],
  { stranger: 1 },
];

/**
 * Changes a conforming value in one place at a time, and keeps the changes that `check` refuses.
 * It keeps one change for each keyword and place.
 */
export function nearMisses(
  value: unknown,
  check: (value: unknown) => CheckResult<unknown>,
  random: Random,
): NearMiss[] {
  const found = new Map<string, NearMiss>();
  for (const { at, variants } of placesOf(value, random)) {
    for (const changed of variants()) {
      const result = check(changed);
      const keyword = result.valid ? undefined : result.errors[0]?.keyword;
      // A limit of the check is not a property of the value.
      if (keyword !== undefined && keyword !== "limit" && !found.has(`${at} ${keyword}`)) {
        found.set(`${at} ${keyword}`, { value: changed, at, keyword });
      }
    }
  }
  return [...found.values()];
}

interface Place {
  readonly at: string;
  /** Made when they are needed, because each of them is a copy. */
  readonly variants: () => readonly unknown[];
}

function placesOf(root: unknown, random: Random): Place[] {
  const places: Place[] = [];
  const open: { value: unknown; at: string; put: (value: unknown) => unknown }[] = [
    { value: root, at: "", put: (value) => value },
  ];
  const most = Math.max(1, Math.min(maxPlaces, Math.floor(maxCopied / sizeOf(root))));
  for (let next = open.shift(); next !== undefined && places.length < most; next = open.shift()) {
    const { value, at, put } = next;
    places.push({ at, variants: () => variantsOf(value, random, most).map(put) });
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        const putItem = (changed: unknown): unknown => put(value.with(index, changed));
        open.push({ value: item, at: `${at}/${index}`, put: putItem });
      });
    } else if (isMembers(value)) {
      for (const [name, member] of Object.entries(value)) {
        const putMember = (changed: unknown): unknown => put(withMember(value, name, changed));
        open.push({
          value: member,
          at: `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
          put: putMember,
        });
      }
    }
  }
  return places;
}

/** The number of parts of a value, and a share of the lengths of its strings. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    return 1 + (value.length >> 6);
  }
  if (typeof value !== "object" || value === null) {
    return 1;
  }
  let size = 1;
  for (const part of Object.values(value) as unknown[]) {
    size += sizeOf(part);
  }
  return size;
}

/** The value with one change: another type, a limit exceeded, or one part more or less. */
function variantsOf(value: unknown, random: Random, most: number): unknown[] {
  const others = [...strangers];
  if (typeof value === "number") {
    return [...others, value + 1, value - 1, -value, value + 0.5, value * 1e6, -value * 1e6];
  }
  if (typeof value === "string") {
    return [
      ...others,
      `${value}${"x".repeat(1_000)}`,
      value.slice(1),
      value.toUpperCase(),
      `${value} `,
      `\n${value}`,
    ];
  }
  if (Array.isArray(value)) {
    const more =
      value.length === 0
        ? [["stranger"]]
        : [[...value, oneOf(random, value)], value.slice(1), value.slice(0, -1)];
    return [
      ...others,
      ...more,
      [...value, "stranger"],
      Array.from({ length: 1_000 }, () => value[0] ?? null),
    ];
  }
  if (isMembers(value)) {
    const names = Object.keys(value).slice(0, most);
    return [...others, ...names.map((name) => without(value, name)), withMember(value, "stranger", 1), {}];
  }
  return others;
}

function without(members: object, name: string): object {
  const copy = { ...members };
  Reflect.deleteProperty(copy, name);
  return copy;
}

function withMember(members: object, name: string, value: unknown): object {
  // Defines `__proto__` as an ordinary property, too.
  const property = { value, configurable: true, enumerable: true, writable: true };
  return Object.defineProperty(without(members, name), name, property);
}
