import { Server } from "@tenon/mcp/server";
import type { AuthStore, Stored } from "@tenon/stores";
import { expect, test } from "vitest";

import { addRepositories, brokerOf, brokerOfDomain } from "./guide/login.ts";

/** A store that keeps what it gets: the page is about the broker. */
function someStore(): AuthStore {
  const values = new Map<string, Stored>();
  let generation = 0;
  return {
    get: (key) => Promise.resolve(values.get(key)),
    put(key, value) {
      generation++;
      values.set(key, { value, generation });
      return Promise.resolve(generation);
    },
    delete: (key) => Promise.resolve(values.delete(key)),
  };
}

const credentials = { clientId: "id", clientSecret: "secret" };
const key = "a key of thirty-two characters, or more";

test("the brokers of the page start, and name the redirect URI to register", async () => {
  const broker = await brokerOf(credentials, key, { auth: someStore() });
  expect(broker.issuer).toBe("https://notes.example.com");
  expect(broker.redirectUris).toEqual({ github: "https://notes.example.com/login/callback/github" });
  const other = await brokerOfDomain(credentials, key, { auth: someStore() });
  expect(other.redirectUris).toEqual({ google: "https://notes.example.com/login/callback/google" });
  const server = new Server({ name: "notes", version: "1.0.0" });
  expect(addRepositories(server, broker).scopes).toContain("repo");
  await expect(broker.upstreamToken(undefined)).rejects.toMatchObject({ code: "NOT_KEPT" });
});
