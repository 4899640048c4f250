/** What the frame of the playground tells its page. */
export type FromFrame =
  | { readonly kind: "ready" | "ended" }
  | { readonly kind: "line" | "failed"; readonly text: string };

/** What the page tells the frame: the program to run. */
export interface FromPage {
  readonly run: string;
}

/** The maximum length of one message, in characters. */
const maxText = 10_000;

/** Tells the page of the playground. The frame does not know its origin, and has no secrets. */
export function tellPage(message: FromFrame): void {
  const cut = "text" in message ? { ...message, text: message.text.slice(0, maxText) } : message;
  parent.postMessage(cut, "*");
}

/** Whether a message to the frame is a program. */
export function isFromPage(data: unknown): data is FromPage {
  return typeof data === "object" && data !== null && "run" in data && typeof data.run === "string";
}

/** Whether a message to the page is one of the frame. A program can send any. */
export function isFromFrame(data: unknown): data is FromFrame {
  if (typeof data !== "object" || data === null || !("kind" in data)) {
    return false;
  }
  const { kind } = data;
  const hasText = "text" in data && typeof data.text === "string" && data.text.length <= maxText;
  return kind === "ready" || kind === "ended" || ((kind === "line" || kind === "failed") && hasText);
}
