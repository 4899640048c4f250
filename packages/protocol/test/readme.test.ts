import { eraOf, latest } from "@tenon/protocol";
import { expect, test } from "vitest";

import { greet, result, row } from "./example.ts";
import type { Session } from "./example.ts";

test("the README's example holds", async () => {
  const session: Session = { request: () => Promise.reject(new Error("nobody there")) };
  await expect(session.request("tools/call", { name: greet.name })).rejects.toThrow("nobody there");
  expect(result.content).toHaveLength(1);
  expect(eraOf(latest)).toBe("modern");
  expect(row).toMatchObject({
    kind: "request",
    sentBy: "client",
    requires: { server: "tools" },
    inputRequired: true,
    header: "name",
  });
});
