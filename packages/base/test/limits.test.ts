import { readLimits, type LimitRules } from "@tenon/base";
import { expect, test } from "vitest";

interface Limits {
  readonly maxItems?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly maxDepth?: number | undefined;
}

const rules: LimitRules<Limits> = { maxItems: [8, 1], waitMs: [500, 0], maxDepth: [16, 1, 20] };

test("limits that are left out have their defaults", () => {
  expect(readLimits(undefined, rules)).toEqual({ maxItems: 8, waitMs: 500, maxDepth: 16 });
  expect(readLimits({ maxItems: undefined, waitMs: 0.5 }, rules)).toEqual({
    maxItems: 8,
    waitMs: 0.5,
    maxDepth: 16,
  });
});

test("Infinity is no limit, unless the limit has a greatest value", () => {
  expect(readLimits({ maxItems: Infinity, waitMs: Infinity }, rules)).toMatchObject({
    maxItems: Infinity,
    waitMs: Infinity,
  });
  expect(() => readLimits({ maxDepth: Infinity }, rules)).toThrow(
    "limits.maxDepth must be an integer from 1 to 20; got Infinity.",
  );
});

test.each([
  [{ maxItems: 0 }, "limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got 0."],
  [{ maxItems: 1.5 }, "limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got 1.5."],
  [{ maxItems: NaN }, "limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got NaN."],
  [{ maxItems: "8" }, 'limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got "8".'],
  [
    { maxItems: null },
    "limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got null.",
  ],
  [
    { maxItems: false },
    "limits.maxItems must be an integer of 1 or more, or Infinity for no limit; got boolean.",
  ],
  [{ waitMs: -1 }, "limits.waitMs must be a number of 0 or more, or Infinity for no limit; got -1."],
  [{ maxDepth: 21 }, "limits.maxDepth must be an integer from 1 to 20; got 21."],
])("the limits %j are rejected with what was expected", (limits, message) => {
  expect(() => readLimits(limits as Limits, rules)).toThrow(new TypeError(message));
});

test("a limit that does not exist is rejected with the one that was probably meant", () => {
  expect(() => readLimits({ maxItem: 1 } as Limits, rules)).toThrow(
    'limits has no option "maxItem". Did you mean maxItems?',
  );
  expect(() => readLimits({ size: 1 } as Limits, rules)).toThrow(
    'limits has no option "size". It takes maxItems, waitMs, maxDepth.',
  );
});

test.each([[5], ["x"], [null], [[]]])("limits that are %j and not an object are rejected", (limits) => {
  expect(() => readLimits(limits as unknown as Limits, rules)).toThrow("limits takes an object with options");
});

test("the error names what contains the limits, and is of the kind that the caller chooses", () => {
  const make = (): unknown =>
    readLimits({ waitMs: -1 }, rules, (message) => new RangeError(message), "reconnect");
  expect(make).toThrow(RangeError);
  expect(make).toThrow("reconnect.waitMs must be");
});
