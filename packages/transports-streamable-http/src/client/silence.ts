import { systemClock } from "@tenon/jsonrpc2";

/** Watches that something goes on: without a sign of life for a while its signal fires. */
export interface SilenceWatch {
  /** Fires when it has been silent for too long, or with the signal that it was made from. */
  readonly signal: AbortSignal;
  /** A sign of life. */
  readonly heard: () => void;
  /** Stops watching. */
  readonly stop: () => void;
}

/**
 * Makes a watch, which begins with the first sign of life: how long a server takes to answer is for its caller to judge.
 *
 * @param maxSilenceMs - 0: for ever.
 */
export function watchSilence(signal: AbortSignal, maxSilenceMs: number): SilenceWatch {
  if (maxSilenceMs <= 0) {
    return { signal, heard: nothing, stop: nothing };
  }
  const controller = new AbortController();
  let timer: unknown;
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    heard: () => {
      systemClock.clearTimeout(timer);
      timer = systemClock.setTimeout(
        () => {
          const message = `Nothing has come on the stream for ${maxSilenceMs} ms (reconnect.maxSilenceMs).`;
          controller.abort(new Error(message));
        },
        maxSilenceMs,
        true,
      );
    },
    stop: () => systemClock.clearTimeout(timer),
  };
}

const nothing = (): void => {};
