const base = 36;
const tMin = 1;
const tMax = 26;

function adapt(delta: number, points: number, first: boolean): number {
  let k = 0;
  let d = first ? Math.floor(delta / 700) : delta >> 1;
  d += Math.floor(d / points);
  for (; d > ((base - tMin) * tMax) >> 1; k += base) {
    d = Math.floor(d / (base - tMin));
  }
  return k + Math.floor(((base - tMin + 1) * d) / (d + 38));
}

function threshold(k: number, bias: number): number {
  return Math.min(tMax, Math.max(tMin, k - bias));
}

/**
 * Decodes Punycode (RFC 3492 §6.2) to code points; `undefined` if the text is not Punycode. Every
 * valid text has exactly one form.
 */
export function decodePunycode(text: string): number[] | undefined {
  const delimiter = text.lastIndexOf("-");
  const out = delimiter > 0 ? Array.from(text.slice(0, delimiter), (c) => c.charCodeAt(0)) : [];
  let n = 128;
  let i = 0;
  let bias = 72;
  for (let at = delimiter > 0 ? delimiter + 1 : 0; at < text.length;) {
    const before = i;
    for (let weight = 1, k = base; ; k += base) {
      const digit = Number.parseInt(text[at++] ?? "", 36);
      if (Number.isNaN(digit)) {
        return undefined;
      }
      // RFC 3492 counts a–z from 0 and 0–9 from 26.
      const value = digit < 10 ? digit + 26 : digit - 10;
      i += value * weight;
      if (i > 0x7fffffff) {
        return undefined;
      }
      const t = threshold(k, bias);
      if (value < t) {
        break;
      }
      weight *= base - t;
    }
    const length = out.length + 1;
    bias = adapt(i - before, length, before === 0);
    n += Math.floor(i / length);
    i %= length;
    // Code points beyond the last, and surrogates, which in pairs would be another character.
    if (n > 0x10ffff || (n >= 0xd800 && n < 0xe000)) {
      return undefined;
    }
    out.splice(i++, 0, n);
  }
  return out;
}

/** How long code points become as Punycode (RFC 3492 §6.3). */
export function punycodeLength(points: readonly number[]): number {
  const basic = points.filter((point) => point < 128).length;
  let length = basic > 0 ? basic + 1 : 0;
  let handled = basic;
  let n = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) {
        delta++;
      }
      if (point !== n) {
        continue;
      }
      let q = delta;
      for (let k = base; ; k += base) {
        length++;
        const t = threshold(k, bias);
        if (q < t) {
          break;
        }
        q = Math.floor((q - t) / (base - t));
      }
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return length;
}
