import { isRecord, kindOf } from "@tenon/base";
import type { AuthProvider } from "@tenon/http/client";
import type { RequestContext } from "@tenon/mcp";

import { toBase64 } from "../bytes/bytes.ts";
import type { Pointers } from "../document/pointer.ts";
import { listOf, membersOf, textOf, type Members } from "../document/values.ts";
import type { Operation } from "../operation/operation.ts";
import { encodeUnreserved } from "../request/encode.ts";
import type { BasicCredential, Credential, Credentials } from "./credentials.ts";

/** The credentials of one request. */
export interface AppliedCredentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Pairs for the query, encoded. */
  readonly query: readonly string[];
  /** Pairs for the header `Cookie`, encoded. */
  readonly cookies: readonly string[];
  /** Secret strings, which are removed from messages and results. */
  readonly secrets: readonly string[];
  /** The provider that is called when the API refuses the credentials. */
  readonly provider: AuthProvider | undefined;
}

/** A scheme of an operation, with its credential. */
export interface UsedScheme {
  readonly name: string;
  readonly scheme: Members;
  readonly scopes: readonly string[];
  readonly credential: Credential;
}

/** The security schemes of a document, in either of its forms. */
export function securitySchemes(document: Members, pointers: Pointers): ReadonlyMap<string, Members> {
  const schemes = document["securityDefinitions"] ?? membersOf(document["components"])["securitySchemes"];
  return new Map(
    Object.entries(membersOf(schemes)).map(([name, scheme]) => [name, membersOf(pointers.follow(scheme))]),
  );
}

/**
 * Chooses among the alternatives of an operation the first whose schemes all have credentials.
 * Without one, the operation is called without credentials, and the API decides.
 */
export function chooseSchemes(
  { security }: Pick<Operation, "security">,
  schemes: ReadonlyMap<string, Members>,
  credentials: Credentials,
): readonly UsedScheme[] {
  for (const alternative of security) {
    const used = Object.entries(alternative).map(([name, scopes]) => ({
      name,
      scheme: schemes.get(name),
      scopes: listOf(scopes).filter((scope) => typeof scope === "string"),
      credential: Object.hasOwn(credentials, name) ? credentials[name] : undefined,
    }));
    if (
      used.length > 0 &&
      used.every(({ scheme, credential }) => scheme !== undefined && credential !== undefined)
    ) {
      return used as UsedScheme[];
    }
  }
  return [];
}

/**
 * Computes the credentials of a request. @throws The error of a function; `TypeError` for an
 * invalid value.
 */
export async function applyCredentials(
  used: readonly UsedScheme[],
  target: {
    readonly url: URL;
    readonly method: string;
    readonly context: RequestContext;
    readonly signal: AbortSignal;
  },
): Promise<AppliedCredentials> {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  const cookies: string[] = [];
  const secrets: string[] = [];
  let provider: AuthProvider | undefined;
  const { url, method, context, signal } = target;
  for (const { name, scheme, scopes, credential } of used) {
    if (isProvider(credential)) {
      provider = credential;
      for (const [field, value] of Object.entries(
        (await credential.headers({ url, method, signal })) ?? {},
      )) {
        headers[field.toLowerCase()] = value;
        secrets.push(value, ...value.split(" ").slice(1));
      }
      continue;
    }
    const place = `${url.origin}${url.pathname}`;
    const value: unknown =
      typeof credential === "function"
        ? await credential({ context, scopes, url: place, method, signal })
        : credential;
    if (value === undefined) {
      continue;
    }
    if (textOf(scheme["type"]) === "apiKey") {
      const key = textCredential(name, value);
      const field = textOf(scheme["name"]) ?? "";
      secrets.push(key);
      if (scheme["in"] === "query") {
        query.push(`${encodeUnreserved(field)}=${encodeUnreserved(key)}`);
        secrets.push(encodeUnreserved(key));
      } else if (scheme["in"] === "cookie") {
        cookies.push(`${encodeUnreserved(field)}=${encodeUnreserved(key)}`);
        secrets.push(encodeUnreserved(key));
      } else {
        headers[field.toLowerCase()] = key;
      }
      continue;
    }
    const isBasic = isBasicScheme(scheme);
    const text = isBasic || isRecord(value) ? basicText(name, value) : textCredential(name, value);
    const kind = isBasic || isRecord(value) ? "Basic" : authorizationKind(scheme);
    headers["authorization"] = `${kind} ${text}`;
    secrets.push(text, ...(isRecord(value) ? [String(value["password"])] : []));
  }
  for (const [field, value] of Object.entries(headers)) {
    // A key from a file often ends with a line end. Its text must not show in the error.
    if (!/^[\x20-\x7e]*$/.test(value)) {
      throw new TypeError(`The credential for the header ${field} has characters that headers cannot have.`);
    }
  }
  return {
    headers,
    query,
    cookies,
    // Longer secrets are replaced before the shorter ones that they contain.
    secrets: [...new Set(secrets)]
      .filter((secret) => secret.length >= minSecret)
      .sort((one, other) => other.length - one.length),
    provider,
  };
}

/** A shorter secret is not removed from results: it would remove words. */
const minSecret = 6;

function isProvider(value: Credential): value is AuthProvider {
  return typeof value === "object" && "headers" in value && typeof value.headers === "function";
}

function isBasicScheme({ type, scheme }: Members): boolean {
  return type === "basic" || (type === "http" && textOf(scheme)?.toLowerCase() === "basic");
}

/** The scheme of the header: the one of the document, such as `Token`, or `Bearer`. */
function authorizationKind({ type, scheme }: Members): string {
  const own = type === "http" ? textOf(scheme) : undefined;
  return own === undefined || own.toLowerCase() === "bearer" || !/^[\w-]+$/.test(own) ? "Bearer" : own;
}

function textCredential(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`The credential ${name} must be a string that is not empty; got ${kindOf(value)}.`);
  }
  return value;
}

function basicText(name: string, value: unknown): string {
  const { username, password } = membersOf(value) as Partial<BasicCredential>;
  if (typeof username !== "string" || typeof password !== "string" || username.includes(":")) {
    throw new TypeError(
      `The credential ${name} must be { username, password }, without a colon in the name; got ${kindOf(value)}.`,
    );
  }
  return toBase64(new TextEncoder().encode(`${username}:${password}`));
}

/** A sentence for the error of an API that has refused, if a credential may be missing. */
export function missingHint(operation: Operation, used: readonly UsedScheme[]): string {
  const names = [...new Set(operation.security.flatMap((alternative) => Object.keys(alternative)))];
  return used.length > 0 || names.length === 0
    ? ""
    : ` This server lacks credentials for the operation (${names.join(", ").slice(0, 200)}).`;
}
