import { anySignal, sleep } from "@tenon/base";

import { onChange } from "./notices.ts";
import { listenTo, type ListenedTask } from "./session-listen.ts";
import { boundedPollMs, type RemoteTask } from "./task.ts";
import type { TaskWire } from "./wire.ts";

/**
 * How many times longer a task is not polled while the server sends its states: a stream can break
 * without a sign.
 */
const heardFactor = 10;

/** The states of a task that the server sends, and when the task is to be polled. */
export class TaskStates {
  readonly #wire: TaskWire;
  readonly #listened: ListenedTask | undefined;
  readonly #forget: () => void;
  #sent: RemoteTask | undefined;
  #isWoken = false;
  #waking: AbortController | undefined;

  /** Begins to listen. {@link end} ends it. */
  constructor(wire: TaskWire, id: string) {
    this.#wire = wire;
    const wake = (): void => this.wake();
    if (wire.isModern) {
      const listened = listenTo(wire, id, {
        sent: (task) => {
          this.#sent = task;
          this.#waking?.abort();
        },
        missed: wake,
      });
      this.#listened = listened;
      this.#forget = () => listened.end();
    } else {
      this.#forget = onChange(wire.session, id, wake);
    }
  }

  /**
   * Waits for the next state.
   *
   * @param task - The state that is known.
   * @returns A state that the server sent; `undefined` when it is time for a poll.
   * @throws `signal.reason`.
   */
  async next(task: RemoteTask, signal: AbortSignal): Promise<RemoteTask | undefined> {
    if (this.#sent === undefined && !this.#isWoken) {
      const waking = new AbortController();
      this.#waking = waking;
      const factor = this.#listened?.isHeard() === true ? heardFactor : 1;
      await sleep(boundedPollMs(task.pollIntervalMs, factor), {
        signal: anySignal([waking.signal, signal]),
        clock: this.#wire.host.clock,
        keepsAlive: true,
      }).catch(() => undefined);
      this.#waking = undefined;
    }
    signal.throwIfAborted();
    const sent = this.#sent;
    this.#sent = undefined;
    if (sent !== undefined && !isOlder(sent, task)) {
      return sent;
    }
    this.#isWoken = false;
    return undefined;
  }

  /** Makes the next poll come at once. */
  wake(): void {
    this.#isWoken = true;
    this.#waking?.abort();
  }

  /** Stops listening. */
  end(): void {
    this.#forget();
  }
}

/** Whether a state was sent before the state that is known. */
function isOlder(sent: RemoteTask, known: RemoteTask): boolean {
  return Date.parse(sent.lastUpdatedAt) < Date.parse(known.lastUpdatedAt);
}
