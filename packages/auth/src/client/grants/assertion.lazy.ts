import { modifyAssertion, PrivateKeyJwt } from "oauth4webapi";

import type { SigningKey } from "../../shared/signing-key.ts";
import type { ClientAuthRequest, PrivateKeyJwtOptions } from "../register/client-auth.ts";

/** Validity of an assertion, in seconds. */
const assertionSeconds = 120;

/** Adds an assertion of the client to a request. @source RFC 7523; R-762 */
export async function signAssertion(
  key: SigningKey,
  { kid, assertionAudience }: PrivateKeyJwtOptions,
  { issuer, tokenEndpoint, clientId, now, body, headers }: ClientAuthRequest,
): Promise<void> {
  const sign = PrivateKeyJwt(kid === undefined ? key : { key, kid }, {
    [modifyAssertion]: (_, payload) => {
      const seconds = Math.floor(now / 1000);
      payload["aud"] = assertionAudience === "tokenEndpoint" ? tokenEndpoint : issuer;
      payload["iat"] = seconds;
      payload["nbf"] = seconds;
      payload["exp"] = seconds + assertionSeconds;
    },
  });
  await sign({ issuer }, { client_id: clientId }, body, headers);
  // The assertion names the client.
  body.delete("client_id");
}

const algorithms = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

/** Returns the key of the options; a key in PEM form is imported. */
export async function importKey({ key, alg = "ES256" }: PrivateKeyJwtOptions): Promise<SigningKey> {
  if (typeof key !== "string") {
    return key;
  }
  const base64 = key.replace(/-----[^-]*-----/g, "").replace(/\s/g, "");
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey("pkcs8", bytes, algorithms[alg], false, ["sign"]);
}
