import type { Closed } from "@tenon/jsonrpc2";

/** Waits for the end of a peer; rejects with what broke it, or when `signal` fires. */
export async function waitFor(closed: Promise<Closed>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort);
  });
  try {
    const { error } = await Promise.race([closed, aborted]);
    if (error !== undefined) {
      await Promise.reject(error);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
