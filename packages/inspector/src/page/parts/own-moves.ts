/** The events by which a person takes over. */
export const ownMoves = ["wheel", "pointerdown", "keydown"] as const;

let isWaiting = false;

function takeOver(): void {
  isWaiting = false;
}

/**
 * Lets the page move the focus to the response to something that the person has sent, until their
 * next move: see {@link mayFocus}.
 */
export function waitForFocus(): void {
  // On a touch screen, the focus in a field would bring up a keyboard that hides what has come.
  isWaiting = !matchMedia("(pointer: coarse)").matches;
  ownMoves.forEach((name) => addEventListener(name, takeOver, { capture: true, once: true }));
}

/** Whether the page may move the focus: the person has done nothing since they sent something. */
export function mayFocus(): boolean {
  return isWaiting;
}
