import { createHash } from "node:crypto";

import { samples } from "@tenon/samples";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { createOAuth, isAuthError, type OAuthProvider } from "../src/client.ts";
import { createSharedStore, type ProcessStore, type Reaction, type StoreFault } from "../src/testing.ts";
import { setUp } from "./setup.ts";

/**
 * How many histories are tried, and the seed of the first, which is new in the run of each night.
 * A history takes about 20 ms of a core.
 * More of them by hand: `AUTH_MODEL_SEEDS=2500 AUTH_MODEL_FIRST=2501`.
 */
const seeds = Number(process.env["AUTH_MODEL_SEEDS"] ?? samples(60));
const firstSeed = Number(process.env["AUTH_MODEL_FIRST"] ?? process.env["TENON_SEED"] ?? 1);

// Hashes come from a pool of threads, in real time. The model needs every history to be the same
// each time it runs.
beforeAll(() => {
  vi.spyOn(crypto.subtle, "digest").mockImplementation((_, data) => {
    const hash = createHash("sha256")
      .update(new Uint8Array(data as ArrayBuffer))
      .digest();
    return Promise.resolve(Uint8Array.from(hash).buffer);
  });
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Numbers from 0 to 1 that depend on the seed only. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

interface Process {
  readonly provider: OAuthProvider;
  readonly store: ProcessStore;
}

/** Faults after which no token is lost. */
function harmlessReaction(random: () => number): Reaction {
  const all: readonly Reaction[] = [
    {},
    {},
    { delayMs: Math.floor(random() * 9000) },
    { status: 503, body: "down" },
    { status: 429, body: {} },
    { drop: "request" },
    { body: "<html>", status: 502 },
    { status: 400, body: { error: "temporarily_unavailable" } },
  ];
  return all[Math.floor(random() * all.length)] ?? {};
}

/** Runs one history, and returns what went wrong. */
async function history(seed: number, isLossy: boolean): Promise<readonly string[]> {
  const random = mulberry(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const wrong: string[] = [];
  const { servers, options, clock } = setUp({ expiresIn: 600 }, { interactive: "onLogin" });
  const shared = createSharedStore(clock);
  let losses = 0;
  let hasFaults = false;
  const fault = (operation: string): StoreFault => {
    if (!hasFaults || random() < 0.6) {
      return {};
    }
    // A lock that nobody gets, and a value that cannot be read, are outages too. A write that fails
    // loses tokens for the other processes.
    const fails = random() < 0.1 && (operation !== "put" || isLossy);
    losses += fails && operation === "put" ? 1 : 0;
    return { delayMs: upTo(400), fails };
  };
  const start = (): Process => {
    const store = shared.start(fault);
    return { store, provider: createOAuth({ ...options, store, random }) };
  };
  const processes = Array.from({ length: 2 + upTo(3) }, start);
  const pending = new Set<object>();
  const outcomes: unknown[] = [];

  /** Lets time pass, until a condition holds. */
  async function pass(ms: number, isEnough = (): boolean => false): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      for (let turns = 0; turns < 3; turns++) {
        await turn();
      }
      if (isEnough()) {
        return;
      }
      clock.advance(250);
    }
  }
  const settle = (): Promise<void> => pass(240_000, () => pending.size === 0);
  function call({ provider }: Process): void {
    const own = {};
    pending.add(own);
    servers.call(provider).then(
      ({ status }) => {
        outcomes.push(status);
        pending.delete(own);
      },
      (error: unknown) => {
        outcomes.push(error);
        pending.delete(own);
      },
    );
  }

  await processes[0]?.provider.login();

  for (let round = 0; round < 4; round++) {
    hasFaults = true;
    const isExpired = random() < 0.7;
    clock.advance(isExpired ? 600_000 : upTo(550_000));
    const reactions = Array.from({ length: upTo(4) }, () => harmlessReaction(random));
    servers.script.next("token", ...reactions);
    if (isLossy && random() < 0.5) {
      losses++;
      servers.script.next("token", { drop: "response" });
    }
    for (let calls = 1 + upTo(8); calls > 0; calls--) {
      const process = processes[upTo(processes.length)];
      if (process !== undefined) {
        call(process);
      }
      await pass(upTo(3) * 250);
    }
    if (isLossy && random() < 0.3) {
      losses++;
      const index = upTo(processes.length);
      processes[index]?.store.kill();
      processes[index] = start();
      // Whoever waits for a dead process waits for ever, as a killed process does.
      pending.clear();
    }
    hasFaults = false;
    await settle();
    if (pending.size > 0) {
      wrong.push(`${pending.size} calls did not settle`);
      pending.clear();
    }
    // A refresh in the background may be in flight still. A jump of the clock would lose its
    // response.
    await pass(12_000);
  }

  servers.script.clear();
  for (let count = 0; count < 2; count++) {
    clock.advance(200_000);
    processes.forEach(call);
    await settle();
    await pass(12_000);
  }
  outcomes.length = 0;
  clock.advance(600_000);
  processes.forEach(call);
  await settle();

  const codes = outcomes.map((outcome) => (isAuthError(outcome) ? outcome.code : String(outcome)));
  const expected = isLossy && losses > 0 ? ["200", "NEEDS_USER", "GRANT_EXPIRED"] : ["200"];
  wrong.push(...codes.filter((code) => !expected.includes(code)).map((code) => `a call ended with ${code}`));
  if (servers.of("authorize").length !== 1) {
    wrong.push(`${servers.of("authorize").length} logins were started`);
  }
  const presented = Math.max(0, ...servers.tokens.presented.values());
  if (presented > 1 + losses) {
    wrong.push(`a refresh token was presented ${presented} times`);
  }
  if (!isLossy && servers.tokens.reuses > 0) {
    wrong.push("the authorization server saw a refresh token twice");
  }
  return wrong;
}

async function run(isLossy: boolean): Promise<void> {
  const failures: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + seeds && failures.length < 3; seed++) {
    const wrong = await history(seed, isLossy);
    failures.push(...wrong.map((each) => `seed ${seed}: ${each}`));
  }
  expect(failures).toEqual([]);
}

test(
  "A-033, A-034, A-036: whatever the order of requests, processes and outages, no login is lost and no refresh token is used twice",
  () => run(false),
  60_000 + seeds * 2000,
);

test(
  "A-035: when responses are lost and processes are killed, every call settles, no login starts by itself, and nothing loops",
  () => run(true),
  60_000 + seeds * 2000,
);
