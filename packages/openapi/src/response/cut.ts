import { isRecord } from "@tenon/base";

/** A value that was shortened. */
export interface Cut {
  readonly value: unknown;
  /** Descriptions of the missing parts. */
  readonly notes: readonly string[];
}

/** The length of a value as JSON. */
function lengthOf(value: unknown): number {
  return (JSON.stringify(value) as string | undefined)?.length ?? 4;
}

/**
 * Shortens a JSON value to about a length: arrays lose their last items, strings their ends, and
 * the largest properties of an object share the remaining length. The shape does not change.
 *
 * @returns `undefined` if the value cannot be shortened so far without losing its shape.
 */
export function cutJson(value: unknown, maxLength: number): Cut | undefined {
  const notes: string[] = [];
  const cut = fit(value, maxLength, "", notes);
  return lengthOf(cut) > maxLength * 1.1 ? undefined : { value: cut, notes };
}

function fit(value: unknown, budget: number, path: string, notes: string[]): unknown {
  if (lengthOf(value) <= budget) {
    return value;
  }
  if (typeof value === "string") {
    // Escapes make JSON longer than its text, so the share counts.
    const length = Math.max(0, Math.floor((value.length * (budget - 3)) / lengthOf(value)));
    notes.push(`${value.length - length} of ${value.length} characters of ${placed(path)}`);
    return `${value.slice(0, length)}…`;
  }
  if (Array.isArray(value)) {
    return fitItems(value as unknown[], budget, path, notes);
  }
  return isRecord(value) ? fitMembers(value, budget, path, notes) : value;
}

function fitItems(items: readonly unknown[], budget: number, path: string, notes: string[]): unknown[] {
  const kept: unknown[] = [];
  let used = 2;
  for (const item of items) {
    const size = lengthOf(item) + 1;
    if (used + size > budget) {
      break;
    }
    used += size;
    kept.push(item);
  }
  if (kept.length === 0 && items.length > 0) {
    kept.push(fit(items[0], budget - 2, `${path}/0`, notes));
  }
  if (kept.length < items.length) {
    notes.push(`the last ${items.length - kept.length} of ${items.length} items of ${placed(path)}`);
  }
  return kept;
}

function fitMembers(
  value: Readonly<Record<string, unknown>>,
  budget: number,
  path: string,
  notes: string[],
): Record<string, unknown> {
  const members = Object.entries(value).map(([name, member]) => ({ name, member, size: lengthOf(member) }));
  let left = budget - members.reduce((sum, { name }) => sum + name.length + 4, 2);
  const fitted = new Map<string, unknown>();
  // Small properties first, so that the large properties share the rest.
  [...members]
    .sort((one, other) => one.size - other.size)
    .forEach(({ name, member, size }, index) => {
      const share = Math.max(0, left / (members.length - index));
      const pointer = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const kept = size <= share ? member : fit(member, share, pointer, notes);
      left -= kept === member ? size : lengthOf(kept);
      fitted.set(name, kept);
    });
  return Object.fromEntries(members.map(({ name }) => [name, fitted.get(name)]));
}

function placed(path: string): string {
  return path === "" ? "the answer" : path;
}
