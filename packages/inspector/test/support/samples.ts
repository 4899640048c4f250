import { deflateSync } from "node:zlib";

const crcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) {
    value = value & 1 ? 0xed_b8_83_20 ^ (value >>> 1) : value >>> 1;
  }
  return value >>> 0;
});

function crc(bytes: Uint8Array): number {
  return (
    ~bytes.reduce((sum, byte) => ((crcTable[(sum ^ byte) & 255] ?? 0) ^ (sum >>> 8)) >>> 0, ~0 >>> 0) >>> 0
  );
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc(named), named.length + 4);
  return whole;
}

/** A picture in PNG: clouds of rain as a radar shows them, as base64. */
export function radarPicture(width = 240, height = 120): string {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const rain = Math.max(0, Math.sin(x / 19) * Math.cos(y / 13) + Math.sin((x + y) / 31) * 0.6);
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows.set([24 + rain * 40, 60 + rain * 95, 92 + rain * 90].map(Math.round), at);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const png = [
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat(png).toString("base64");
}

/** A tone of a fifth of a second in WAV, as base64. */
export function tone(): string {
  const samples = Uint8Array.from({ length: 1600 }, (_, index) => 128 + Math.round(Math.sin(index / 3) * 60));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.set([1, 0, 1, 0], 20);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.set([1, 0, 8, 0], 32);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]).toString("base64");
}
