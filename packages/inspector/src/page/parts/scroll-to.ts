/** The distance from the edge of the bar, in pixels. */
const margin = 8;

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
