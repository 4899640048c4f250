import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

import { systemClock } from "@tenon/base";
import { RpcError } from "@tenon/jsonrpc2/core";
import { inputRequired, type InputRequired, type ServerRequest } from "@tenon/mcp/server";
import { safeParse } from "mcp-sdk-1/server/zod-compat.js";
import {
  DEFAULT_REQUEST_TIMEOUT_MSEC as defaultTimeout,
  type RequestOptions,
} from "mcp-sdk-1/shared/protocol.js";
import { ErrorCode, McpError } from "mcp-sdk-1/types.js";

import { timedOut } from "../shared/errors.ts";
import type { Named, Schema } from "../shared/internals.ts";
import { settings } from "../shared/settings.ts";
import type { ServerInternals } from "./engine.ts";

/** An input request whose response a handler waits for. */
interface Question {
  readonly method: string;
  readonly params: Named["params"];
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * A handler of the official package that handles a modern request. It runs once. While it waits for
 * input it is parked: the client gets the input requests as the result, and its retry continues the
 * same run.
 */
export interface Run {
  /** The request of this round, to which notifications belong. */
  request: ServerRequest;
  /** Aborts when a turn is cancelled, after `parkedMs`, and with the connection of a parked run. */
  readonly signal: AbortSignal;
}

interface LiveRun extends Run {
  /** Identifies this run while it is parked; renewed in each round. */
  ticket: string | undefined;
  readonly official: ServerInternals;
  readonly abort: AbortController;
  readonly principal: string | undefined;
  readonly questions: Map<string, Question>;
  asked: number;
  /** The result of the handler, once there is one. */
  outcome: Promise<unknown> | undefined;
  isDone: boolean;
  endTurn: ((questions: InputRequired) => void) | undefined;
  timer: unknown;
}

const current = new AsyncLocalStorage<LiveRun>();
/** The parked runs of all servers in the process: over HTTP each request has its own server. */
const parked = new Map<string, LiveRun>();

/** How many runs of the process are parked. */
export function parkedRuns(): number {
  return parked.size;
}

/** The run that calls, if it is one of this server. */
export function runOf(official: ServerInternals): Run | undefined {
  const run = current.getStore();
  return run?.official === official ? run : undefined;
}

/** Calls a function as a part of a run. */
export function within<T>(run: Run, call: () => T): T {
  return current.run(run as LiveRun, call);
}

/** Starts a handler, and resolves with its result or with its first input requests. */
export function start(
  official: ServerInternals,
  request: ServerRequest,
  handler: (run: Run) => Promise<unknown>,
): Promise<unknown> {
  const abort = new AbortController();
  const run: LiveRun = {
    ticket: undefined,
    official,
    request,
    abort,
    signal: abort.signal,
    principal: request.auth?.principal,
    questions: new Map(),
    asked: 0,
    outcome: undefined,
    isDone: false,
    endTurn: undefined,
    timer: undefined,
  };
  return turn(run, request, () => {
    const outcome = current.run(run, () => handler(run));
    run.outcome = outcome;
    const end = (): void => {
      run.isDone = true;
      for (const { method, reject } of run.questions.values()) {
        reject(over(method));
      }
    };
    outcome.then(end, end);
  });
}

/** Waits until a run has a result or input requests. */
function turn(run: LiveRun, request: ServerRequest, go: () => void): Promise<unknown> {
  run.request = request;
  const { signal } = request;
  const cancel = (): void => run.abort.abort(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const asked = new Promise<InputRequired>((resolve) => {
    run.endTurn = resolve;
  });
  go();
  return Promise.race([asked, run.outcome]).finally(() => {
    signal.removeEventListener("abort", cancel);
    run.endTurn = undefined;
  });
}

/**
 * Continues the run of a retry; `undefined` if the request is not a retry.
 *
 * @throws `RpcError` `-32602` if the run does not wait here: it never starts again by itself.
 */
export function resume(request: ServerRequest): Promise<unknown> | undefined {
  const { params } = request;
  if ((params["requestState"] ?? params["inputResponses"] ?? undefined) === undefined) {
    return undefined;
  }
  // The state is sealed for this principal and these params.
  const { ticket } = Object(request.requestState) as { readonly ticket?: unknown };
  const run = typeof ticket === "string" ? parked.get(ticket) : undefined;
  if (run === undefined || run.principal !== request.auth?.principal) {
    const message =
      "No request waits for these inputResponses here: it has got its responses, has waited too long, or runs in another process. Send the request again, without requestState and inputResponses.";
    return Promise.reject(new RpcError(ErrorCode.InvalidParams, message));
  }
  unpark(run);
  const { inputResponses: responses } = request;
  return turn(run, request, () => {
    for (const [key, question] of [...run.questions]) {
      if (responses !== undefined && Object.hasOwn(responses, key)) {
        run.questions.delete(key);
        question.resolve(responses[key]);
      }
    }
    if (run.questions.size > 0) {
      endTurnSoon(run);
    }
  });
}

function unpark(run: LiveRun): void {
  if (run.ticket !== undefined) {
    parked.delete(run.ticket);
    run.ticket = undefined;
  }
  systemClock.clearTimeout(run.timer);
}

/** Sends an input request to the client of a run, and resolves with its response. */
export async function ask(
  of: Run,
  { method, params }: Named,
  schema: Schema,
  options: RequestOptions,
): Promise<unknown> {
  const run = of as LiveRun;
  run.signal.throwIfAborted();
  options.signal?.throwIfAborted();
  if (run.isDone) {
    throw over(method);
  }
  // Modern servers never send what the client has not declared.
  run.official.assertCapabilityForMethod(method);
  if (run.questions.size >= maxQuestions) {
    throw new Error(`A request may ask for ${maxQuestions} inputs at a time.`);
  }
  const key = `q${++run.asked}`;
  const { timeout = defaultTimeout, signal } = options;
  let timer: unknown;
  let stop: (() => void) | undefined;
  try {
    const answer = await new Promise<unknown>((resolve, reject) => {
      run.questions.set(key, { method, params, resolve, reject });
      timer = systemClock.setTimeout(() => reject(timedOut(timeout)), timeout, true);
      stop = (): void =>
        reject(
          new McpError(
            ErrorCode.RequestTimeout,
            String((signal?.aborted === true ? signal : run.signal).reason),
          ),
        );
      signal?.addEventListener("abort", stop, { once: true });
      run.signal.addEventListener("abort", stop, { once: true });
      endTurnSoon(run);
    });
    const parsed = safeParse(schema, answer);
    if (!parsed.success) {
      throw parsed.error;
    }
    return parsed.data;
  } finally {
    systemClock.clearTimeout(timer);
    run.questions.delete(key);
    if (stop !== undefined) {
      signal?.removeEventListener("abort", stop);
      run.signal.removeEventListener("abort", stop);
    }
  }
}

/** No response can reach a run that has its result. */
function over(method: string): Error {
  return new Error(
    `${method} can only be sent while a request of the client is being handled: the handler has already returned.`,
  );
}

/** How many input requests of one run may wait for their responses. */
const maxQuestions = 64;

/** Parks the run at the end of this turn: input requests of one turn are sent together. */
function endTurnSoon(run: LiveRun): void {
  setImmediate(() => {
    const { endTurn, questions } = run;
    if (endTurn === undefined || run.isDone || questions.size === 0 || run.signal.aborted) {
      return;
    }
    const full = roomFor(run);
    if (full !== undefined) {
      for (const question of questions.values()) {
        question.reject(full);
      }
      return;
    }
    const ticket = randomUUID();
    run.ticket = ticket;
    parked.set(ticket, run);
    const { parkedMs } = settings;
    run.timer = systemClock.setTimeout(
      () => {
        unpark(run);
        run.abort.abort(new Error(`No response of the client within ${parkedMs} ms (parkedMs).`));
      },
      parkedMs,
      false,
    );
    run.endTurn = undefined;
    const requests = [...questions].map(([key, { method, params = {} }]) => [key, { method, params }]);
    endTurn(
      inputRequired({ inputRequests: Object.fromEntries(requests) as never, requestState: { ticket } }),
    );
  });
}

function roomFor({ principal, request }: LiveRun): Error | undefined {
  const { maxParked, maxParkedPerPrincipal } = settings;
  if (!hasRoom([...parked.values()], maxParked)) {
    return new Error(`Too many requests wait for input: the limit is ${maxParked} (maxParked).`);
  }
  if (principal === undefined && request.http === undefined) {
    return undefined;
  }
  const mine = [...parked.values()].filter((run) => run.principal === principal);
  if (principal !== undefined) {
    return hasRoom(mine, maxParkedPerPrincipal)
      ? undefined
      : new Error(
          `Too many requests of one user wait for input: the limit is ${maxParkedPerPrincipal} (maxParkedPerPrincipal).`,
        );
  }
  const most = maxParked - Math.floor(maxParked / 10);
  return hasRoom(mine, most)
    ? undefined
    : new Error(
        `Too many requests without a user wait for input: the limit is ${most} of ${maxParked} (maxParked), and the rest is kept for users.`,
      );
}

/** Whether there is room. A run that has its result makes room, the oldest one first. */
function hasRoom(runs: readonly LiveRun[], limit: number): boolean {
  if (runs.length < limit) {
    return true;
  }
  const over = runs.find((run) => run.isDone);
  if (over !== undefined) {
    unpark(over);
  }
  return over !== undefined;
}

/** Aborts the parked runs of a server whose connection has ended. */
export function forget(official: ServerInternals): void {
  for (const run of [...parked.values()]) {
    // Each request over HTTP has its own connection, which ends before the retry arrives.
    if (run.official === official && run.request.http === undefined) {
      unpark(run);
      run.abort.abort(new Error("The connection was closed."));
    }
  }
}
