import { checkOptionNames } from "@tenon/base";
import { expect, test } from "vitest";

interface Options {
  readonly name?: string | undefined;
  readonly fetch?: (() => unknown) | undefined;
  readonly onError?: (() => unknown) | undefined;
  readonly limits?: object | undefined;
}

const names = ["name fetch:function", "onError limits"] as const;
const check = (options: object): void =>
  checkOptionNames("new Thing", options as Options, names, { maxItems: 1 });

test("options whose names are listed are accepted, in one string or in several", () => {
  check({ name: "a", fetch: () => 1, onError: undefined });
  const given: Options = { name: "a" };
  checkOptionNames("new Thing", given, "name fetch onError limits");
});

test.each([
  [{ nam: 1 }, 'new Thing has no option "nam". Did you mean name?'],
  [{ other: 1 }, 'new Thing has no option "other". It takes name, fetch, onError, limits.'],
  [{ fetch: 1 }, "new Thing: fetch must be a function; got number."],
  [{ onError: null }, "new Thing: onError must be a function; got null."],
  [{ maxItems: 1 }, 'new Thing has no option "maxItems". It is a limit: write limits: { maxItems: … }.'],
  [{ naem: 1 }, 'new Thing has no option "naem". Did you mean name?'],
  [{ nmae: 1 }, 'new Thing has no option "nmae". Did you mean name?'],
  [{ maxItem: 1 }, 'new Thing has no option "maxItem". Did you mean limits.maxItems?'],
  [undefined, "new Thing takes an object with options (name, fetch, onError, limits); got undefined."],
  [null, "new Thing takes an object with options (name, fetch, onError, limits); got null."],
  ["text", "new Thing takes an object with options (name, fetch, onError, limits); got string."],
  [{ "name fetch": 1 }, 'new Thing has no option "name fetch". It takes name, fetch, onError, limits.'],
])("%j is refused with what was expected", (options, message) => {
  expect(() => check(options as unknown as object)).toThrow(new TypeError(message));
});

test("options that may be absent do not compile without their default", () => {
  const options = {} as Options | undefined;
  // @ts-expect-error Without options the check would fail.
  checkOptionNames("new Thing", options, "name fetch onError limits");
  checkOptionNames("new Thing", options ?? {}, "name fetch onError limits");
});

test("a list without an option, or with one that does not exist, does not compile", () => {
  const options: Options = {};
  // @ts-expect-error "limits" is missing.
  checkOptionNames("new Thing", options, "name fetch onError");
  // @ts-expect-error No option is called "other".
  checkOptionNames("new Thing", options, "name fetch onError limits other");
  // @ts-expect-error No option is called "fetch:string": that is no kind.
  checkOptionNames("new Thing", options, "name fetch:string onError limits");
});
