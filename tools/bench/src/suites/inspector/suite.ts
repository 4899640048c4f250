import { gzipSync } from "node:zlib";

import { startInspector } from "@tenon/inspector/node";
import { chromiumPath, startChromium, type Browser } from "@tenon/test-support/chromium";

import { quantile } from "../../stats.ts";
import type { Budget, Suite } from "../../suite.ts";
import type { Table } from "../../table.ts";
import { messageWriter } from "./messages.ts";
import { openMeasured, type MeasuredPage } from "./page.ts";

/** The number of messages that the page has before frames are measured. */
const count = 100_000;
/** Messages per second while they arrive. */
const rate = 10_000;
const phaseMs = 5000;

/** Mean interval of frames at 58 a second, the time until the page is usable, and its size. */
const limits = { frameMs: 1000 / 58, usableMs: 300, gzipBytes: 120_000 } as const;

interface Phase {
  readonly name: string;
  /** Prepares the page. */
  readonly prepare?: (page: MeasuredPage) => Promise<void>;
  readonly scrolls?: boolean;
  readonly arrives?: boolean;
}

const phases: readonly Phase[] = [
  { name: "timeline, at rest" },
  { name: "timeline, scrolled", scrolls: true },
  { name: "timeline, messages arrive", arrives: true },
  { name: "timeline, scrolled while messages arrive", scrolls: true, arrives: true },
  {
    name: "timeline with the filter status:error, messages arrive",
    prepare: ({ filter }) => filter("status:error"),
    arrives: true,
  },
  {
    name: "waterfall, scrolled while messages arrive",
    prepare: async ({ filter, press }) => {
      await filter("");
      await press("2");
    },
    scrolls: true,
    arrives: true,
  },
];

async function pageBytes(origin: string): Promise<number> {
  const sizes = ["", "page.js", "page.css"].map(async (file) => {
    const response = await fetch(new URL(file, origin));
    return gzipSync(await response.text()).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The page of the inspector with many messages, in a real browser. */
export const inspector: Suite = {
  name: "inspector",
  description: `the page of the inspector in Chromium with ${count} messages: time until it is usable, and its frames`,
  async run({ wants, log }) {
    if (chromiumPath === undefined) {
      return {
        tables: [],
        measurements: [],
        budgets: [],
        notes: ["Chromium is missing: nothing was measured."],
      };
    }
    await using browser: Browser = await startChromium();
    await using started = await startInspector({ source: { kind: "tap", label: "bench" } });
    const writer = messageWriter((line) => started.write(line));
    writer.write(count);
    log(`opening the page with ${count} messages`);
    const loads: { usableMs: number; completeMs: number }[] = [];
    for (let round = 0; round < 3; round++) {
      await using page = await openMeasured(browser, started.link(), count);
      loads.push(page.load);
    }
    const rows: string[][] = [];
    const budgets: Budget[] = [];
    await using page = await openMeasured(browser, started.link(), count);
    for (const { name, prepare, scrolls = false, arrives = false } of phases.filter((phase) =>
      wants(phase.name),
    )) {
      log(name);
      await prepare?.(page);
      const arriving = arrives ? writer.writeFor(phaseMs, rate) : undefined;
      const { intervals: frames, cpuMs } = await page.frames(phaseMs, scrolls);
      await arriving;
      const mean = frames.reduce((sum, ms) => sum + ms, 0) / frames.length;
      rows.push([
        name,
        (1000 / mean).toFixed(1),
        ...[0.5, 0.95, 0.99, 1].map((share) => quantile(frames, share).toFixed(1)),
        `${((frames.filter((ms) => ms > 25).length / frames.length) * 100).toFixed(1)} %`,
        cpuMs.toFixed(1),
      ]);
      budgets.push({ name: `mean interval of frames, ${name}, ms`, actual: mean, limit: limits.frameMs });
    }
    const usable = quantile(
      loads.map(({ usableMs }) => usableMs),
      0.5,
    );
    const complete = quantile(
      loads.map(({ completeMs }) => completeMs),
      0.5,
    );
    budgets.push(
      { name: "time until the page is usable, ms", actual: usable, limit: limits.usableMs },
      {
        name: "size of the page after gzip, bytes",
        actual: await pageBytes(started.url.origin),
        limit: limits.gzipBytes,
      },
    );
    const tables: Table[] = [
      {
        title: "frames",
        columns: ["", "frames/s", "p50 ms", "p95 ms", "p99 ms", "max ms", "above 25 ms", "CPU ms/frame"],
        rows,
      },
      {
        title: `load with ${count} messages`,
        columns: ["", "ms"],
        rows: [
          ["first lines are shown, and the filter takes keys", usable.toFixed(0)],
          ["all lines are loaded", complete.toFixed(0)],
        ],
      },
    ];
    return { tables, measurements: [], budgets, notes: [] };
  },
};
