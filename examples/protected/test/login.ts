import { createHash, randomBytes } from "node:crypto";

import { approve } from "@tenon/example-authorization-server";

const redirectUri = "http://127.0.0.1:9/callback";

/** Gets an access token of a user, as a client of its own. */
export async function tokenFor(
  user: string,
  issuer: string,
  resource: string,
  scope: string,
): Promise<string> {
  const registered = await fetch(`${issuer}/reg`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirectUri], application_type: "native" }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const url = new URL(`${issuer}/auth`);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: "code",
    redirect_uri: redirectUri,
    scope,
    resource,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const callback = await approve(url, user);
  const answer = await fetch(`${issuer}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: callback.searchParams.get("code") ?? "",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      resource,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}
