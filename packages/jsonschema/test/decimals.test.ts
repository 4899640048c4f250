import { samples } from "@tenon/samples";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { compile } from "../src/index.ts";

/** A decimal number as an integer and a power of ten, and as JSON writes it. */
const decimal = fc
  .record({
    digits: fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
    places: fc.integer({ min: 0, max: 12 }),
  })
  .map(({ digits, places }) => ({ digits, places, value: Number(`${digits}e-${places}`) }));

for (const engine of ["closures", "codegen"] as const) {
  test(`multipleOf is decided on decimal numbers, as exact arithmetic on their digits decides it (${engine})`, () => {
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: 1, max: 1000 }), (value, divisor, factor) => {
        const validator = compile({ multipleOf: divisor.value }, { engine });
        const scaled = ({ digits, places }: typeof value): bigint => digits * 10n ** BigInt(12 - places);
        expect(validator.is(value.value)).toBe(scaled(value) % scaled(divisor) === 0n);
        // A product of at most 15 digits is again a decimal number that JSON can write.
        const product = divisor.digits * BigInt(factor);
        if (product < 10n ** 15n) {
          expect(validator.is(Number(`${product}e-${divisor.places}`))).toBe(true);
        }
      }),
      { numRuns: samples(500) },
    );
  });
}

test("multipleOf is exact for all exponents that a number can have", () => {
  const number = fc.tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: -300, max: 300 }));
  fc.assert(
    fc.property(number, number, ([a, ea], [b, eb]) => {
      const exact = (BigInt(a) * 10n ** BigInt(ea + 300)) % (BigInt(b) * 10n ** BigInt(eb + 300)) === 0n;
      expect(compile({ multipleOf: Number(`${b}e${eb}`) }).is(Number(`${a}e${ea}`))).toBe(exact);
    }),
    { numRuns: samples(2_000) },
  );
});

test("a date is one of the Gregorian calendar, as Date counts it", () => {
  const validator = compile({ format: "date" }, { formats: "assert" });
  const two = (part: number): string => String(part).padStart(2, "0");
  for (const year of ["0000", "1900", "2000", "2023", "2024"]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = new Date(0);
        date.setUTCFullYear(Number(year), month - 1, day);
        const exists = month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const text = `${year}-${two(month)}-${two(day)}`;
        expect([text, validator.is(text)]).toEqual([text, exists && month <= 12]);
      }
    }
  }
});
