import { McpError } from "../../../base/error.ts";
import type { FormSchema } from "../../../request/elicit.ts";

/** Names of fields, without case and separators, that can only mean a secret or payment data. */
const secretNames: ReadonlySet<string> = new Set([
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "pincode",
  "secret",
  "clientsecret",
  "apikey",
  "apisecret",
  "apitoken",
  "accesskey",
  "accesstoken",
  "authtoken",
  "bearertoken",
  "refreshtoken",
  "privatekey",
  "secretkey",
  "creditcard",
  "creditcardnumber",
  "cardnumber",
  "cvv",
  "cvc",
]);

/**
 * Rejects a form with a field that is named like a password, a key, a token or payment data. It
 * checks only names: the author of a form is responsible for all other fields.
 *
 * @throws `McpError` `INVALID_DEFINITION` naming the field.
 * @source R-625
 */
export function refuseSecrets({ properties }: FormSchema): void {
  const secret = Object.keys(properties).find((name) =>
    secretNames.has(name.toLowerCase().replace(/[^a-z0-9]/g, "")),
  );
  if (secret !== undefined) {
    throw new McpError(
      "INVALID_DEFINITION",
      `Form field ${JSON.stringify(secret)} requests sensitive data. Use URL mode elicitation (mode: "url") instead.`,
    );
  }
}
