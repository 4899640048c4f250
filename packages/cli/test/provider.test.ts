import { expect, test } from "vitest";

import { afterLogin, authFor } from "../src/auth/provider.ts";
import { invocationUntil } from "./invocation.ts";

test("a command closes the providers of its logins, so that no refresh is lost at its end", async () => {
  const ends: (() => void | Promise<void>)[] = [];
  const invocation = {
    ...invocationUntil(new AbortController().signal),
    onEnd: (end: () => void | Promise<void>): void => void ends.push(end),
  };
  const url = "http://127.0.0.1:1/mcp";
  const provider = authFor(invocation, undefined)("far", { type: "http", url });
  await Promise.all(ends.map(async (end) => end()));
  await expect(Promise.resolve(provider?.login?.())).rejects.toThrow("The provider was closed.");
});

test("all connections of a command to a server use one provider, and a new one after a login", () => {
  const ends: unknown[] = [];
  const invocation = {
    ...invocationUntil(new AbortController().signal),
    onEnd: (end: () => void | Promise<void>): void => void ends.push(end),
  };
  const providerAt = (url: string): unknown => authFor(invocation, undefined)("far", { type: "http", url });
  const first = providerAt("http://127.0.0.1:1/mcp");
  expect(providerAt("http://127.0.0.1:1/mcp")).toBe(first);
  expect(providerAt("http://127.0.0.1:1/other")).not.toBe(first);
  expect(ends).toHaveLength(2);
  afterLogin(invocation);
  expect(providerAt("http://127.0.0.1:1/mcp")).not.toBe(first);
});
