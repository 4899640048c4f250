import { isRecord } from "@tenon/base";

/** Arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Calls that are made to find smaller arguments. */
const maxAttempts = 40;
/** Candidates that are considered, with those that `allows` refuses. */
const maxCandidates = 2_000;

/**
 * Looks for the smallest arguments that still show a defect, one simplification at a time.
 *
 * @param allows - Whether arguments may be tried.
 * @param shows - Whether a call with them shows the defect.
 */
export async function shrink(
  args: Arguments,
  allows: (args: Arguments) => boolean,
  shows: (args: Arguments) => Promise<boolean>,
): Promise<Arguments> {
  let smallest = args;
  let attempts = 0;
  let considered = 0;
  const tried = new Set<string>([JSON.stringify(args)]);
  const next = async (): Promise<Arguments | undefined> => {
    for (const candidate of simplerRecords(smallest)) {
      const text = JSON.stringify(candidate);
      if (considered++ > maxCandidates || attempts >= maxAttempts) {
        return undefined;
      }
      if (tried.has(text) || !allows(candidate)) {
        continue;
      }
      tried.add(text);
      attempts++;
      if (await shows(candidate)) {
        return candidate;
      }
    }
    return undefined;
  };
  for (let found = await next(); found !== undefined; found = await next()) {
    smallest = found;
  }
  return smallest;
}

/** First without each property, because this removes most, then with simpler values. */
function* simplerRecords(record: Arguments): Iterable<Arguments> {
  for (const name of Object.keys(record)) {
    const { [name]: _, ...rest } = record;
    yield rest;
  }
  for (const [name, value] of Object.entries(record)) {
    for (const simpler of simplerValues(value)) {
      yield { ...record, [name]: simpler };
    }
  }
}

function* simplerValues(value: unknown): Iterable<unknown> {
  if (typeof value === "string") {
    const half = Math.floor(value.length / 2);
    yield* ["", "a".repeat(value.length), value.slice(0, half), value.slice(half), value.slice(0, -1)];
  } else if (typeof value === "number") {
    yield* [0, Math.sign(value), Math.trunc(value), Math.trunc(value / 2), value - Math.sign(value)];
  } else if (value === true) {
    yield false;
  } else if (Array.isArray(value)) {
    const half = Math.floor(value.length / 2);
    yield* [[], value.slice(0, half), value.slice(half), value.slice(0, -1)];
    for (const [index, item] of value.entries()) {
      for (const simpler of simplerValues(item)) {
        yield value.with(index, simpler);
      }
    }
  } else if (isRecord(value)) {
    yield {};
    yield* simplerRecords(value);
  }
}
