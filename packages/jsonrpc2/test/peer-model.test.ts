import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { connectionClosed, Peer, type Cancellation } from "../src/index.ts";
import { createScriptedPeer, createVirtualClock } from "../src/testing.ts";
import { note, request, settled } from "./helpers.ts";

const cancellation: Cancellation = {
  notification: (requestId) => ({ method: "cancelled", params: { requestId } }),
  read: ({ method, params }) =>
    method === "cancelled" ? { id: (params as { requestId: number }).requestId } : undefined,
};

/** What the peer must look like from outside. */
class Model {
  /** Inbound requests being handled, by id, in order of arrival. */
  running: number[] = [];
  /** Handlers of cancelled requests that go on unheard. */
  unheard = 0;
  pending: number[] = [];
  /** How many answers each id is entitled to. */
  answers = new Map<number, number>();
  started = 0;
  ending = false;
  broken = false;

  get idle(): boolean {
    return this.running.length === 0 && this.unheard === 0 && this.pending.length === 0;
  }

  /** True once the peer must have closed the connection. */
  get ended(): boolean {
    return this.broken || (this.ending && this.running.length === 0 && this.unheard === 0);
  }
}

/** The peer under test with the world around it. */
class Real {
  readonly other = createScriptedPeer();
  readonly clock = createVirtualClock();
  readonly handlers = new Map<number, ((how: "resolve" | "reject") => void)[]>();
  readonly calls: { settled: number; abort: AbortController; id: number }[] = [];
  readonly errors: unknown[] = [];
  started = 0;
  closed = false;
  readonly peer = new Peer(this.other.connection, {
    clock: this.clock,
    cancellation,
    onError: (error) => this.errors.push(error),
    handler: ({ id }) => {
      if (id === undefined) {
        return undefined;
      }
      this.started++;
      return new Promise((resolve, reject) => {
        const finish = (how: "resolve" | "reject"): void =>
          how === "resolve" ? resolve("ok") : reject(new Error("no"));
        this.handlers.set(Number(id), [...(this.handlers.get(Number(id)) ?? []), finish]);
      });
    },
  });

  constructor() {
    void this.#watch();
  }

  async #watch(): Promise<void> {
    await this.peer.closed;
    this.closed = true;
  }
}

type Step = fc.AsyncCommand<Model, Real>;

function step(name: string, check: (model: Model) => boolean, run: (model: Model, real: Real) => void): Step {
  return {
    check,
    toString: () => name,
    async run(model, real) {
      run(model, real);
      await settled();
      expectAgreement(model, real);
    },
  };
}

function expectAgreement(model: Model, real: Real): void {
  const answers = new Map<number, number>();
  for (const message of real.other.received) {
    if (!("method" in message) && "id" in message && typeof message.id === "number") {
      answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
    }
  }
  expect(answers).toEqual(model.answers);
  expect(real.started).toBe(model.started);
  expect(real.closed).toBe(model.ended);
  expect(real.other.isClosed).toBe(model.ended);
  if (!model.ended) {
    expect(real.peer.idle).toBe(model.idle);
  }
  for (const [index, call] of real.calls.entries()) {
    expect(call.settled).toBe(model.pending.includes(index) ? 0 : 1);
  }
}

const isOpen = (model: Model): boolean => !model.ending && !model.broken;

function entitle(model: Model, id: number): void {
  model.answers.set(id, (model.answers.get(id) ?? 0) + 1);
}

const receive = (id: number): Step =>
  step(
    `request ${id}`,
    ({ broken, ended }) => !broken && !ended,
    (model, real) => {
      real.other.send(request(id));
      if (model.running.includes(id)) {
        return;
      }
      if (model.ending) {
        entitle(model, id);
        return;
      }
      model.running.push(id);
      model.started++;
    },
  );

const finish = (id: number, how: "resolve" | "reject"): Step =>
  step(
    `${how} ${id}`,
    ({ running }) => running.includes(id),
    (model, real) => {
      real.handlers.get(id)?.at(-1)?.(how);
      model.running = model.running.filter((one) => one !== id);
      if (!model.broken) {
        entitle(model, id);
      }
    },
  );

