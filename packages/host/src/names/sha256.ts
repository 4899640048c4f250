const roundConstants = /* @__PURE__ */ fractions(64, 3);
const initialHash = /* @__PURE__ */ fractions(8, 2);

/**
 * SHA-256 of a string in UTF-8, as 64 hexadecimal digits (FIPS 180-4). The platform's
 * implementation is asynchronous, but names are needed synchronously. For names and pins, not for
 * secrets.
 */
export function sha256(text: string): string {
  const blocks = padded(new TextEncoder().encode(text));
  const hash = initialHash.slice();
  const words = new Uint32Array(64);
  for (let offset = 0; offset < blocks.byteLength; offset += 64) {
    for (let index = 0; index < 16; index++) {
      words[index] = blocks.getUint32(offset + index * 4);
    }
    compress(hash, words);
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, "0")).join("");
}

function padded(bytes: Uint8Array): DataView {
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
  return view;
}

function compress(hash: Uint32Array, words: Uint32Array): void {
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const low = word(index - 15);
    const high = word(index - 2);
    const small = rotate(low, 7) ^ rotate(low, 18) ^ (low >>> 3);
    const large = rotate(high, 17) ^ rotate(high, 19) ^ (high >>> 10);
    words[index] = word(index - 16) + small + word(index - 7) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let index = 0; index < 64; index++) {
    const large = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + large + ((e & f) ^ (~e & g)) + (roundConstants[index] ?? 0) + word(index)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    hash[index] = (hash[index] ?? 0) + value;
  });
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

/**
 * The first 32 bits of the fractional parts of the square (`root` 2) or cube roots (3) of the first
 * primes: SHA-256's constants are defined so.
 */
function fractions(count: number, root: 2 | 3): Uint32Array {
  const constants = new Uint32Array(count);
  let filled = 0;
  for (let candidate = 2; filled < count; candidate++) {
    if (isPrime(candidate)) {
      constants[filled++] = Number(integerRoot(BigInt(candidate) << BigInt(32 * root), root) & 0xffff_ffffn);
    }
  }
  return constants;
}

function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor++) {
    if (value % divisor === 0) {
      return false;
    }
  }
  return true;
}

/** The largest integer whose power is at most `value`, found by halving. */
function integerRoot(value: bigint, root: 2 | 3): bigint {
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(root) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}
