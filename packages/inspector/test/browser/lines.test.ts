import { afterAll, beforeAll, expect, test, vi } from "vitest";

import type { Summary } from "../../src/wire/summary.ts";

beforeAll(() => {
  // The browser draws a frame, which no other test of this process wants.
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => queueMicrotask(draw));
});

afterAll(() => {
  vi.unstubAllGlobals();
});

test("the page drops its oldest lines above a limit, and counts their durations on", async () => {
  const { belonging, filter, lineOf, lines, shown, take, times } = await import("../../src/page/store.ts");
  const { createCollector } = await import("../../src/page/collector.ts");
  const failed = createCollector(({ outcome }) => outcome === "error");
  const count = 210_000;
  for (let first = 1; first <= count; first += 1000) {
    const added = Array.from({ length: 1000 }, (_, index): Summary => {
      const seq = first + index;
      const base = { seq, at: seq, connection: 0, method: "tools/call", preview: "", bytes: 10, lanes: 0 };
      return seq % 2 === 1
        ? { ...base, kind: "request", to: "server" }
        : {
            ...base,
            kind: "response",
            to: "client",
            request: seq - 1,
            ms: 1,
            outcome: seq % 1000 === 0 ? "error" : "ok",
          };
    });
    take({ type: "lines", lines: added });
    await Promise.resolve();
    void failed.items;
  }
  expect(lines.length).toBeLessThanOrEqual(202_000);
  expect(lines.at(-1)?.seq).toBe(count);
  const first = lines[0]?.seq ?? 0;
  expect([lineOf(first - 1), lineOf(first)?.seq, lineOf(count)?.seq]).toEqual([undefined, first, count]);
  expect([belonging.of(first - 2), belonging.of(count - 1).length]).toEqual([[], 1]);
  expect(shown.value.lines.length).toBe(lines.length);
  expect(shown.value.lines.every((line, index) => line === lines[index])).toBe(true);
  filter.value = "status:error kind:request";
  expect(shown.value.lines.map(({ seq }) => seq)).toEqual(
    lines.filter(({ seq }) => (seq + 1) % 1000 === 0).map(({ seq }) => seq),
  );
  expect(failed.items.slice(0, 2).map(({ seq }) => seq)).toEqual([count, count - 1000]);
  expect(new Set(failed.items).size).toBe(failed.items.length);
  expect(times().read()).toMatchObject([{ count: count / 2, errors: count / 1000 }]);
  filter.value = "";
});

test("a server that sends much pushes no line of another out of the page, and filters find it", async () => {
  const { answers, filter, lineOf, lines, showsAll, shown, take } = await import("../../src/page/store.ts");
  take({ type: "lines", lines: [], cleared: true });
  const line = (seq: number, server: string, rest: Partial<Summary>): Summary => ({
    ...{ seq, at: seq, connection: 0, method: "tools/call", kind: "notification", preview: "" },
    ...{ bytes: 10, lanes: 0, server, ...rest },
  });
  showsAll.value = true;
  filter.value = "status:error kind:request";
  take({ type: "lines", lines: [line(1, "quiet", { kind: "request", to: "server" })] });
  for (let first = 2; first <= 206_000; first += 2000) {
    take({
      type: "lines",
      lines: Array.from({ length: 2000 }, (_, index) => line(first + index, "noisy", {})),
    });
    await Promise.resolve();
    void shown.value;
  }
  const last = lines.at(-1)?.seq ?? 0;
  const answer = line(last + 1, "quiet", { kind: "response", to: "client", request: 1, outcome: "error" });
  take({ type: "lines", lines: [answer] });
  await Promise.resolve();
  expect(lines.length).toBeLessThanOrEqual(202_000);
  expect([lineOf(1)?.server, lineOf(2), lineOf(last)?.seq, answers.get(1)?.seq]).toEqual([
    "quiet",
    undefined,
    last,
    last + 1,
  ]);
  expect(shown.value.lines.map(({ seq }) => seq)).toEqual([1]);
  filter.value = "";
  expect(shown.value.lines.every((one, index) => one === lines[index])).toBe(true);
  showsAll.value = false;
});

test("a server with many tasks pushes no task of another out of the page", async () => {
  const { createTasks } = await import("../../src/page/tasks.ts");
  const tasks = createTasks();
  const add = (seq: number, server: string): void =>
    tasks.add({
      ...{ seq, at: seq, connection: 0, kind: "response", preview: "", bytes: 10, lanes: 0, server },
      task: { id: String(seq), status: "working" },
    });
  add(1, "quiet");
  for (let seq = 2; seq <= 1000; seq++) {
    add(seq, "noisy");
  }
  expect([tasks.get("1", "quiet")?.status, tasks.get("2", "noisy"), tasks.all().length]).toEqual([
    "working",
    undefined,
    500,
  ]);
});
