import type { Page } from "@tenon/test-support/chromium";

/** A rectangle in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A picture of a film: what has changed since the picture before it. */
export interface FilmFrame {
  readonly box: Box;
  /** The changed rectangle as WebP. */
  readonly webp: Uint8Array;
  readonly ms: number;
}

/**
 * Runs in a page of Chromium, which can decode PNG and encode WebP: compares a picture with the
 * one before, and returns the rectangle that has changed. WebP places frames at even pixels.
 */
const encode = `async (png) => {
  const bytes = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = bitmap;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const before = globalThis.lastPixels;
  globalThis.lastPixels = pixels;
  let left = width, top = height, right = -1, bottom = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (before === undefined || before[y * width + x] !== pixels[y * width + x]) {
        left = Math.min(left, x); right = Math.max(right, x);
        top = Math.min(top, y); bottom = Math.max(bottom, y);
      }
    }
  }
  if (right < 0) {
    return undefined;
  }
  left -= left % 2; top -= top % 2;
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  const part = new OffscreenCanvas(box.width, box.height);
  part.getContext("2d").drawImage(bitmap, -box.x, -box.y);
  // 1 is lossless, which is smaller where there is little text.
  const blobs = await Promise.all(
    [1, 0.85].map((quality) => part.convertToBlob({ type: "image/webp", quality })),
  );
  const blob = blobs[0].size <= blobs[1].size ? blobs[0] : blobs[1];
  let text = "";
  for (const byte of new Uint8Array(await blob.arrayBuffer())) {
    text += String.fromCharCode(byte);
  }
  return { box, webp: btoa(text) };
}`;

/** Collects pictures of a page. Equal pictures become one that is shown longer. */
export interface Film {
  /** Takes a picture that is shown for a time, in milliseconds. */
  take(ms: number): Promise<void>;
  readonly frames: readonly FilmFrame[];
}

/**
 * Creates an empty film.
 *
 * @param filmed - The page of which pictures are taken.
 * @param encoder - Another page, which compares and encodes them.
 */
export function createFilm(filmed: Page, encoder: Page): Film {
  const frames: FilmFrame[] = [];
  return {
    frames,
    async take(ms) {
      const png = (await filmed.screenshot({ animations: "disabled", caret: "hide" })).toString("base64");
      const changed = await encoder.evaluate<{ box: Box; webp: string } | undefined>(
        `(${encode})(${JSON.stringify(png)})`,
      );
      const last = frames.at(-1);
      if (changed !== undefined) {
        frames.push({ box: changed.box, webp: Buffer.from(changed.webp, "base64"), ms });
      } else if (last !== undefined) {
        frames[frames.length - 1] = { ...last, ms: last.ms + ms };
      }
    },
  };
}
