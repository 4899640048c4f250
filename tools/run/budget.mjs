// What a whole run of the tests may cost. Processor time depends on the machine, so it is compared with that of a fixed piece of work.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./workspace.mjs";

/** By how much a run may exceed the budget. */
const tolerance = 0.1;

/** The time from one sample of the speed to the next, in milliseconds: about 0.5 % of the processor time of one core. */
const sampleMs = 5000;

/**
 * Measures how fast this machine is during the run: others may share it for a part of the run only.
 *
 * @returns {() => number} Ends the measurement. Returns how long a fixed piece of work took, in seconds of the processor: the mean.
 */
export function watchSpeed() {
  // The first one compiles the code.
  sample();
  const samples = [sample()];
  const timer = setInterval(() => samples.push(sample()), sampleMs);
  return () => {
    clearInterval(timer);
    return samples.reduce((sum, seconds) => sum + seconds, 0) / samples.length;
  };
}

function sample() {
  const before = process.cpuUsage();
  const seen = new Map();
  let length = 0;
  for (let index = 0; index < 100_000; index++) {
    seen.set(index % 5000, (seen.get(index % 5000) ?? 0) + index);
    length += JSON.stringify({ index }).length;
  }
  const { user, system } = process.cpuUsage(before);
  return length > 0 ? (user + system) / 1e6 : 0;
}

/** From which number of processes per core on, in the mean of 15 minutes, others have shared the machine. A run alone has about two. */
const crowd = 4;

/**
 * Why the processor time of a run says nothing: processes that share cores and caches take more of it, for the same work.
 *
 * @param {number} load - The mean number of processes that were running or waiting for a core.
 * @param {number} cores
 * @returns {string | undefined}
 */
export function crowded(load, cores) {
  return load <= crowd * cores
    ? undefined
    : `The processor time is not judged: ${load.toFixed(0)} processes shared the ${cores} cores. The budget counts as skipped.`;
}

/**
 * Compares the cost of a run with the budget in `budget.json`.
 *
 * @param {number} cpuSeconds - The processor time of the run.
 * @param {number} unit - What `watchSpeed` measured.
 * @returns {{ ok: boolean, text: string }}
 */
export function budget(cpuSeconds, unit) {
  const planned = JSON.parse(readFileSync(join(root, "tools/run/budget.json"), "utf8"));
  // A faster machine than the one of the budget gets no smaller limit: only its idle half would be faster.
  const scale = Math.max(1, unit / planned.unitSeconds);
  const limit = planned.cpuSeconds * scale * (1 + tolerance);
  const ok = cpuSeconds <= limit;
  const sum = `Sum: ${cpuSeconds.toFixed(0)} s of the processor, of ${limit.toFixed(0)} allowed`;
  const basis = `${planned.cpuSeconds} s × ${scale.toFixed(2)} for this machine + ${tolerance * 100} %`;
  const advice = ok
    ? ""
    : ". Find what became expensive in the table above, or raise cpuSeconds in tools/run/budget.json and say why";
  return { ok, text: `${sum} (${basis})${advice}.` };
}
