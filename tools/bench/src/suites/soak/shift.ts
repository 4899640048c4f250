import { setTimeout as delay } from "node:timers/promises";

import type { ClientSession } from "@tenon/mcp";

import { httpFaults, killedServer } from "./faults.ts";
import { briefSession, connectHTTP, rawCalls, sessionActs, type World } from "./good.ts";
import { programOf, type SoakServer } from "./held.ts";
import { note, type Journal } from "./journal.ts";
import { createRandom } from "./random.ts";

/** Sessions that live as long as a shift, and workers that do one act after the other. */
const goodWorkers = 8;
const faultyWorkers = 10;
/** The longest pause between two acts of a worker. */
const maxPauseMs = 40;

/** What a shift is made of. */
export interface ShiftOptions {
  readonly servers: readonly [SoakServer, ...SoakServer[]];
  /** A session with the server on stdio, which outlives the shift. */
  readonly stdio: ClientSession;
  readonly seed: number;
  readonly ms: number;
  readonly journal: Journal;
}

/**
 * A time of mixed load and faults, from the opening of the first session to the end of the last
 * one.
 */
export async function workShift({ servers, stdio, seed, ms, journal }: ShiftOptions): Promise<void> {
  const sessions = await Promise.all(
    servers.flatMap(({ port }) => [connectHTTP(port, "2025-11-25"), connectHTTP(port, "2026-07-28")]),
  );
  const [first, ...others] = [stdio, ...sessions];
  const ports = servers.map(({ port }) => port) as [number, ...number[]];
  const end = performance.now() + ms;
  const worker = async (index: number, act: (world: World) => Promise<void>): Promise<void> => {
    const random = createRandom(seed * 1000 + index);
    while (performance.now() < end) {
      await act({ random, journal });
      await delay(random.between(0, maxPauseMs));
    }
  };
  const good = async (world: World): Promise<void> => {
    const { random } = world;
    const port = random.pick(ports);
    if (random.chance(0.15)) {
      await note(journal, "calls on a socket", () => rawCalls(port, world));
    } else if (random.chance(0.1)) {
      await note(journal, "brief session", () => briefSession(port, world));
    } else {
      const [name, act] = random.pick(sessionActs);
      await note(journal, name, () => act(random.pick([first ?? stdio, ...others]), world));
    }
  };
  const faulty = async (world: World): Promise<void> => {
    const [name, act] = world.random.pick(httpFaults);
    await note(journal, name, () => act(world.random.pick(ports), world));
  };
  const killing = async (world: World): Promise<void> => {
    await note(journal, "killed stdio server", () => killedServer(programOf("stdio"), world));
    await delay(1000);
  };
  await Promise.all([
    ...Array.from({ length: goodWorkers }, (_, index) => worker(index, good)),
    ...Array.from({ length: faultyWorkers }, (_, index) => worker(100 + index, faulty)),
    worker(200, killing),
  ]);
  await Promise.all(sessions.map((session) => session.close()));
}
