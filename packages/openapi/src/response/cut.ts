import { isRecord } from "@tenon/base";

/** A value that was shortened. */
export interface Cut {
  readonly value: unknown;
  /** Descriptions of the missing parts. */
  readonly notes: readonly string[];
}

/** The lengths of objects and arrays as JSON, each computed once. */
type Lengths = Map<object, number>;

function lengthOf(value: unknown, lengths: Lengths): number {
  if (typeof value !== "object" || value === null) {
    return (JSON.stringify(value) as string | undefined)?.length ?? 4;
  }
  const known = lengths.get(value);
  if (known !== undefined) {
    return known;
  }
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      length += lengthOf(item, lengths) + 1;
    }
  } else {
    for (const [name, member] of Object.entries(value)) {
      length += JSON.stringify(name).length + lengthOf(member, lengths) + 2;
    }
  }
  lengths.set(value, length);
  return length;
}

/** The state of a cut. */
interface Cutting {
  readonly lengths: Lengths;
  note(missing: string): void;
}

const maxNotes = 10;
const maxPath = 200;

/**
 * Shortens a JSON value to about a length: arrays lose their last items, strings their ends, and
 * the largest properties of an object share the remaining length. The shape does not change.
 *
 * @param value - Of limited depth.
 * @returns `undefined` if the value cannot be shortened so far without losing its shape.
 */
export function cutJson(value: unknown, maxLength: number): Cut | undefined {
  const notes: string[] = [];
  const lengths: Lengths = new Map();
  const cut = fit(value, maxLength, "", {
    lengths,
    note(missing) {
      if (notes.length <= maxNotes) {
        notes.push(notes.length < maxNotes ? missing : "and more");
      }
    },
  });
  return lengthOf(cut, lengths) > maxLength * 1.1 ? undefined : { value: cut, notes };
}

function fit(value: unknown, budget: number, path: string, cutting: Cutting): unknown {
  const length = lengthOf(value, cutting.lengths);
  if (length <= budget) {
    return value;
  }
  if (typeof value === "string") {
    // Escapes make JSON longer than its text, so the share counts.
    const kept = Math.max(0, Math.floor((value.length * (budget - 3)) / length));
    cutting.note(`${value.length - kept} of ${value.length} characters of ${placed(path)}`);
    return `${value.slice(0, kept)}…`;
  }
  if (Array.isArray(value)) {
    return fitItems(value as unknown[], budget, path, cutting);
  }
  return isRecord(value) ? fitMembers(value, budget, path, cutting) : value;
}

function fitItems(items: readonly unknown[], budget: number, path: string, cutting: Cutting): unknown[] {
  const kept: unknown[] = [];
  let used = 2;
  for (const item of items) {
    const size = lengthOf(item, cutting.lengths) + 1;
    if (used + size > budget) {
      break;
    }
    used += size;
    kept.push(item);
  }
  if (kept.length === 0 && items.length > 0) {
    kept.push(fit(items[0], budget - 2, `${path}/0`, cutting));
  }
  if (kept.length < items.length) {
    cutting.note(`the last ${items.length - kept.length} of ${items.length} items of ${placed(path)}`);
  }
  return kept;
}

function fitMembers(
  value: Readonly<Record<string, unknown>>,
  budget: number,
  path: string,
  cutting: Cutting,
): Record<string, unknown> {
  const { lengths } = cutting;
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    member,
    size: lengthOf(member, lengths),
  }));
  let left = budget - members.reduce((sum, { name }) => sum + name.length + 4, 2);
  const fitted = new Map<string, unknown>();
  // Small properties first, so that the large properties share the rest.
  [...members]
    .sort((one, other) => one.size - other.size)
    .forEach(({ name, member, size }, index) => {
      const share = Math.max(0, left / (members.length - index));
      const pointer = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const kept = size <= share ? member : fit(member, share, pointer, cutting);
      left -= kept === member ? size : lengthOf(kept, lengths);
      fitted.set(name, kept);
    });
  return Object.fromEntries(members.map(({ name }) => [name, fitted.get(name)]));
}

function placed(path: string): string {
  return path === "" ? "the answer" : path.length > maxPath ? `${path.slice(0, maxPath)}…` : path;
}
