import { reasonOf, sleep, unlessAborted, type Clock } from "@tenon/base";

import { HostError, isHostError } from "../error.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import type { ConnectReport } from "./options.ts";

/** Options of `Manager.connectAll`. */
export interface ConnectAllOptions {
  /** Ends the wait; attempts continue. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum time to wait, in milliseconds. Servers that are not connected then are `pending` and
   * keep connecting. By default it waits for all servers.
   */
  readonly waitMs?: number | undefined;
}

/**
 * Connects to servers, and reports the result for each.
 *
 * @param servers - In the order of the report.
 */
export async function connectAll(
  servers: readonly ManagedServer[],
  clock: Clock,
  { signal, waitMs = Infinity }: ConnectAllOptions,
): Promise<ConnectReport> {
  const wanted = servers.filter(({ spec }) => spec.disabled !== true);
  const eager = wanted.filter(({ spec }) => spec.lazy !== true);
  const failures = new Map<string, HostError>();
  const all = Promise.all(
    eager.map(async (server) => {
      try {
        await server.connect();
      } catch (error) {
        failures.set(server.name, asHostError(server.name, error));
      }
    }),
  );
  const over = new AbortController();
  try {
    const limit = sleep(waitMs, { clock, signal: over.signal, keepsAlive: true }).catch(() => {});
    await unlessAborted(Promise.race([all, limit]), signal);
  } finally {
    over.abort();
  }
  const failed = new Map(
    eager.flatMap(({ name }) => {
      const failure = failures.get(name);
      return failure === undefined ? [] : [[name, failure] as const];
    }),
  );
  const required = eager.filter(({ spec }) => spec.required === true);
  const fatal = required.map(({ name }) => failed.get(name)).find((failure) => failure !== undefined);
  if (fatal !== undefined) {
    throw fatal;
  }
  return {
    ready: wanted.filter(({ session }) => session !== undefined).map(({ name }) => name),
    failed,
    pending: wanted
      .filter(({ session, name }) => session === undefined && !failed.has(name))
      .map(({ name }) => name),
  };
}

function asHostError(server: string, error: unknown): HostError {
  return isHostError(error)
    ? error
    : new HostError("CONNECT_FAILED", reasonOf(error), { server, phase: "connect", cause: error });
}
