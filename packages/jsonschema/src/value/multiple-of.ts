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
  // A number has an exponent between -324 and 308: what it takes to scale one to the other stays small.
  const shift = BigInt(Math.abs(ea - eb));
  return ea < eb ? a % (b * 10n ** shift) === 0n : (a * 10n ** shift) % b === 0n;
}

/** Mantissa and exponent of ten of the shortest decimal form. */
function decimal(value: number | bigint): [mantissa: bigint, exponent: number] {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
