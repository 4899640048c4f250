import { isRecord } from "@tenon/base";

import { isResponse, type Message } from "./message.ts";

/** Maximum length of a response, in UTF-16 code units. */
const maxLength = 65_536;

/** Maximum length of all responses together, in UTF-16 code units: as many as a `Peer` runs. */
const maxSum = 16_777_216;

/**
 * Room for short responses that a transport accepts above its limits of unread text, because the
 * remote peer would wait in vain for a response that was refused. A response, or a batch of
 * responses, may have 65,536 UTF-16 code units, and all of them together 16,777,216.
 */
export class ResponseRoom {
  #sum = 0;

  /** Whether text is a short response for which there is room. If so, it occupies room. */
  take(text: string): boolean {
    const fits = text.length <= maxLength && this.#sum + text.length <= maxSum && areResponses(text);
    this.#sum += fits ? text.length : 0;
    return fits;
  }

  /** Frees the room of responses with this total length. By default, all room is freed. */
  free(length?: number): void {
    this.#sum -= length ?? this.#sum;
  }
}

function areResponses(text: string): boolean {
  try {
    const messages: readonly unknown[] = [JSON.parse(text)].flat();
    return (
      messages.length > 0 &&
      messages.every((each) => isRecord(each) && isResponse(each as unknown as Message))
    );
  } catch {
    return false;
  }
}
