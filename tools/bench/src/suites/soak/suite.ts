import { formatBytes, formatCount, formatTime } from "../../format.ts";
import type { Measurement } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { connectStdio } from "./good.ts";
import { programOf, rest, startSoakServer, type Held } from "./held.ts";
import { createJournal, note, type Journal } from "./journal.ts";
import { workShift } from "./shift.ts";

const defaultShifts = 5;
const defaultShiftMs = 60_000;
/** A shift before the first one is measured: code is compiled, and caches fill. */
const warmUpShare = 1 / 2;
/**
 * Growth of the heap without code that is no leak: shapes, and what the engine keeps about code.
 */
const heapToleranceBytes = 1.5 * 1024 * 1024;

/** A server process, from rest to rest. */
interface Subject {
  readonly name: string;
  readonly ask: () => Promise<Held>;
  /** What it held at rest, before the first shift and after each one. */
  readonly rests: Held[];
}

const metrics = [
  "heapBytes",
  "codeBytes",
  "externalBytes",
  "handles",
  "timers",
  "sessions",
  "rejections",
  "warnings",
  "errors",
] as const;

function measured({ name, rests }: Subject): Measurement[] {
  return metrics.map((metric) => {
    const samples = rests.map((held) => held[metric]);
    return {
      candidate: name,
      work: "at rest, before and after each shift",
      metric,
      samples,
      median: samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN,
      min: Math.min(...samples),
    };
  });
}

function grown({ rests }: Subject, metric: keyof Held): number {
  return (rests.at(-1)?.[metric] ?? Number.NaN) - (rests[0]?.[metric] ?? Number.NaN);
}

/**
 * The growth of the heap, in bytes: of the lowest of the last two rests, since a single one may
 * hold garbage of the engine.
 */
function grownHeap({ rests }: Subject): number {
  const last = Math.min(...rests.slice(-2).map(({ heapBytes }) => heapBytes));
  return Math.max(0, last - (rests[0]?.heapBytes ?? Number.NaN));
}

function budgetsOf(subject: Subject): Budget[] {
  const { name } = subject;
  return [
    { name: `${name}: growth of the heap, bytes`, actual: grownHeap(subject), limit: heapToleranceBytes },
    { name: `${name}: handles more than before`, actual: grown(subject, "handles"), limit: 0 },
    {
      name: `${name}: timers more than before and than open sessions`,
      actual: grown(subject, "timers") - (subject.rests.at(-1)?.sessions ?? Number.NaN),
      limit: 0,
    },
    { name: `${name}: sessions that are left`, actual: grown(subject, "sessions"), limit: 0 },
    {
      name: `${name}: unhandled rejections`,
      actual: subject.rests.at(-1)?.rejections ?? Number.NaN,
      limit: 0,
    },
    { name: `${name}: warnings of Node`, actual: subject.rests.at(-1)?.warnings ?? Number.NaN, limit: 0 },
  ];
}

const actsTable = ({ acts }: Journal): readonly (readonly string[])[] =>
  [...acts].toSorted(([a], [b]) => a.localeCompare(b)).map(([name, count]) => [name, formatCount(count)]);

/**
 * A mixed load with random faults, after which everything is where it began, against budgets.
 */
export const soak: Suite = {
  name: "soak",
  description: "mixed load and random faults, then what the servers still hold (five minutes)",
  async run({ rounds = defaultShifts, windowMs = defaultShiftMs, seed = 1, log }) {
    let rejections = 0;
    process.on("unhandledRejection", (reason) => {
      rejections++;
      console.error("unhandled rejection of the clients:", reason);
    });
    await using plain = await startSoakServer();
    await using resumable = await startSoakServer("resumable");
    const { session: stdio } = await connectStdio(programOf("stdio"), "2025-11-25");
    const subjects: Subject[] = [
      { name: "HTTP", ask: () => plain.held(), rests: [] },
      { name: "HTTP, resumable", ask: () => resumable.held(), rests: [] },
      {
        name: "stdio",
        async ask() {
          const { content } = await stdio.callTool({ name: "held" });
          return JSON.parse((content[0] as { readonly text: string }).text) as Held;
        },
        rests: [],
      },
    ];
    const journal = createJournal();
    const shift = async (number: number, ms: number): Promise<void> => {
      await workShift({ servers: [plain, resumable], stdio, seed: seed * 100 + number, ms, journal });
      for (const { ask, rests } of subjects) {
        rests.push(await rest(ask, rests[0]));
      }
    };
    const begun = performance.now();
    log("warming up");
    await shift(0, windowMs * warmUpShare);
    for (let number = 1; number <= rounds; number++) {
      log(`shift ${number} of ${rounds}`);
      await shift(number, windowMs);
    }
    await note(journal, "end of the stdio server", () => stdio.close());
    const ms = performance.now() - begun;
    const wanted = subjects.flatMap(({ name, rests }) =>
      rests.map((held, index) => [
        index === 0 ? name : "",
        index === 0 ? "before" : `after shift ${index}`,
        formatBytes(held.heapBytes),
        formatBytes(held.codeBytes),
        String(held.handles),
        String(held.timers),
        String(held.sessions),
        String(held.rejections),
        String(held.errors),
      ]),
    );
    return {
      tables: [
        {
          title: "server processes at rest",
          columns: [
            "",
            "when",
            "heap",
            "code",
            "handles",
            "timers",
            "sessions",
            "unhandled rejections",
            "onError",
          ],
          rows: [
            ...wanted,
            [
              "tolerance",
              "growth",
              formatBytes(heapToleranceBytes),
              "any",
              "0",
              "1 per session",
              "0",
              "0",
              "any",
            ],
          ],
        },
        { title: "acts", columns: ["", "times"], rows: actsTable(journal) },
        {
          title: "answers",
          columns: ["", "count", "at most"],
          rows: [
            ["checked", formatCount(journal.checked), "–"],
            ["wrong or missing", String(journal.wrong), "0"],
            ["unhandled rejections of the clients", String(rejections), "0"],
          ],
        },
      ],
      measurements: subjects.flatMap(measured),
      budgets: [
        ...subjects.flatMap(budgetsOf),
        { name: "answers that are wrong or missing", actual: journal.wrong, limit: 0 },
        { name: "unhandled rejections of the clients", actual: rejections, limit: 0 },
      ],
      notes: [
        `Seed ${seed}, ${formatTime(ms * 1e6)}. The acts of each worker follow from the seed; how they interleave does not.`,
        "Before: after a warm-up of half a shift. A server rests once its handles, timers and sessions are where they were, or after 30 s; garbage is collected each time.",
        "An open session keeps the timer of its last call for the next one, without keeping the process alive: hence the tolerance.",
        "onError counts what the server reports about its clients' faults; it has no limit.",
        ...journal.examples,
      ],
    };
  },
};
