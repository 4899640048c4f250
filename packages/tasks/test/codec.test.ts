import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test } from "vitest";

import { decodeLog, encodeChange, header } from "../src/file/codec.ts";
import type { JournalEntry, TaskPatch } from "../src/index.ts";
import type { Row } from "../src/store/row.ts";
import { TaskTable } from "../src/store/table.ts";
import { lease, newTask } from "../src/testing/check.ts";

type Act =
  | { readonly act: "create"; readonly text: string }
  | {
      readonly act: "patch";
      readonly task: number;
      readonly patch: TaskPatch;
      readonly entries: JournalEntry[];
    }
  | { readonly act: "claim" | "sweep" };

const text = fc.string({ unit: "binary", maxLength: 12 }).map((value) => JSON.stringify(value));
const entry = fc.record({
  kind: fc.constantFrom("step" as const, "answer" as const),
  key: fc.string({ maxLength: 3 }),
  value: text,
});
const patch: fc.Arbitrary<TaskPatch> = fc.oneof(
  fc.record({ statusMessage: fc.string({ unit: "binary" }), progress: text }),
  fc.record({ state: fc.constant("input_required" as const), questions: fc.dictionary(fc.string(), text) }),
  fc.record({ state: fc.constant("working" as const), questions: fc.constant({}) }),
  fc.record({
    state: fc.constantFrom("completed" as const, "failed" as const),
    outcome: text,
    retainMs: fc.nat(99),
  }),
  fc.record({ release: fc.constant(true), attempt: fc.nat(3), ttlMs: fc.constantFrom(null, 5, 50) }),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant("create" as const), text }),
  fc.record({
    act: fc.constant("patch" as const),
    task: fc.nat(5),
    patch,
    entries: fc.array(entry, { maxLength: 3 }),
  }),
  fc.record({ act: fc.constantFrom("claim" as const, "sweep" as const) }),
);

/** Performs acts. @returns The lines, and the rows after each of them. */
function perform(acts: readonly Act[]): { readonly lines: string[]; readonly states: Map<string, Row>[] } {
  const lines = [header];
  const states = [new Map<string, Row>()];
  let now = 0;
  const table = new TaskTable(
    {},
    () => (now += 7),
    (change) => {
      const rows = new Map(states.at(-1));
      if (change.after === undefined) {
        rows.delete(change.id);
      } else {
        rows.set(change.id, change.after);
      }
      lines.push(encodeChange(change));
      states.push(rows);
    },
  );
  const ids: string[] = [];
  for (const each of acts) {
    if (each.act === "create") {
      ids.push(table.create(newTask({ arguments: each.text, ttlMs: 40 }), lease).id);
    } else if (each.act === "patch") {
      const id = ids[each.task] ?? "";
      const version = table.row(id)?.record.version ?? 0;
      table.update(id, each.patch, { version, append: each.entries });
    } else if (each.act === "claim") {
      table.claim({ ...lease, limit: 3 });
    } else {
      table.sweep(3);
    }
  }
  return { lines, states };
}

function shown(rows: ReadonlyMap<string, Row>): unknown {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

test("a log that is cut off at any byte has the tasks of its whole lines", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
      const { lines, states } = perform(acts);
      const bytes = Buffer.from(lines.join(""));
      let whole = 0;
      let end = Buffer.byteLength(lines[0] ?? "");
      for (let length = 0; length <= bytes.length; length++) {
        while (whole + 1 < lines.length && end + Buffer.byteLength(lines[whole + 1] ?? "") <= length) {
          whole++;
          end += Buffer.byteLength(lines[whole] ?? "");
        }
        const decoded = decodeLog(bytes.subarray(0, length));
        if (
          !decoded.isLog ||
          decoded.damaged !== 0 ||
          decoded.length !== (length < Buffer.byteLength(header) ? 0 : end)
        ) {
          expect(decoded).toMatchObject({ isLog: true, damaged: 0, length: end });
        }
        // The rows change with whole lines only, so they are compared there.
        if (length === end || length === bytes.length) {
          expect(shown(decoded.rows)).toEqual(shown(states[whole] ?? new Map()));
        }
      }
    }),
    { numRuns: samples(100) },
  );
});

test("a log with any byte changed loses at most the lines of that byte, and never makes one up", () => {
  fc.assert(
    fc.property(
      fc.array(act, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (acts, at, by) => {
        const { lines, states } = perform(acts);
        const bytes = Buffer.from(lines.join(""));
        const place =
          Buffer.byteLength(header) + (at % Math.max(1, bytes.length - Buffer.byteLength(header)));
        if (place >= bytes.length) {
          return;
        }
        bytes[place] = (bytes[place] ?? 0) ^ by;
        const { rows, damaged } = decodeLog(bytes);
        const known = new Set(states.flatMap((state) => [...state.keys()]));
        expect(damaged).toBeLessThanOrEqual(2);
        expect([...rows.keys()].every((id) => known.has(id))).toBe(true);
      },
    ),
    { numRuns: samples(300) },
  );
});
