import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { formatBytes, formatTime } from "../../format.ts";
import { find, interleave, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { folderWith } from "./folder-with.ts";
import { callsOverHttp, callsOverStdio, heapOfIdle, startToAnswer } from "./measure.ts";

const official = readFileSync(new URL("programs/official.mjs", import.meta.url), "utf8");
const works = {
  stdio: "stdio, 64 calls at a time",
  http: "stateless HTTP, 8 calls at a time",
  start: "start to the first response",
  idle: "heap of an idle session, both ends",
} as const;

/** The program of each candidate. */
function programs(): ReadonlyMap<string, string> {
  return new Map([
    ["official v1", `${folderWith("@modelcontextprotocol/sdk/types.js", "../..", official)}/server.mjs`],
    ["official v1 on Tenon", `${folderWith("@tenon/official-v1/types.js", "../..", official)}/server.mjs`],
    ["Tenon", fileURLToPath(new URL("programs/tenon.mjs", import.meta.url))],
  ]);
}

/** One server: on the official SDK 1.x, on `@tenon/official-v1`, and written for Tenon. */
export const dropIn: Suite = {
  name: "drop-in",
  description: "a server of the official SDK 1.x on the original, on official-v1, and written for Tenon",
  async run({ rounds, wants, log }) {
    const candidates = [...programs()].filter(([name]) => wants(name));
    const subjects = candidates.flatMap(([candidate, file]): readonly Subject[] => [
      { candidate, work: works.stdio, sample: () => callsOverStdio(file) },
      { candidate, work: works.http, sample: () => callsOverHttp(file) },
      { candidate, work: works.start, sample: () => startToAnswer(file) },
      { candidate, work: works.idle, sample: () => heapOfIdle(file) },
    ]);
    const measurements = await interleave(subjects, {
      rounds: rounds ?? 7,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const rows = [
      [works.stdio, "ns", formatTime],
      [works.stdio, "cpuNs", formatTime],
      [works.http, "ns", formatTime],
      [works.http, "cpuNs", formatTime],
      [works.start, "ns", formatTime],
      [works.idle, "bytes", formatBytes],
    ] as const;
    return {
      tables: [
        {
          title: "official v1, on Tenon, and Tenon",
          columns: ["", ...candidates.map(([name]) => name)],
          rows: rows.map(([work, metric, format]) => [
            metric === "cpuNs" ? `${work}: CPU of the server` : work,
            ...candidates.map(([candidate]) =>
              format(find(measurements, { candidate, work, metric })?.median ?? Number.NaN),
            ),
          ]),
        },
      ],
      measurements,
      budgets: [],
      notes: [],
    };
  },
};
