import { jwt } from "@tenon/auth/jwt";
import { VerifierUnavailable, type Verify, type VerifiedToken } from "@tenon/auth/server";

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
    const known = { ...verified, audience: spellings(verified.audience) };
    const grant = verified.claims?.["grant"];
    try {
      const found = await Promise.all([
        typeof grant === "string" ? vault.get("Grant", grant) : undefined,
        verified.subject === undefined ? undefined : accounts.find(verified.subject),
      ]);
      return !found.includes(undefined) ? known : { rejected: "invalid", reason: "grant" };
    } catch (cause) {
      throw new VerifierUnavailable("The store of the broker cannot be used.", { cause });
    }
  };
}

/**
 * The spellings of a resource that a guard may have: the broker compares resources as URLs, and a
 * guard compares audiences as strings.
 */
function spellings(audience: VerifiedToken["audience"]): readonly string[] {
  const given = [audience].flat();
  const parsed = given.flatMap((one) => (URL.canParse(one) ? [new URL(one).href] : []));
  return [
    ...new Set([...given, ...parsed, ...parsed.map((one) => one.replace(/^([^/]+\/\/[^/]+)\/$/, "$1"))]),
  ];
}