const cancel = (id: number): Step =>
  step(
    `cancel ${id}`,
    ({ broken, ended }) => !broken && !ended,
    (model, real) => {
      real.other.send(note("cancelled", { requestId: id }));
      if (model.running.includes(id)) {
        model.running = model.running.filter((one) => one !== id);
        model.unheard++;
      }
    },
  );

const call = (): Step =>
  step("call", isOpen, (model, real) => {
    const abort = new AbortController();
    const one = { settled: 0, abort, id: 0 };
    model.pending.push(real.calls.length);
    real.calls.push(one);
    const options = { signal: abort.signal, onId: (id: string | number) => (one.id = Number(id)) };
    const count = (): void => {
      one.settled++;
    };
    real.peer.call("m", {}, options).then(count, count);
  });

const answerCall = (which: number): Step =>
  step(
    `answer ${which}`,
    (model) => model.pending.length > 0 && !model.broken && !model.ended,
    (model, real) => {
      const index = model.pending[which % model.pending.length] ?? 0;
      const id = real.calls[index]?.id ?? 0;
      real.other.send({ jsonrpc: "2.0", id, result: 1 }, { jsonrpc: "2.0", id, result: 2 });
      model.pending = model.pending.filter((one) => one !== index);
    },
  );

const abortCall = (which: number): Step =>
  step(
    `abort ${which}`,
    (model) => model.pending.length > 0,
    (model, real) => {
      const index = model.pending[which % model.pending.length] ?? 0;
      real.calls[index]?.abort.abort();
      model.pending = model.pending.filter((one) => one !== index);
    },
  );

const close = (): Step =>
  step(
    "close",
    () => true,
    (model, real) => {
      void real.peer.close();
      model.ending = true;
      if (model.ended) {
        model.pending = [];
      }
    },
  );

const breakWith = (name: string, how: (real: Real) => void): Step =>
  step(name, isOpen, (model, real) => {
    how(real);
    model.broken = true;
    model.pending = [];
  });

/** The handlers of cancelled requests come to their ends too. */
const finishUnheard = (): Step =>
  step(
    "finish unheard",
    ({ unheard }) => unheard > 0,
    (model, real) => {
      for (const [id, handlers] of real.handlers) {
        const heard = model.running.includes(id) ? handlers.slice(0, -1) : handlers;
        for (const handler of heard) {
          handler("resolve");
        }
      }
      model.unheard = 0;
    },
  );

/** What follows from the last handler's end while the peer is closing. */
const afterwards = (inner: Step): Step => ({
  check: (model) => inner.check(model),
  toString: () => inner.toString(),
  async run(model, real) {
    const wasEnded = model.ended;
    try {
      await inner.run(model, real);
    } catch (error) {
      if (wasEnded || !model.ended || model.pending.length === 0) {
        throw error;
      }
      model.pending = [];
      expectAgreement(model, real);
    }
  },
});

test("whatever happens in whatever order, each id is answered at most once and the end comes when it must", async () => {
  const id = fc.nat(3);
  const steps = [
    id.map(receive),
    id.map(receive),
    id.map((one) => finish(one, "resolve")),
    id.map((one) => finish(one, "reject")),
    id.map(cancel),
    fc.constant(call()),
    fc.nat(9).map(answerCall),
    fc.nat(9).map(abortCall),
    fc.constant(finishUnheard()),
    fc.constant(close()),
    fc.constant(breakWith("read error", (real) => real.other.fail(new Error("broken")))),
    fc.constant(
      breakWith("write error", (real) => {
        real.other.failWrites(connectionClosed());
        // No time passes but here: the peer gives up on what the other side may still say.
        void real.peer.notify("n").catch(() => real.clock.advance(1000));
      }),
    ),
  ].map((arbitrary) => arbitrary.map(afterwards));
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), (commands) =>
      fc.asyncModelRun(() => ({ model: new Model(), real: new Real() }), commands),
    ),
    { numRuns: samples(1000) },
  );
});
