import { isRecord } from "@tenon/base";
import { canonicalMessage } from "@tenon/uri-template/canonical-parts";

/** A message of the client that changed its session, so that a rebuilt session gets it too. */
export interface Fact {
  readonly method: string;
  readonly params: object;
}

/** The facts of a session. A message replaces an earlier message with the same key. */
export type Facts = Readonly<Record<string, Fact>>;

/** A change of {@link Facts}. */
export interface FactChange {
  readonly key: string;
  /** Absent: the fact is removed. */
  readonly fact?: Fact | undefined;
}

/** Returns the change that a message makes once the server has accepted it. */
export function changeOf(method: string, params: unknown): FactChange | undefined {
  const given = isRecord(params) ? params : {};
  const message = { method, params: given };
  switch (method) {
    case "notifications/initialized":
    case "logging/setLevel":
      return { key: method, fact: { method, params: given } };
    case "resources/subscribe":
      return { key: keyOf(message), fact: { method, params: { uri: given["uri"] } } };
    case "resources/unsubscribe":
      return { key: keyOf(message) };
    default:
      return undefined;
  }
}

/** Returns the facts after a change. */
export function changed(facts: Facts, { key, fact }: FactChange): Facts {
  const { [key]: _, ...others } = facts;
  return fact === undefined ? others : { ...others, [key]: fact };
}

/** The messages that bring a session with the facts `before` to the facts `after`. */
export function stepsBetween(before: Facts, after: Facts): readonly Fact[] {
  const removed = Object.entries(before)
    .filter(([key, { method }]) => !(key in after) && method === "resources/subscribe")
    .map(([, { params }]) => ({ method: "resources/unsubscribe", params }));
  const added = Object.entries(after)
    .filter(([key, fact]) => JSON.stringify(before[key]) !== JSON.stringify(fact))
    .map(([, fact]) => fact);
  return [...removed, ...added];
}

/** Parses the `facts` of a record. */
export function readFacts(text: string): Facts {
  const facts: unknown = JSON.parse(text);
  return isRecord(facts) ? (facts as Facts) : {};
}

/** Equal for all spellings of a URI: a client may subscribe with one, unsubscribe with another. */
function keyOf(message: Fact): string {
  const { uri } = canonicalMessage(message).params as { readonly uri?: unknown };
  return `resource ${String(uri)}`;
}
