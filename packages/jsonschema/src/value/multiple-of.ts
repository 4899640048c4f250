const EXACT = 1e15;

/**
 * True if `value` is a whole multiple of `divisor` (validation §6.2.1), decided on the shortest decimal forms of both
 * numbers, so 8.69 is a multiple of 0.01 and nothing overflows. A divisor that is not positive divides nothing.
 */
export function multipleOf(value: number | bigint, divisor: number): boolean {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return false;
    // The divisor's decimal places turn both into whole numbers. With up to 15 digits that is exact: a value that does
    // not come back from it has more decimal places than any multiple.
    let scale = 1;
    while (scale < EXACT && Math.round(divisor * scale) / scale !== divisor) scale *= 10;
    const whole = Math.round(value * scale);
    const step = Math.round(divisor * scale);
    if (scale < EXACT && step < EXACT && Math.abs(whole) < EXACT)
      return whole / scale === value && whole % step === 0;
  }
  const [a, ea] = decimal(value);
  const [b, eb] = decimal(divisor);
  if (b === 0n) return false;
  if (a === 0n) return true;
  const shift = ea - eb;
  return shift >= 0 ? modPow10(a, shift, b) === 0n : a % (b * 10n ** BigInt(-shift)) === 0n;
}

/** `a * 10^exponent mod m` without building the power. */
function modPow10(a: bigint, exponent: number, m: bigint): bigint {
  let result = a % m;
  let base = 10n % m;
  for (let e = exponent; e > 0; e >>>= 1) {
    if (e & 1) result = (result * base) % m;
    base = (base * base) % m;
  }
  return result;
}

/** Mantissa and exponent of ten of the shortest decimal form. */
function decimal(value: number | bigint): [mantissa: bigint, exponent: number] {
  if (typeof value === "bigint") return [value, 0];
  const [digits = "0", exponent = "0"] = value.toString().split("e");
  const point = digits.indexOf(".");
  if (point < 0) return [BigInt(digits), Number(exponent)];
  return [
    BigInt(digits.slice(0, point) + digits.slice(point + 1)),
    Number(exponent) - (digits.length - point - 1),
  ];
}
