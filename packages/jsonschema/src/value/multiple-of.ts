const exact = 1e15;

/**
 * True if `value` is a whole multiple of `divisor` (validation §6.2.1), decided on the shortest
 * decimal forms of both numbers, so 8.69 is a multiple of 0.01 and nothing overflows. A divisor
 * that is not positive divides nothing.
 */
export function multipleOf(value: number | bigint, divisor: number): boolean {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      return false;
    }
    // The divisor's decimal places turn both into whole numbers. With up to 15 digits that is
    // exact: a value that does not come back from it has more decimal places than any multiple.
    let scale = 1;
    while (scale < exact && Math.round(divisor * scale) / scale !== divisor) {
      scale *= 10;
    }
    const whole = Math.round(value * scale);
    const step = Math.round(divisor * scale);
    if (scale < exact && step < exact && Math.abs(whole) < exact) {
      return whole / scale === value && whole % step === 0;
    }
  }
  const [a, ea] = decimal(value);
  const [b, eb] = decimal(divisor);
  if (b === 0n) {
    return false;
  }
  // Only remainders are scaled, so that exponents between -324 and 308 make no large numbers.
  let shift = ea - eb;
  // A mantissa of a double has up to 17 digits: powers of ten beyond that divide none but 0.
  if (shift < 0) {
    return a % (b * 10n ** BigInt(Math.min(-shift, String(a).length))) === 0n;
  }
  let rest = a % b;
  for (let power = 10n % b; shift > 0; shift >>= 1, power = (power * power) % b) {
    if (shift & 1) {
      rest = (rest * power) % b;
    }
  }
  return rest === 0n;
}

/** Mantissa and exponent of ten of the shortest decimal form. */
function decimal(value: number | bigint): [mantissa: bigint, exponent: number] {
  const [digits = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
