import { isRecord } from "@tenon/base";

import { BrokerError } from "../error.ts";
import type { ProfileShape, Upstream } from "./upstream.ts";

/** An account at an identity provider. */
export interface Account {
  /** Identifies the account at the broker: `github:583231`. It is `sub` of access tokens. */
  readonly subject: string;
  /** The `id` of the upstream. */
  readonly upstream: string;
  /** The name, if the provider has one. */
  readonly name?: string | undefined;
  /** Only an address that the provider has verified. */
  readonly email?: string | undefined;
  /** Organizations, workspaces or groups. */
  readonly groups: readonly string[];
}

/** Limits of the properties of an account. */
const [maxSubjectLength, maxTextLength, maxGroups] = [200, 320, 500];

/**
 * Reads an account from the response of a provider.
 *
 * @param claims - The claims of an ID token: they have what the response does not. An address and
 *   whether it is verified come from one of them, because they may speak of two addresses.
 * @throws `BrokerError` `UPSTREAM_REJECTED` without a subject.
 */
export function accountFrom(
  upstream: Upstream,
  response: Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>> = {},
): Account {
  const shape = upstream.profile;
  const said = { ...claims, ...response };
  const hasEmail = shape.email !== undefined && valuesAt(response, shape.email).some(isPresent);
  const ids = [shape.subject].flat().map((path) => textAt(said, path));
  if (ids.some((id) => id === undefined || id.length > maxSubjectLength)) {
    throw new BrokerError(
      "UPSTREAM_REJECTED",
      `${upstream.name} must identify the user: ${String(shape.subject)} must be a string or a number; got neither.`,
    );
  }
  return {
    // Escaped, so that two subjects never become equal.
    subject: subjectOf(upstream.id, ids.map(String)),
    upstream: upstream.id,
    name: shape.name === undefined ? undefined : textAt(said, shape.name)?.slice(0, maxTextLength),
    email: emailFrom(hasEmail ? response : claims, shape),
    groups: shape.groups === undefined ? [] : groupsAt(said, shape.groups),
  };
}

/** The subject of an account at the broker. */
export function subjectOf(upstreamId: string, ids: readonly string[]): string {
  return `${upstreamId}:${ids.map(encodeURIComponent).join("/")}`;
}

function emailFrom(said: Readonly<Record<string, unknown>>, shape: ProfileShape): string | undefined {
  const { email, emailVerified } = shape;
  if (email === undefined || emailVerified === undefined) {
    return undefined;
  }
  const candidates = valuesAt(said, email);
  const isVerified =
    emailVerified === true
      ? candidates.map(() => true)
      : valuesAt(said, emailVerified).map((one) => one === true || one === "true");
  // In a list of addresses, the first that is verified.
  const found = candidates.find((_, at) => isVerified[at] === true);
  const isAddress =
    typeof found === "string" && found.length <= maxTextLength && /^[^\s@]+@[^\s@]+$/.test(found);
  return isAddress ? found.toLowerCase() : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function groupsAt(said: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  return valuesAt(said, path)
    .flat()
    .filter((one): one is string => typeof one === "string" && one.length <= maxTextLength)
    .slice(0, maxGroups);
}

function textAt(said: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const [value] = valuesAt(said, path);
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The values at a path. After a name with `[]`, the path continues in each element of an array. */
function valuesAt(value: unknown, path: string): readonly unknown[] {
  // Some claims are named by a URL.
  if (isRecord(value) && Object.hasOwn(value, path)) {
    return [value[path]];
  }
  let values: readonly unknown[] = [value];
  for (const part of path.split(".")) {
    const name = part.replace(/\[\]$/, "");
    values = values.flatMap((one) => {
      const next = isRecord(one) && Object.hasOwn(one, name) ? one[name] : undefined;
      return part.endsWith("[]") ? (Array.isArray(next) ? (next as unknown[]) : []) : [next];
    });
  }
  return values;
}
