/**
 * Removes secrets from values, strings, addresses and arguments of commands before they are shown,
 * logged, recorded or exported. Runs on every runtime.
 *
 * @packageDocumentation
 */

export { redactArguments } from "./redact/arguments.ts";
export { lineRedactor, redactor, redactText, type Redaction } from "./redact/redactor.ts";
export { redactTarget } from "./redact/target.ts";
export { hasToken, hidden, redactTokens } from "./redact/tokens.ts";
export { isSecretHeader, isSecretOption } from "./redact/names.ts";
export { redactUrl } from "./redact/url.ts";
