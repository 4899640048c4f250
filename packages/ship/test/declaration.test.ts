import { expect, test } from "vitest";

import { defineServerPackage, isShipError, type Declaration } from "../src/index.ts";

const declared = defineServerPackage({
  env: {
    KEY: { description: "The key", secret: true },
    LEVEL: { description: "The level", default: "info", choices: ["info", "debug"] },
  },
  args: [
    { name: "--root", description: "The folder" },
    { name: "team", description: "The team", required: false },
  ],
});

test("values come from variables, named arguments and positions, with defaults", () => {
  const argv = ["--root=/srv", "blue"];
  expect(declared.read({ env: { KEY: "k" }, argv })).toEqual({
    env: { KEY: "k", LEVEL: "info" },
    args: { root: "/srv", team: "blue" },
  });
  // A host that has no value leaves the reference of a bundle, or an empty string.
  const unset = { KEY: "k", LEVEL: "${user_config.level}" };
  expect(declared.read({ env: unset, argv: ["--root", "/srv"] }).env).toEqual({ KEY: "k", LEVEL: "info" });
});

test("everything that is missing or wrong is named at once, without values", () => {
  const error = (() => {
    try {
      return declared.read({ env: { KEY: "", LEVEL: "secret-level" }, argv: [] });
    } catch (reason) {
      return reason;
    }
  })();
  expect(isShipError(error, "MISSING_VALUES")).toBe(true);
  expect((error as Error).message).toBe(
    "The server cannot start. KEY is missing: The key; LEVEL must be one of info, debug: The level; --root is missing: The folder",
  );
});

test.each([
  [{ env: { "A-B": { description: "x" } } }, /not the name of a variable/],
  [{ env: { A: {} } }, /A needs a description/],
  [{ env: { A: { description: "x", secert: true } } }, /secret/],
  [{ env: { A: { description: "x", default: "c", choices: ["a"] } } }, /one of its choices/],
  [{ args: [{ name: "-x", description: "x" }] }, /name of its own/],
  [
    {
      args: [
        { name: "a", description: "x" },
        { name: "--a", description: "x" },
      ],
    },
    /name of its own/,
  ],
  [
    { env: { ROOT: { description: "x" } }, args: [{ name: "--root", description: "x" }] },
    /do not distinguish/,
  ],
  [
    {
      args: [
        { name: "team", description: "x", required: false },
        { name: "folder", description: "x", default: "." },
      ],
    },
    /team needs a default, because folder comes after it/,
  ],
  [{ environment: {} }, /env/],
])("a declaration that is not valid is refused: %#", (declaration, message) => {
  expect(() => defineServerPackage(declaration as Declaration)).toThrow(message);
});
