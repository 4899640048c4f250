import { isAuthError } from "@tenon/auth/client";
import { isRecord } from "@tenon/base";
import { isHostError } from "@tenon/host";
import { isHttpError } from "@tenon/http/client";
import { redactor, redactTarget, redactText } from "@tenon/http/redact";
import { isLocalError, isRpcError } from "@tenon/jsonrpc2/core";
import { isMcpError, isToolError } from "@tenon/mcp/client";

import { CliError, type ErrorKind } from "../exit.ts";
import { Interrupted } from "../shell.ts";
import { causesOf } from "./causes.ts";
import { messageOf, visible } from "./escape.ts";
import { forPeople } from "./for-people.ts";
import { loginHint, missingLogin } from "./missing-login.ts";

/** An error as it is printed. */
export interface PrintedError {
  readonly kind: ErrorKind | "internal";
  readonly message: string;
  readonly code?: number | string | undefined;
  readonly data?: unknown;
  readonly hint?: string | undefined;
}

const hints: Partial<Record<ErrorKind, string>> = {
  connection: "run `tenon doctor` with the same target; it names the cause and a fix",
  authorization: "log in with `tenon login <target>`, or send credentials with --header",
  timeout: "allow more time with --timeout or --idle, or run `tenon doctor` with the same target",
};

/** Advice for a capability that a server requires. */
const capabilityHints: readonly (readonly [capability: string, hint: string])[] = [
  ["elicitation", "--elicit fields.json, --elicit accept or --elicit decline"],
  ["roots", "show the server a folder with --root <folder>"],
  ["sampling", "run the command at a terminal, where you write what the model would"],
];

/** Advice for an error that requires the client to declare a capability. */
export function capabilityHint(data: unknown, message: string): string | undefined {
  const required = isRecord(data) ? data["requiredCapabilities"] : undefined;
  const isMissing = /does not support|capabilit/i.test(message);
  return capabilityHints.find(
    ([name]) =>
      (isRecord(required) && name in required) || (isMissing && new RegExp(`\\b${name}\\b`).test(message)),
  )?.[1];
}

/** Advice for a login that lacks rights: the usual advice would lead to the same error again. */
function loginAdvice(chain: readonly unknown[]): string | undefined {
  const denied = chain.find((each) => isAuthError(each));
  if (denied?.code === "SCOPE_DENIED") {
    return "have the authorization server grant these rights to the user, then run `tenon login` again";
  }
  const scopes = missingLogin(denied)?.scopes ?? [];
  return scopes.length > 0 ? loginHint(scopes) : undefined;
}

/** Advice for a response that was too large. The other limits follow the size of messages. */
function limitHint(chain: readonly unknown[]): string | undefined {
  const isTooLarge = chain.some(
    (each) => isLocalError(each, "LIMIT_EXCEEDED") && each.received !== undefined,
  );
  return isTooLarge ? "accept more with --max-message-bytes <count>" : undefined;
}

/** Advice for a certificate that is not trusted, and for a server that asks to wait. */
function networkHint(chain: readonly unknown[]): string | undefined {
  if (
    chain.some(
      (each) =>
        isRecord(each) && /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(String(each["code"])),
    )
  ) {
    return "name the certificate of its authority in NODE_EXTRA_CA_CERTS, if you trust it";
  }
  const busy = chain.find((each) => isHttpError(each));
  return busy?.status === 429 || busy?.status === 503
    ? `the server is busy: try again ${busy.retryAfterMs === undefined ? "later" : `in ${Math.ceil(busy.retryAfterMs / 1000)} s`}`
    : undefined;
}

/** Codes of errors of `ship` that are not usage errors. */
const failsLater: ReadonlySet<string> = new Set([
  "SERVER_FAILED",
  "BUNDLE_FAILED",
  "BAD_ARCHIVE",
  "CARD_UNREADABLE",
  "CHANGED",
  "LIMIT",
]);

/** The error of `ship` in a chain. Its package is loaded by its commands alone. */
function shipErrorIn(chain: readonly unknown[]): Readonly<Record<string, unknown>> {
  const found = chain.find((each) => each instanceof Error && each.name === "ShipError");
  return isRecord(found) ? found : {};
}

