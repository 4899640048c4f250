import { jwt } from "@tenon/auth/jwt";
import { VerifierUnavailable, type Verify } from "@tenon/auth/server";

import type { Accounts } from "./login/accounts.ts";
import { publicKey, type SigningKeys } from "./store/signing-keys.ts";
import type { Vault } from "./store/vault.ts";

/**
 * Verifies the access tokens of a broker: their signature, that the user has not revoked the grant,
 * and that the account is one of a provider of now. The guard remembers the result, so the store is
 * read once a minute for each token.
 */
export function createVerify(
  issuer: string,
  signing: SigningKeys,
  vault: Vault,
  accounts: Pick<Accounts, "find">,
): Verify {
  const verify = jwt({
    issuer,
    jwksUri: `${issuer.replace(/\/$/, "")}/jwks`,
    algorithms: ["ES256"],
    // The keys are at hand.
    fetch: async () => Response.json({ keys: (await signing.current()).map(publicKey) }),
    limits: { keysTtlMs: 60_000, keysIntervalMs: 1000 },
  });
  return async (token, request, signal) => {
    const verified = await verify(token, request, signal);
    if ("rejected" in verified) {
      return verified;
    }
    const grant = verified.claims?.["grant"];
    try {
      const found = await Promise.all([
        typeof grant === "string" ? vault.get("Grant", grant) : undefined,
        verified.subject === undefined ? undefined : accounts.find(verified.subject),
      ]);
      return !found.includes(undefined) ? verified : { rejected: "invalid", reason: "grant" };
    } catch (cause) {
      throw new VerifierUnavailable("The store of the broker cannot be used.", { cause });
    }
  };
}
