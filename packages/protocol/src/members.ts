/**
 * The properties that one revision defines for the types that clients and servers exchange.
 * Properties that the revision does not have are omitted from its messages.
 */
export interface MemberTable {
  readonly annotations: ReadonlySet<string>;
  /** The contents of a resource, text or blob. */
  readonly contents: ReadonlySet<string>;
  readonly implementation: ReadonlySet<string>;
  /** The params of `notifications/progress`. */
  readonly progress: ReadonlySet<string>;
  readonly prompt: ReadonlySet<string>;
  readonly promptArgument: ReadonlySet<string>;
  readonly resource: ReadonlySet<string>;
  readonly resourceTemplate: ReadonlySet<string>;
  readonly root: ReadonlySet<string>;
  readonly tool: ReadonlySet<string>;
  /** The types of content block, by their `type`. */
  readonly blockTypes: ReadonlySet<string>;
  /**
   * Properties of the content blocks of a type, by `type`. A type is omitted if its properties are
   * the same as in the newest revision.
   */
  readonly blocks: { readonly [type: string]: ReadonlySet<string> };
}
