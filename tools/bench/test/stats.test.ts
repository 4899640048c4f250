import { expect, test } from "vitest";

import { geometricMean, median, quantile } from "../src/stats.ts";

test("the median is the middle value, or the mean of the two middle ones", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("a quantile is a value of the list by the nearest rank", () => {
  const values = Array.from({ length: 10 }, (_, index) => 10 - index);
  expect(quantile(values, 0)).toBe(1);
  expect(quantile(values, 0.1)).toBe(1);
  expect(quantile(values, 0.5)).toBe(5);
  expect(quantile(values, 1)).toBe(10);
});

test("the geometric mean treats twice and half alike", () => {
  expect(geometricMean([2, 0.5])).toBeCloseTo(1);
  expect(geometricMean([])).toBeNaN();
});
