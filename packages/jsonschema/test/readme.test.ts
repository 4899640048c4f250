import { afterEach, expect, test, vi } from "vitest";

import { standardDecorators } from "./readme/vite-decorators.ts";

const log = vi.spyOn(console, "log").mockImplementation(() => {});

afterEach(() => {
  log.mockClear();
});

test("the first example of the README prints what it says", async () => {
  await import("./readme/validate.ts");
  expect(log).toHaveBeenCalledExactlyOnceWith(
    "query: expected at least 1 character, received 0\n" +
      'limmit: the property "limmit" is not allowed; did you mean "limit"?',
  );
});

test("the README's four ways of writing a schema work together", async () => {
  await import("./readme/types.ts");
  expect(log).toHaveBeenCalledWith(2026);
  expect(log.mock.lastCall?.[0]).toBe(20);
  expect(log.mock.lastCall?.[1]).toMatchObject({ type: "object", required: ["place"] });
});

test("the README's plugin lowers decorators and leaves other files alone", async () => {
  expect(await standardDecorators.transform("const a = 1;", "a.ts")).toBeNull();
  const lowered = await standardDecorators.transform('class A { @string("x") a!: string }', "a.ts");
  expect(lowered?.code).not.toContain("@string");
});