/** Advice of an error of `ship`. */
function shipHint(chain: readonly unknown[]): string | undefined {
  const { hint } = shipErrorIn(chain);
  return typeof hint === "string" ? hint : undefined;
}

/** The problems that an error of `ship` lists, for programs. */
function shipFindings(chain: readonly unknown[]): unknown {
  const { findings } = shipErrorIn(chain);
  return Array.isArray(findings) && findings.length > 0 ? { findings } : undefined;
}

/**
 * Describes any error: its kind, its message and advice for the user.
 *
 * @param target - The target of the command, which advice names if it can be pasted into a shell
 *   and contains no secret.
 * @param profile - The profile of its login as a word of a shell, which advice then names as well.
 */
export function describeError(error: unknown, target?: string, profile?: string): PrintedError {
  const described = describe(error);
  const isPlain = target !== undefined && /^[\w@%+=:,./-]+$/.test(target) && redactTarget(target) === target;
  if (!isPlain || described.hint === undefined) {
    return described;
  }
  const named = profile === undefined ? target : `${target} --profile ${profile}`;
  return { ...described, hint: described.hint.replaceAll("<target>", named) };
}

function describe(error: unknown): PrintedError {
  const chain = causesOf(error);
  const kind = kindOf(chain);
  const rpc = chain.find((each) => isRpcError(each));
  const coded = rpc ?? chain.find((each) => isLocalError(each));
  // Errors are often logged. Results of tools are not redacted.
  const message = visible(redactText(forPeople(messageOf(error))));
  const hint =
    chain.find((each) => each instanceof CliError)?.hint ??
    shipHint(chain) ??
    capabilityHint(rpc?.data, rpc?.message ?? "") ??
    loginAdvice(chain) ??
    limitHint(chain) ??
    networkHint(chain) ??
    hints[kind as ErrorKind];
  const data = rpc?.data === undefined ? shipFindings(chain) : redactor()(rpc.data);
  const code = error instanceof Error && "code" in error ? error.code : coded?.code;
  return {
    kind,
    message: message === "" ? "An error without a message." : message,
    ...(typeof code === "number" || typeof code === "string" ? { code } : {}),
    ...(data === undefined ? {} : { data }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function kindOf(chain: readonly unknown[]): ErrorKind | "internal" {
  for (const each of chain) {
    if (each instanceof CliError) {
      return each.kind;
    }
    if (each instanceof Interrupted) {
      return "interrupted";
    }
    if (isAuthError(each) || (isHttpError(each) && (each.status === 401 || each.status === 403))) {
      return "authorization";
    }
  }
  const kinds = chain.map((each) => ownKind(each)).filter((kind) => kind !== undefined);
  // The cause may be that the server did not respond.
  const isDisagreement = chain.some((each) => isMcpError(each, "UNSUPPORTED_REVISION"));
  return (isDisagreement ? kinds.at(-1) : kinds[0]) ?? "internal";
}

function ownKind(error: unknown): ErrorKind | undefined {
  if (isRpcError(error) || isMcpError(error) || isToolError(error)) {
    return "protocol";
  }
  if (isLocalError(error)) {
    return error.code === "TIMEOUT"
      ? "timeout"
      : error.code === "CONNECTION_CLOSED"
        ? "connection"
        : "protocol";
  }
  if (isHttpError(error)) {
    return "connection";
  }
  if (isHostError(error)) {
    switch (error.code) {
      case "INVALID_CONFIG":
      case "INVALID_OPTION":
      case "MISSING_VARIABLE":
      case "UNKNOWN_SERVER":
        return "usage";
      case "TIMEOUT":
        return "timeout";
      case "CONNECT_FAILED":
      case "SERVER_GONE":
      case "CONNECTION_LOST":
        return "connection";
      default:
        return "protocol";
    }
  }
  const name = error instanceof Error ? error.name : "";
  // Errors of extensions, whose packages are loaded by their commands alone.
  const isOfExtension = name === "TaskCallError" || name === "SkillError";
  if (name === "ShipError") {
    return failsLater.has(String((error as Error & { readonly code?: unknown }).code)) ? "failed" : "usage";
  }
  return name === "TimeoutError" ? "timeout" : isOfExtension ? "protocol" : undefined;
}
