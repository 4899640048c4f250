/** Codes of certificates whose authority is not known. */
const unknownAuthority: ReadonlySet<unknown> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
]);

/** Messages of OpenSSL about a peer that does not speak TLS. */
const notTls = /wrong version number|packet length too long|http request|unexpected message/i;

/** Describes why TLS could not be started, with what to do. `undefined` for other errors. */
export function tlsText(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (unknownAuthority.has(code)) {
    return `${error.message}. The authority of the certificate is not known. If it belongs to your company or its proxy, set NODE_EXTRA_CA_CERTS to a PEM file with its certificate.`;
  }
  return code === "EPROTO" || (typeof code === "string" && code.startsWith("ERR_SSL_"))
    ? notTls.test(error.message)
      ? "The port speaks http, not https: correct the URL."
      : undefined
    : undefined;
}
