import type { FilmFrame } from "./film.ts";

const hasAnimation = 0x02;

function chunk(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** Numbers of three bytes. */
function triples(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 3);
  values.forEach((value, index) => bytes.writeUIntLE(value, index * 3, 3));
  return bytes;
}

/** The chunks with the pixels of a picture in WebP. */
function pixelsOf(webp: Uint8Array): Buffer {
  const file = Buffer.from(webp);
  const found: Buffer[] = [];
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (["VP8 ", "VP8L", "ALPH"].includes(file.toString("latin1", at, at + 4))) {
      found.push(file.subarray(at, end));
    }
    at = end;
  }
  return Buffer.concat(found);
}

/**
 * Puts pictures in WebP together as one animated picture, which begins again at its end.
 *
 * @source https://developers.google.com/speed/webp/docs/riff_container
 */
export function animatedWebp(
  frames: readonly FilmFrame[],
  { width, height }: { readonly width: number; readonly height: number },
): Buffer {
  const flags = Buffer.from([hasAnimation, 0, 0, 0]);
  const extended = chunk("VP8X", flags, triples(width - 1, height - 1));
  // A white background, and 0 for no end.
  const animation = chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0]));
  const pictures = frames.map(({ box, webp, ms }) => {
    const place = triples(box.x / 2, box.y / 2, box.width - 1, box.height - 1, ms);
    // Bit 1: do not blend. The picture covers what was there.
    return chunk("ANMF", place, Buffer.from([0x02]), pixelsOf(webp));
  });
  return chunk("RIFF", Buffer.from("WEBP", "latin1"), extended, animation, ...pictures);
}
