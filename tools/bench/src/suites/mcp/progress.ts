import { formatBytes, formatCount, formatRatio } from "../../format.ts";
import { find, interleave, ratio, type Metrics, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { connectTenon, connectV1, connectV2 } from "./sessions.ts";
import { flood, readSlowly } from "./slow-reader.ts";

const total = 100_000;
const work = `${total} progress notifications`;
const input = { type: "object" } as const;

/** The default of `maxBufferedBytes`, and the message that went beyond it. */
const maxHeldBytes = 1024 * 1024 + 2048;
/** What that holds of notifications, with what the pipe and its reader's stream take. */
const maxAccepted = 2000;
/** 100 MB went through; what stays is the buffer and the collector's slack. */
const maxGrownBytes = 64 * 1024 * 1024;

interface Reporter {
  readonly name: string;
  /** Makes one call that reports progress `count` times. */
  call(onProgress: () => void): Promise<unknown>;
  close(): Promise<void>;
}

type Report = (params: { progressToken: string | number; progress: number }) => Promise<void>;

async function report(token: string | number | undefined, notify: Report, count: number): Promise<void> {
  for (let progress = 1; progress <= count; progress++) {
    await notify({ progressToken: token ?? 0, progress });
  }
}

async function reporters(count: number): Promise<Reporter[]> {
  const tenon = async (name: string, revision: "2025-11-25" | "2026-07-28"): Promise<Reporter> => {
    const session = await connectTenon(revision, (server) => {
      server.addTool({ name: "count", input }, async (_, context) => {
        for (let progress = 1; progress <= count; progress++) {
          await context.progress(progress);
        }
        return "done";
      });
    });
    return {
      name,
      call: (onProgress) => session.callTool({ name: "count" }, { onProgress }),
      close: () => session.close(),
    };
  };
  const v2 = await connectV2((server) => {
    server.registerTool("count", { inputSchema: {} }, async (_, ctx) => {
      await report(
        ctx.mcpReq._meta?.progressToken,
        (params) => ctx.mcpReq.notify({ method: "notifications/progress", params }),
        count,
      );
      return { content: [] };
    });
  });
  const v1 = await connectV1((server) => {
    server.registerTool("count", { inputSchema: {} }, async (_, extra) => {
      await report(
        extra._meta?.progressToken,
        (params) => extra.sendNotification({ method: "notifications/progress", params }),
        count,
      );
      return { content: [] };
    });
  });
  const options = { timeout: 600_000 };
  return [
    await tenon("tenon", "2025-11-25"),
    await tenon("tenon 2026", "2026-07-28"),
    {
      name: "official v2",
      call: (onprogress) => v2.callTool({ name: "count", arguments: {} }, { ...options, onprogress }),
      close: () => v2.close(),
    },
    {
      name: "official v1",
      call: (onprogress) =>
        v1.callTool({ name: "count", arguments: {} }, undefined, { ...options, onprogress }),
      close: () => v1.close(),
    },
  ];
}

/** How fast progress gets through, against budgets. */
export const progress: Suite = {
  name: "mcp-progress",
  description: `${work} of one call, in memory; and to a reader on stdio who stops reading`,
  async run({ rounds, wants, log }) {
    const all = await reporters(total);
    const kept = all.filter(({ name }) => wants(name));
    const subjects: Subject[] = kept.map(({ name, call }) => ({
      candidate: name,
      work,
      async sample(): Promise<Metrics> {
        let seen = 0;
        const started = performance.now();
        const result = (await call(() => seen++)) as { isError?: boolean };
        const seconds = (performance.now() - started) / 1000;
        if (seen !== total || result.isError === true) {
          throw new Error(`${name}: expected ${total} notifications, got ${seen}: ${JSON.stringify(result)}`);
        }
        return { perSecond: total / seconds };
      },
    }));
    const measurements = await interleave(subjects, {
      rounds: rounds ?? 3,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    for (const { close } of all) {
      await close();
    }
    log("a reader who stops");
    const slow = await readSlowly();
    const relative = (candidate: string, to: string): number => {
      const own = find(measurements, { candidate, work, metric: "perSecond" });
      const other = find(measurements, { candidate: to, work, metric: "perSecond" });
      return own === undefined || other === undefined ? Number.NaN : ratio(other, own);
    };
    return {
      tables: [
        {
          title: work,
          columns: ["", "per second", "× official v2"],
          rows: kept.map(({ name }) => [
            name,
            formatCount(
              find(measurements, { candidate: name, work, metric: "perSecond" })?.median ?? Number.NaN,
            ),
            formatRatio(1 / relative(name, "official v2")),
          ]),
        },
        {
          title: `a tenon server that sends ${flood} notifications of 1 KB on stdio`,
          columns: ["", "found", "at most"],
          rows: [
            ["accepted while nobody reads", formatCount(slow.sentMeanwhile), formatCount(maxAccepted)],
            ["held for the reader then", formatBytes(slow.heldBytes), formatBytes(maxHeldBytes)],
            ["growth of resident memory", formatBytes(slow.grownBytes), formatBytes(maxGrownBytes)],
          ],
        },
      ],
      measurements,
      budgets: [
        ...["tenon", "tenon 2026"].map((name) => ({
          name: `${name}: time for ${work}, relative to official v2`,
          actual: relative(name, "official v2"),
          limit: 1 / 3,
        })),
        {
          name: "notifications accepted while nobody reads",
          actual: slow.sentMeanwhile,
          limit: maxAccepted,
        },
        { name: "bytes held for a reader who has stopped", actual: slow.heldBytes, limit: maxHeldBytes },
        { name: "growth of resident memory, bytes", actual: slow.grownBytes, limit: maxGrownBytes },
      ],
      notes: [],
    };
  },
};
