import type { PeerOptions, Unexpected } from "./options.ts";

/** Runs what the user of a peer has hooked into it: whatever a hook throws reaches `onError`, never the conversation. */
export class Hooks {
  readonly #options: PeerOptions;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** @returns What the callback returned; `undefined` if it failed. */
  run<T>(callback: () => T): T | undefined {
    try {
      return callback();
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  /** Tells of something received that nobody asked for. */
  unexpected(unexpected: Unexpected): void {
    this.run(() => this.#options.onUnexpected?.(unexpected));
  }

  onError(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // An error sink that fails has nowhere left to report to.
    }
  }
}
