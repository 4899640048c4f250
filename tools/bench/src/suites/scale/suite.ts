import { formatBytes, formatCount, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, ratio, type Measurement } from "../../runner.ts";
import { median } from "../../stats.ts";
import type { Budget, Suite } from "../../suite.ts";
import { callSubjects, works as callWorks } from "./calls.ts";
import { nodeCounts, startNodes, works as nodeWorks } from "./nodes.ts";
import { startPlaces } from "./places.ts";
import { storeSubjects, works as storeWorks } from "./stores.ts";
import { candidates, telemetrySubjects, works as telemetryWorks } from "./telemetry.ts";

/** Fewest events per second, by store. */
const fewestEvents: Readonly<Record<string, number>> = { Redis: 20_000, PostgreSQL: 5000 };

/** A row of the table, and what it is held to. */
interface Found {
  readonly row: readonly string[];
  readonly budget?: Budget;
}

/** A stored call against the sum of a call in memory and a read of its record, by round. */
function storedCalls(all: readonly Measurement[], name: string): Found[] {
  const of = (candidate: string, work: string): Measurement | undefined =>
    find(all, { candidate, work, metric: "ns" });
  const [stored, trip, memory] = [
    of(name, callWorks.call),
    of(name, callWorks.roundTrip),
    of("memory", callWorks.call),
  ];
  if (stored === undefined || trip === undefined || memory === undefined) {
    return [];
  }
  const ratios = stored.samples.map(
    (sample, round) => sample / ((trip.samples[round] ?? Number.NaN) + (memory.samples[round] ?? Number.NaN)),
  );
  const times = `${formatTime(stored.median)}; ${formatTime(trip.median)} + ${formatTime(memory.median)}`;
  const what = `${callWorks.call}, ${name}, to reading its record and a call in memory`;
  return [
    {
      row: [what, `${formatRatio(median(ratios))} (${times})`],
      budget: { name: what, actual: median(ratios), limit: 1.5 },
    },
  ];
}

function storeRows(all: readonly Measurement[], candidate: string): Found[] {
  const appended = find(all, { candidate, work: storeWorks.append, metric: "callsPerSecond" });
  const claimed = find(all, { candidate, work: storeWorks.claim, metric: "p99Ns" });
  const rate = find(all, { candidate, work: storeWorks.claim, metric: "perSecond" });
  const append = `${storeWorks.append}, ${candidate}`;
  const claim = `${storeWorks.claim}, ${candidate}, p99`;
  return [
    ...(appended === undefined
      ? []
      : [
          {
            row: [append, `${formatCount(appended.median)} per second`],
            budget: {
              name: `${append}, ns of each`,
              actual: 1e9 / appended.median,
              limit: 1e9 / (fewestEvents[candidate] ?? 1),
            },
          },
        ]),
    ...(claimed === undefined || rate === undefined
      ? []
      : [
          {
            row: [claim, `${formatTime(claimed.median)} at ${formatCount(rate.median)} per second`],
            budget: { name: `${claim}, ns`, actual: claimed.median, limit: 20e6 },
          },
        ]),
  ];
}

/** Calls at a steady pace are held to a budget. Others depend on how many cores the nodes share. */
function nodeRows(all: readonly Measurement[]): Found[] {
  return Object.values(nodeWorks).flatMap((work): Found[] => {
    const [one, three, apart] = Object.keys(nodeCounts).map((candidate) =>
      find(all, { candidate, work, metric: "cpuNs" }),
    );
    const rowOf = (what: string, few?: Measurement): Found[] => {
      if (few === undefined || three === undefined) {
        return [];
      }
      const name = `${work}, three nodes to ${what}`;
      const actual = ratio(three, few);
      const row = [name, `${formatRatio(actual)} (${formatTime(three.median)}; ${formatTime(few.median)})`];
      return [work === nodeWorks.paced ? { row, budget: { name, actual, limit: 1.1 } } : { row }];
    };
    return [...rowOf("one", one), ...rowOf("three that share nothing", apart)];
  });
}

function telemetryRows(all: readonly Measurement[]): Found[] {
  const added = (candidate: string, work: string, metric: string): number | undefined => {
    const [found, bare] = [candidate, candidates.bare].map((each) =>
      find(all, { candidate: each, work, metric }),
    );
    return found === undefined || bare === undefined
      ? undefined
      : median(found.samples.map((sample, round) => sample - (bare.samples[round] ?? Number.NaN)));
  };
  const rows: Found[] = [];
  const idle = { candidate: candidates.idle, work: telemetryWorks.middleware, metric: "bytes" };
  const bytes = find(all, idle)?.median;
  if (bytes !== undefined) {
    const what = `${telemetryWorks.middleware}, ${candidates.idle}`;
    // Reading the size of the heap takes some bytes, too.
    rows.push({ row: [what, formatBytes(bytes)], budget: { name: what, actual: bytes, limit: 1 } });
  }
  const whole = added(candidates.idle, telemetryWorks.memory, "bytes");
  if (whole !== undefined) {
    rows.push({ row: [`heap that a call takes more, ${candidates.idle}`, formatBytes(Math.max(0, whole))] });
  }
  const ns = added(candidates.traced, telemetryWorks.time, "ns");
  if (ns !== undefined) {
    const what = `time that a call takes more, ${candidates.traced}`;
    rows.push({ row: [what, formatTime(ns)], budget: { name: `${what}, ns`, actual: ns, limit: 15_000 } });
  }
  return rows;
}

/** What several nodes on shared stores cost. */
export const scale: Suite = {
  name: "scale",
  description: "shared stores and nodes: calls, events, claims, CPU by number of nodes, and telemetry",
  async run({ rounds, wants, log }) {
    const places = await startPlaces();
    const nodes = await startNodes();
    try {
      const all = [
        ...(await callSubjects(places)),
        ...storeSubjects(places),
        ...nodes.subjects,
        ...(await telemetrySubjects()),
      ];
      const measurements = await interleave(
        all.filter(({ candidate, work }) => wants(`${candidate} ${work}`)),
        { rounds, onRound: (round, of) => log(`round ${round} of ${of}`) },
      );
      const found = [
        ...places.flatMap(({ name }) => storedCalls(measurements, name)),
        ...places.flatMap(({ name }) => storeRows(measurements, name)),
        ...nodeRows(measurements),
        ...telemetryRows(measurements),
      ];
      const missing = ["Redis", "PostgreSQL"].filter((name) => !places.some((place) => place.name === name));
      return {
        tables: [{ title: "scale", columns: ["", "found"], rows: found.map(({ row }) => row) }],
        measurements,
        budgets: found.flatMap(({ budget }) => (budget === undefined ? [] : [budget])),
        notes: missing.map((name) => `${name} is missing on this machine: its rows are left out.`),
      };
    } finally {
      await nodes.close();
      for (const place of places) {
        await place[Symbol.asyncDispose]();
      }
    }
  },
};
