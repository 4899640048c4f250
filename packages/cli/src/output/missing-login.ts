import { isAuthError } from "@tenon/auth/client";

import { CliError } from "../exit.ts";
import { causesOf } from "./causes.ts";

/** Another process of this program needs a login. */
export class LoginMissing extends CliError {
  /** The scopes that the server requires. */
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[]) {
    super("authorization", message, { hint: loginHint(scopes) });
    this.scopes = scopes;
  }
}

/** An error that a login resolves. */
export interface MissingLogin {
  readonly message: string;
  /** The scopes that the server requires. */
  readonly scopes: readonly string[];
}

/** Returns the error in a chain of causes that a login resolves. */
export function missingLogin(error: unknown): MissingLogin | undefined {
  const chain = causesOf(error);
  const kept = chain.find((each) => each instanceof LoginMissing);
  if (kept !== undefined) {
    return kept;
  }
  const denied = chain.find((each) => isAuthError(each));
  return denied?.code === "NEEDS_USER"
    ? {
        message: denied.message,
        scopes: denied.required?.filter((scope) => /^[\w:./-]{1,64}$/.test(scope)).slice(0, 5) ?? [],
      }
    : undefined;
}

/** The command that logs in with scopes. */
export function loginHint(scopes: readonly string[]): string {
  return `log in with \`tenon login <target>${scopes.map((scope) => ` --scope ${scope}`).join("")}\``;
}
