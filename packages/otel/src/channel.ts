import { builtinModule } from "@tenon/base";

/** The part of `node:diagnostics_channel` that is used. */
export interface Diagnostics {
  subscribe(name: string, listener: (event: unknown) => void): void;
  unsubscribe(name: string, listener: (event: unknown) => void): boolean;
}

/**
 * Subscribes to a channel of this process. Where the runtime has no diagnostics channels, the
 * listener is never called.
 *
 * @returns Ends the subscription.
 */
export function subscribe(channel: string, listener: (event: unknown) => void): () => void {
  const diagnostics = builtinModule("node:diagnostics_channel") as Diagnostics | undefined;
  diagnostics?.subscribe(channel, listener);
  return () => void diagnostics?.unsubscribe(channel, listener);
}
