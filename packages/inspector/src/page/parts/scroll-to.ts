import { ownMoves } from "./own-moves.ts";

/** The distance from the edge of the bar, in pixels. */
const margin = 8;

/** The element that scrolls around another. */
function scrollerOf(element: HTMLElement): HTMLElement | undefined {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight && getComputedStyle(at).overflowY === "auto") {
      return at;
    }
  }
  return undefined;
}

/**
 * Scrolls to an element that grows: to its end, or to its start once it is longer than the window.
 * It stops at the first event of the person.
 *
 * @returns A function that stops it.
 */
export function keepInView(element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    const scroller = scrollerOf(element);
    if (scroller !== undefined) {
      const { top, bottom } = element.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      const below = bottom + margin - frame.bottom;
      const above = top - margin - frame.top;
      scroller.scrollTop += above < 0 ? above : Math.min(above, Math.max(0, below));
    }
  });
  const stop = (): void => {
    observer.disconnect();
    ownMoves.forEach((name) => removeEventListener(name, stop, true));
  };
  observer.observe(element);
  ownMoves.forEach((name) => addEventListener(name, stop, true));
  return stop;
}

/**
 * Scrolls a bar so that one of its children is visible. The page itself does not move: it may be in
 * a frame of another page, which `scrollIntoView` would scroll as well.
 */
export function scrollTo(child: HTMLElement | null): void {
  const bar = child?.parentElement;
  if (child !== null && bar !== null && bar !== undefined) {
    const { left: start, width } = child.getBoundingClientRect();
    const left = start - bar.getBoundingClientRect().left + bar.scrollLeft;
    const most = left - margin;
    const least = left + width + margin - bar.clientWidth;
    bar.scrollLeft = Math.min(most, Math.max(least, bar.scrollLeft));
  }
}
