import { unlessAborted } from "@tenon/base";
import type { Closed } from "@tenon/jsonrpc2";

/** Waits for the end of a peer; rejects with what broke it, or when `signal` fires. */
export async function waitFor(closed: Promise<Closed>, signal: AbortSignal | undefined): Promise<void> {
  const { error } = await unlessAborted(closed, signal);
  if (error !== undefined) {
    await Promise.reject(error);
  }
}

/**
 * Waits for the end of a session, and closes the session when `signal` fires. Rejects with what
 * broke the session.
 */
export async function waitOrClose(
  session: { wait(): Promise<void>; close(): Promise<void> },
  signal: AbortSignal | undefined,
): Promise<void> {
  const stop = (): void => void session.close();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) {
    stop();
  }
  try {
    await session.wait();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
