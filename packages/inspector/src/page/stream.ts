import type { InspectorEvent } from "../wire/state.ts";
import { Refused, request } from "./api.ts";

/**
 * Reads the events of the inspector until it closes, and connects again when the connection is
 * lost.
 *
 * @param after - Gives the last line that the page has.
 * @param onConnection - Called with `true` and `false`; with a reason if the page must not connect
 *   again.
 */
export async function followEvents(
  after: () => number,
  onEvent: (event: InspectorEvent) => void,
  onConnection: (connected: boolean, reason?: string) => void,
): Promise<void> {
  for (let delay = 250; ; delay = Math.min(delay * 2, 5000)) {
    try {
      const response = await request(`events?after=${after()}`);
      onConnection(true);
      delay = 250;
      await readEvents(response, onEvent);
    } catch (error) {
      if (error instanceof Refused && error.status !== 429) {
        onConnection(false, error.message);
        return;
      }
    }
    onConnection(false);
    await new Promise((resolve) => {
      setTimeout(resolve, delay);
    });
  }
}

/** How long events are applied before the browser can draw a frame, in milliseconds. */
const maxBusyMs = 6;

/** Resolves after the browser had an opportunity to draw, and to respond to the person. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

async function readEvents(response: Response, onEvent: (event: InspectorEvent) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let began = performance.now();
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) {
      return;
    }
    const events = (rest + next.value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      onEvent(JSON.parse(event.slice("data: ".length)) as InspectorEvent);
      if (performance.now() - began > maxBusyMs) {
        await pause();
        began = performance.now();
      }
    }
  }
}
