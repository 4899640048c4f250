import { expect, test } from "vitest";

import { checkClientDocument } from "../src/client.ts";

const url = "https://host.example/client.json";
const valid = { client_id: url, client_name: "Notes", redirect_uris: ["http://127.0.0.1/callback"] };

function serving(document: unknown, type = "application/json") {
  const requested: string[] = [];
  return {
    requested,
    fetch: async (input: URL) => {
      requested.push(input.href);
      return new Response(JSON.stringify(document), { headers: { "content-type": type } });
    },
  };
}

test("a valid document has nothing to correct (R-744)", async () => {
  const redirectUris = ["http://127.0.0.1:49152/callback"];
  expect(await checkClientDocument(url, { ...serving(valid), redirectUris })).toEqual([]);
});

test.each([
  ["another identifier", { ...valid, client_id: `${url}/` }, "client_id"],
  ["no name", { ...valid, client_name: "" }, "client_name"],
  ["no redirect URIs", { ...valid, redirect_uris: [] }, "redirect_uris"],
  ["a secret", { ...valid, client_secret: "s" }, "client_secret"],
])("a document with %s is reported", async (_, document, expected) => {
  expect(await checkClientDocument(url, serving(document))).toEqual([expect.stringContaining(expected)]);
});

test("a document of another type, or without the redirect URI that is used, is reported", async () => {
  expect(await checkClientDocument(url, serving(valid, "text/plain"))).toEqual([
    expect.stringContaining("application/json"),
  ]);
  const redirectUris = ["https://host.example/callback"];
  expect(await checkClientDocument(url, { ...serving(valid), redirectUris })).toEqual([
    "redirect_uris must list https://host.example/callback.",
  ]);
});

test.each([
  ["https://10.0.0.1/client.json", "ADDRESS_REFUSED"],
  ["https://[::ffff:169.254.169.254]/client.json", "ADDRESS_REFUSED"],
  ["https://localhost/client.json", "ADDRESS_REFUSED"],
  ["http://host.example/client.json", "INSECURE_URL"],
  ["https://host.example/", "INSECURE_URL"],
])("A-069: a document at %s is not requested", async (address, code) => {
  const server = serving(valid);
  await expect(checkClientDocument(address, server)).rejects.toMatchObject({ code });
  expect(server.requested).toEqual([]);
});
