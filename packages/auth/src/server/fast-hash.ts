import { builtinModule } from "@tenon/base";

import { sha256 } from "../shared/base64url.ts";

/** The part of `node:crypto` that this module needs. */
interface NodeCrypto {
  hash?(algorithm: string, data: string, encoding: string): string;
}

/**
 * The SHA-256 of a string, as base64url. At once where the runtime can: Web Crypto alone is
 * asynchronous and takes twenty times as long, for each request.
 */
export function fastHash(text: string): string | Promise<string> {
  const crypto = builtinModule("node:crypto") as NodeCrypto | undefined;
  return crypto?.hash?.("sha256", text, "base64url") ?? sha256(text);
}
