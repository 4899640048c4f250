import type { AuthChallenge, AuthProvider } from "@tenon/transports-streamable-http/client";
import { noAuth } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { meta, peerOf } from "./raw-client.ts";

/** A server that takes one token and refuses others. */
function guarded(valid: () => string, status = 401, challenge?: string): Promise<Bad> {
  return badServer(({ id }, response, request) => {
    if (request.headers.authorization === `Bearer ${valid()}`) {
      json(response, id, "done");
    } else {
      response.writeHead(status, challenge === undefined ? {} : { "www-authenticate": challenge });
      response.end("who are you?");
    }
  });
}

/** A provider with an old token, which gets the new one when it is refused. */
function renewing(renewed = true): AuthProvider & { readonly asked: AuthChallenge[] } {
  const asked: AuthChallenge[] = [];
  let token = "old";
  return {
    asked,
    headers: () => ({ authorization: `Bearer ${token}` }),
    refused: (challenge) => {
      asked.push(challenge);
      token = "new";
      return renewed;
    },
  };
}

test.each([
  [401, "Bearer"],
  [401, undefined],
  [403, 'Bearer error="insufficient_scope"'],
])("a request refused with %i (%s) is sent again with new headers", async (status, challenge) => {
  await using server = await guarded(() => "new", status, challenge);
  const auth = renewing();
  await using peer = await peerOf(server.url, { auth });
  expect(await peer.call("tools/list", { _meta: meta })).toBe("done");
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  expect(auth.asked).toMatchObject([{ status, method: "POST" }]);
  expect(auth.asked[0]?.challenge).toBe(challenge);
  expect(await peer.call("tools/list", { _meta: meta })).toBe("done");
  expect(auth.asked).toHaveLength(1);
});

test.each([
  ["says that there is no use", renewing(false)],
  ["is not asked", { headers: () => ({ authorization: "Bearer old" }) }],
])("a provider that %s leaves it at the refusal", async (_, auth: AuthProvider) => {
  await using server = await guarded(() => "new");
  await using peer = await peerOf(server.url, { auth });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({
    code: "STATUS",
    status: 401,
  });
  expect(server.seen).toHaveLength(1);
});

test("a request is sent again at most three times: nobody is asked in a loop", async () => {
  await using server = await guarded(() => "unknown");
  const auth = renewing();
  await using peer = await peerOf(server.url, { auth });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({ status: 401 });
  expect(server.seen).toHaveLength(4);
  expect(auth.asked).toHaveLength(4);
});

test("a 403 without a challenge is not about who sends", async () => {
  await using server = await badServer((_, response) => response.writeHead(403).end());
  const auth = renewing();
  await using peer = await peerOf(server.url, { auth });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toMatchObject({ status: 403 });
  expect(auth.asked).toEqual([]);
});

test("a provider that fails to renew fails its request and no other", async () => {
  let token = "old";
  await using server = await guarded(() => "new");
  const auth: AuthProvider = {
    headers: () => ({ authorization: `Bearer ${token}` }),
    refused: () => Promise.reject(new Error("the user said no")),
  };
  await using peer = await peerOf(server.url, { auth });
  await expect(peer.call("tools/list", { _meta: meta })).rejects.toThrow("the user said no");
  token = "new";
  expect(await peer.call("tools/list", { _meta: meta })).toBe("done");
});

test("a header is sent once, whatever the spelling of its name: the provider's wins, then the protocol's", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, "done"));
  await using peer = await peerOf(server.url, {
    headers: { Authorization: "Bearer stale", "Content-Type": "text/plain", "X-Tenant": "a" },
    auth: { headers: () => ({ AUTHORIZATION: "Bearer fresh" }) },
  });
  await peer.call("tools/list", { _meta: meta });
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: "Bearer fresh",
    "content-type": "application/json",
    "x-tenant": "a",
  });
});

test("S-241, S-245: without a provider, or with the one for nobody, there is no Authorization header", async () => {
  await using server = await badServer(({ id }, response) => json(response, id, "done"));
  for (const auth of [undefined, noAuth]) {
    await using peer = await peerOf(server.url, { auth });
    await peer.call("tools/list", { _meta: meta });
  }
  expect(server.seen.map(({ headers }) => "authorization" in headers)).toEqual([false, false]);
});
