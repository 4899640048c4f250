import type { ClientCapabilities } from "@tenon/protocol";

import { hasCapability } from "../../request/capabilities.ts";
import { isListedCapability } from "../../revisions/index.ts";
import type { RevisionRules } from "../../revisions/rules.ts";

/** A message in its protocol form: `method` and `params`, not validated. */
export interface Asked {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * The capabilities that a message to a client needs and the client has not declared; `undefined` if
 * it has them all. A capability without parts, such as `elicitation: {}`, means its implied part
 * alone.
 *
 * @source, T-57, T-79
 */
export function lackingCapabilities(
  declared: ClientCapabilities,
  { method, params = {} }: Asked,
  rules: RevisionRules,
): ClientCapabilities | undefined {
  const path = neededPath({ method, params }, rules);
  if (path === undefined || hasCapability(declared, path)) {
    return undefined;
  }
  const [name = "", part] = path.split(".");
  const isImplied =
    name in declared &&
    rules.impliedParts[name] === part &&
    !otherParts(name, rules).some((other) => hasCapability(declared, `${name}.${other}`));
  return isImplied ? undefined : capabilityAt(path);
}

/** The capability that a message needs, as a dotted path. */
export function neededPath({ method, params = {} }: Asked, rules: RevisionRules): string | undefined {
  const members = params as Readonly<Record<string, unknown>>;
  const part = rules.requiredParts[method]?.find(
    ({ member, value }) =>
      member === undefined || (member in members && (value === undefined || members[member] === value)),
  );
  return part?.path ?? rules.methods[method]?.requires?.client;
}

/** The parts of a capability that messages may need, without the implied part. */
function otherParts(name: string, { requiredParts, impliedParts }: RevisionRules): readonly string[] {
  return Object.values(requiredParts)
    .flat()
    .map(({ path }) => path.split("."))
    .flatMap(([of, part]) =>
      of === name && part !== undefined && part !== impliedParts[name] ? [part] : [],
    );
}

/** True if clients of a revision can declare a capability. */
export function isDeclarable(path: string, { clientCapabilities, impliedParts }: RevisionRules): boolean {
  const [name = "", part] = path.split(".");
  if (!isListedCapability(name)) {
    return true;
  }
  const parts = clientCapabilities[name];
  return parts !== undefined && (part === undefined || part === impliedParts[name] || parts.has(part));
}

/** `elicitation.url` as `{ elicitation: { url: {} } }`. */
function capabilityAt(path: string): ClientCapabilities {
  return path.split(".").reduceRight<object>((inner, name) => ({ [name]: inner }), {});
}

/**
 * The capabilities as a revision knows them; those that it does not know at all are left out.
 *
 * @source T-46
 */
export function downConvertCapabilities(
  capabilities: ClientCapabilities,
  rules: RevisionRules,
): ClientCapabilities {
  const entries = Object.entries(capabilities).flatMap(([name, value]: [string, object]) => {
    if (!isListedCapability(name)) {
      return [[name, value] as const];
    }
    const members = rules.clientCapabilities[name];
    if (members === undefined || isOnlyUnknown(name, value, rules)) {
      return [];
    }
    return [
      [name, Object.fromEntries(Object.entries(value).filter(([member]) => members.has(member)))] as const,
    ];
  });
  return Object.fromEntries(entries) as ClientCapabilities;
}

/**
 * Whether a capability would get another meaning without the parts that a revision lacks: it would
 * mean its implied part, which the client has not declared.
 */
function isOnlyUnknown(name: string, value: object, rules: RevisionRules): boolean {
  const implied = rules.impliedParts[name];
  return (
    implied !== undefined &&
    !(implied in value) &&
    otherParts(name, rules).some(
      (part) => part in value && rules.clientCapabilities[name]?.has(part) !== true,
    )
  );
}
