import { unlessAborted, type Closed } from "@tenon/jsonrpc2";

/** Waits for the end of a peer; rejects with what broke it, or when `signal` fires. */
export async function waitFor(closed: Promise<Closed>, signal: AbortSignal | undefined): Promise<void> {
  const { error } = await unlessAborted(closed, signal);
  if (error !== undefined) {
    await Promise.reject(error);
  }
}
