import { isRecord } from "@tenon/base";

import type { RevisionRules } from "../revisions/rules.ts";

/**
 * Overrides the declared capabilities. `true` declares a capability before its first feature is
 * added, so that legacy clients, which get the capabilities once, are notified of later additions.
 * `false` hides a capability: its methods get `-32601`. By default a server declares `tools` and
 * every feature that it has.
 */
export interface DeclaredCapabilities {
  readonly tools?: boolean | ListCapability | undefined;
  readonly prompts?: boolean | ListCapability | undefined;
  /** `subscribe: false`: clients cannot watch resources. Default `true`. */
  readonly resources?: boolean | (ListCapability & { readonly subscribe?: boolean | undefined }) | undefined;
  readonly completions?: boolean | undefined;
}

/** Details of a capability that has a list. */
export interface ListCapability {
  /** Whether clients are notified of changes to the list. Default: `true`. */
  readonly listChanged?: boolean | undefined;
}

/** Whether a capability is declared. @param present - Whether the feature has any items. */
export function isOffered(declared: boolean | object | undefined, present: boolean): boolean {
  return declared === undefined ? present : declared !== false;
}

/** The value of a capability that has a list. */
export function listCapability(declared: boolean | ListCapability | undefined): { listChanged?: boolean } {
  return typeof declared === "object" && declared.listChanged === false ? {} : { listChanged: true };
}

/**
 * The current value of each capability by name, for a revision; `undefined` if it is not declared.
 */
export type CapabilitySources<C> = {
  readonly [K in keyof C]?: (rules: Pick<RevisionRules, "era">) => C[K] | undefined;
};

/** Collects the capabilities of all features at this moment. */
export interface Declaration<C> {
  /** All of it. A capability that the revision does not have may be among them. */
  capabilities(rules: Pick<RevisionRules, "era">): C;
  /**
   * True if a dotted path is declared: see {@link hasCapability}. Asks only the capability that it
   * is about.
   */
  declares(path: string): boolean;
  /**
   * Adds a capability. Returns `false` if there is one of that name.
   *
   * @param source - Gets a function that returns the value of another capability.
   */
  add(name: string, source: (other: (name: string) => unknown) => unknown): boolean;
}

type Source = (rules: Pick<RevisionRules, "era">) => unknown;

/** For capabilities that methods require: none of them depends on the era. */
const anyRules = { era: "modern" } as const;

/**
 * Puts the declarations of several features together. No two of them declare the same capability.
 */
export function declarationOf<C extends object>(
  features: readonly { readonly capabilities?: CapabilitySources<C> }[],
): Declaration<C> {
  const sources = new Map<string, Source>(
    features.flatMap(({ capabilities = {} }) => Object.entries(capabilities) as [string, Source][]),
  );
  return {
    capabilities: (rules) => {
      const entries = [...sources].map(([name, source]) => [name, source(rules)] as const);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as C;
    },
    declares: (path) => {
      const dot = path.indexOf(".");
      return dot === -1
        ? isDeclared(sources.get(path)?.(anyRules))
        : isDeclaredBelow(sources.get(path.slice(0, dot))?.(anyRules), path.slice(dot + 1));
    },
    add: (name, source) => {
      const isNew = !sources.has(name);
      if (isNew) {
        sources.set(name, (rules) => source((other) => sources.get(other)?.(rules)));
      }
      return isNew;
    },
  };
}

/**
 * Capabilities as received from the remote peer, with every capability an object. `true` and
 * the empty list, the empty object of PHP, are treated as `{}`; any other value that is not an
 * object declares nothing. Returns the same object if there
 * is nothing to correct.
 *
 * @source T-79
 */
export function readCapabilities(said: unknown): Record<string, object> {
  if (!isRecord(said)) {
    return {};
  }
  for (const name in said) {
    if (!isRecord(said[name])) {
      return Object.fromEntries(
        Object.entries(said).flatMap(([key, value]) =>
          isRecord(value) ? [[key, value]] : isEmptyObject(value) ? [[key, {}]] : [],
        ),
      );
    }
  }
  return said as Record<string, object>;
}

function isEmptyObject(value: unknown): boolean {
  return value === true || (Array.isArray(value) && value.length === 0);
}

/**
 * Whether a capability is declared, as a dotted path such as `resources.subscribe`: every property
 * of the path exists and none is `false`.
 *
 * @source T-79
 */
export function hasCapability(capabilities: object, path: string): boolean {
  const dot = path.indexOf(".");
  return dot === -1
    ? isDeclared(Reflect.get(capabilities, path))
    : isDeclaredBelow(Reflect.get(capabilities, path.slice(0, dot)), path.slice(dot + 1));
}

function isDeclared(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function isDeclaredBelow(value: unknown, path: string): boolean {
  return typeof value === "object" && value !== null && hasCapability(value, path);
}
