import type { Engine } from "../engine/engine.ts";
import type { InspectorEvent } from "../wire/state.ts";

/** How many lines one event has at most. */
const batch = 500;

/**
 * The events of an engine as a stream of `text/event-stream`: the state when it has changed, and
 * the lines after `after`. An event is made when the reader takes it, so a slow reader makes
 * nothing wait.
 *
 * @param onEnd - Called once when the stream ends.
 */
export function eventStream(
  engine: Engine,
  after: number,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let seen = after;
  let stateIsNew = true;
  let wake = (): void => {};
  const stop = engine.onChange(() => {
    stateIsNew = true;
    wake();
  });
  let hasEnded = false;
  // A browser that disconnects aborts the signal and cancels the stream.
  const end = (): void => {
    if (!hasEnded) {
      hasEnded = true;
      stop();
      wake();
      onEnd();
    }
  };
  let lastState = "";

  function nextEvent(): InspectorEvent | undefined {
    if (seen > 0 && (engine.log.after(0, 1)[0]?.seq ?? Infinity) > seen) {
      // All lines of the reader were removed, perhaps while it was disconnected.
      seen = 0;
      return { type: "lines", lines: [], cleared: true };
    }
    if (stateIsNew) {
      stateIsNew = false;
      const state = engine.state;
      const text = JSON.stringify(state);
      if (text !== lastState) {
        lastState = text;
        return { type: "state", state };
      }
    }
    const lines = engine.log.after(seen, batch);
    const last = lines.at(-1);
    if (last === undefined) {
      return undefined;
    }
    seen = last.seq;
    return { type: "lines", lines };
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          if (signal.aborted) {
            end();
            controller.close();
            return;
          }
          const event = nextEvent();
          if (event !== undefined) {
            controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
            return;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      start() {
        signal.addEventListener("abort", end, { once: true });
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
