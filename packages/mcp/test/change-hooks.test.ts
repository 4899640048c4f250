import { changeNotifications } from "@tenon/protocol";
import { expect, test } from "vitest";

import { Client } from "../src/index.ts";

const hooks = new Set([...changeNotifications().values()].map(({ hook }) => hook ?? ""));

test.each([...hooks])("the hook %j of schema/methods.json is a handler of ChangeHandlers", (hook) => {
  const options = { [hook]: () => undefined };
  expect(() => new Client({ name: "a", version: "1" }, options)).not.toThrow();
});
