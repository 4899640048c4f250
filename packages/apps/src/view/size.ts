import { page } from "./page.ts";

/** The size of a view in pixels. */
export interface ViewSize {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/**
 * Calls a function with the size of the document, now and whenever it changes. Without a browser it
 * does nothing.
 *
 * @returns Stops it.
 */
export function watchSize(changed: (size: ViewSize) => void): () => void {
  const { ResizeObserver: Observer } = page;
  if (Observer === undefined) {
    return () => undefined;
  }
  const { documentElement, body } = page.document;
  let last = "";
  // The browser calls it at most once per frame.
  const observer = new Observer(() => {
    const { width, height } = documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    const text = `${size.width} ${size.height}`;
    if (text !== last) {
      last = text;
      changed(size);
    }
  });
  observer.observe(documentElement);
  if (body !== null) {
    observer.observe(body);
  }
  return () => {
    observer.disconnect();
  };
}
