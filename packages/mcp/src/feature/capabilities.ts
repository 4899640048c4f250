import type { ServerCapabilities } from "@tenon/protocol";

/**
 * Which capabilities a server declares. `true` declares one before anything of its kind is there, so that legacy clients, which are told once, also hear of
 * what is added later; `false` hides one: its methods are answered with −32601. Left out: declared while something of its kind is there; tools always.
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
  /** Whether clients are told of changes to the list. Default `true`. */
  readonly listChanged?: boolean | undefined;
}

/** True if a capability is offered. @param present - Whether anything of its kind is there. */
export function isOffered(declared: boolean | object | undefined, present: boolean): boolean {
  return declared === undefined ? present : declared !== false;
}

/** The value of a capability that has a list. */
export function listCapability(declared: boolean | ListCapability | undefined): { listChanged?: boolean } {
  return typeof declared === "object" && declared.listChanged === false ? {} : { listChanged: true };
}

/** True if a dotted path, such as `resources.subscribe`, is declared: every member is there and none is `false` (T-79). */
export function hasCapability(capabilities: ServerCapabilities, path: string): boolean {
  let value: unknown = capabilities;
  for (const member of path.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
    if (value === undefined || value === false) {
      return false;
    }
  }
  return true;
}
