import { drainable, inTime, systemClock, type Clock } from "@tenon/base";

/** Something that ends with the process: a listening server, a `Server`, stores, a database. */
export interface Closable {
  /**
   * Ends it. Objects of Tenon, and others that have the property `drainable`, get `drainMs`: the
   * time that running work may take to finish, in milliseconds. All others get no argument, because
   * some libraries expect a callback there.
   */
  close(options?: { drainMs?: number | undefined }): PromiseLike<unknown>;
}

/** Options of `drain`. */
export interface DrainOptions {
  /**
   * The objects to close, one after the other: the listening server, then the MCP server, then
   * stores. By default nothing is closed.
   */
  readonly close?: readonly Closable[] | undefined;
  /**
   * How long the server still serves requests while it is not ready, in milliseconds: until the
   * balancer has noticed. Default: `5_000`.
   */
  readonly noticeMs?: number | undefined;
  /** How long running work may take to finish afterwards, in milliseconds. Default: `10_000`. */
  readonly drainMs?: number | undefined;
}

/** How much longer than its time something may take to close before the next is closed. */
const graceMs = 1_000;

/**
 * Waits, and closes everything in its order, even if something fails to close.
 *
 * @throws `AggregateError` with the errors of what failed to close, or did not close in time.
 */
export async function closeAll(options: DrainOptions, clock: Clock = systemClock): Promise<void> {
  const { close = [], noticeMs = 5_000, drainMs = 10_000 } = options;
  await new Promise<void>((resolve) => {
    clock.setTimeout(resolve, noticeMs, true);
  });
  const deadline = clock.now() + drainMs;
  const errors: unknown[] = [];
  for (const [index, one] of close.entries()) {
    const left = Math.max(0, deadline - clock.now());
    const expired = (): never => {
      throw new Error(`Object ${index + 1} of close did not close within ${left} ms (drainMs).`);
    };
    try {
      const closed = Promise.resolve<unknown>(drainable in one ? one.close({ drainMs: left }) : one.close());
      await inTime(closed, left + graceMs, { expired, clock });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    throw new AggregateError(errors, `${errors.length} of ${close.length} failed to close.`);
  }
}
