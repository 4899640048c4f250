/** One row of a revision's method table: the facts about one method or notification. */
export interface MethodInfo {
  readonly kind: "request" | "notification";
  /** Which side sends it. */
  readonly sentBy: "client" | "server" | "either";
  /**
   * Capability that a side must have declared, as a dotted path (`resources.subscribe`). Where
   * either side may send the method both are given: for a request the receiver's counts, for a
   * notification the sender's.
   */
  readonly requires?: { readonly client?: string; readonly server?: string };
  /** Sent inside an `InputRequiredResult`, never as a JSON-RPC request of its own. */
  readonly embedded?: true;
  /** The result carries `ttlMs` and `cacheScope`. */
  readonly cacheable?: true;
  /** The result may be an `InputRequiredResult`. */
  readonly inputRequired?: true;
  /** The result may be a `CreateTaskResult`, if the params request a task. */
  readonly task?: true;
  /** The param that the `Mcp-Name` header repeats over HTTP. */
  readonly header?: string;
  /**
   * The field of `SubscriptionFilter` that asks for this notification; it comes on a
   * `subscriptions/listen` stream only.
   */
  readonly filter?: string;
  /** The kind of change: of a list, or of the contents of a resource. */
  readonly change?: "list" | "resource";
  /** The methods whose earlier results the notification makes stale. */
  readonly invalidates?: readonly string[];
  /** The handler of a client that is called with the notification, such as `onToolsChanged`. */
  readonly hook?: string;
  /** May be sent twice without harm. */
  readonly repeatable?: true;
  /**
   * Repeated by clients to read a state. Over HTTP its response is JSON instead of an event stream
   * that can be resumed.
   */
  readonly polled?: true;
  /**
   * Notifications that have the same values of these params say the same: of several that wait, the
   * newest is enough.
   */
  readonly coalesceBy?: readonly string[];
  /**
   * Sets something that the session keeps, once for each value of these params: a session that
   * replaces it needs the newest again.
   */
  readonly stateBy?: readonly string[];
  /** The method whose effect, for the same values of `stateBy`, this one takes back. */
  readonly undoes?: string;
}

/** The method table of one revision, by method name. */
export type MethodTable = { readonly [method: string]: MethodInfo };
