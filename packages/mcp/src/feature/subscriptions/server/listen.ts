import { isRecord } from "@tenon/base";
import { ErrorCode, isLocalError, RpcError } from "@tenon/jsonrpc2/core";
import {
  MetaKey,
  type MethodTable,
  type SubscriptionFilter,
  type SubscriptionsListenResult,
} from "@tenon/protocol";

import { uriKey } from "../../../base/uri-key.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { ExtensionFields } from "./extension-fields.ts";
import { acceptFields, enrol, releaseFields } from "./filters.ts";
import { listens, type Listen } from "./listens.ts";
import { Outlet } from "./outlet.ts";
import { checkUri } from "./uri.ts";

/** The dependencies of {@link listen} on its server. */
export interface ListenSetup {
  /**
   * Maximum number of listens of one session or, without a session, of one principal. It also
   * limits the number of URIs in one listen.
   */
  readonly maxSubscriptions: number;
  readonly onError: (error: unknown) => void;
  /** All listens of the server, in sessions and without. */
  readonly running: Set<Listen>;
  /** The fields of extensions. */
  readonly extensionFields: ExtensionFields;
  /** Whether the server declares a capability, given as a dotted path. */
  declares(path: string): boolean;
}

/**
 * Handles `subscriptions/listen`: acknowledges the supported part of the filter, sends tagged
 * changes until the client cancels or the server ends it, and then returns the result.
 *
 * @throws `RpcError` `-32602` for a malformed filter or a URI that is too long, `-32603` beyond
 *   `maxSubscriptions`; as {@link acceptFields}.
 * @source R-530…R-538
 */
export async function listen(
  asked: unknown,
  request: InnerServerRequest,
  setup: ListenSetup,
): Promise<SubscriptionsListenResult> {
  const { rules, id, session } = request;
  const { extensionFields, maxSubscriptions } = setup;
  const checked = checkFilter(asked, rules.methods, maxSubscriptions);
  const fields = extensionFields.fields;
  const accepted = fields.size === 0 ? {} : await acceptFields(checked, request, fields, maxSubscriptions);
  const ofSession = session?.state.get(listens);
  const count = ofSession?.size ?? countOfPrincipal(request, setup);
  if (count >= maxSubscriptions) {
    const message = `The limit of ${maxSubscriptions} subscriptions (maxSubscriptions) is reached`;
    releaseFields(accepted, request, fields);
    throw new RpcError(ErrorCode.InternalError, message);
  }
  const filter = { ...inSpellingOf(request, honoured(checked, rules.methods, setup)), ...accepted };
  const _meta = { [MetaKey.subscriptionId]: id };
  const write = (method: string, params: object | undefined): Promise<void> =>
    request.notify(method, { ...params, _meta });
  // Registered before the acknowledgment, so that no change is lost; held until after it, so that
  // none overtakes it.
  const outlet = new Outlet(write, setup.onError, true);
  const running = new RunningListen({ request, filter, outlet }, accepted, setup);
  try {
    await write("notifications/subscriptions/acknowledged", { notifications: filter });
    outlet.open();
  } catch (error) {
    // A cancellation or a disconnected client is not an error. Both end the listen.
    if (!isLocalError(error, "CONNECTION_CLOSED")) {
      setup.onError(error);
    }
  }
  // Not awaited: a suspended function with all its variables would be kept for hours.
  return running.ended(_meta);
}

/** Shared by all listens without resources. */
const noUris: ReadonlyMap<string, string> = new Map();

/** A listen from its registration to its end. */
class RunningListen implements Listen {
  readonly request: InnerServerRequest;
  readonly filter: SubscriptionFilter;
  readonly uris: ReadonlyMap<string, string>;
  readonly outlet: Outlet;
  readonly #running: Set<Listen>;
  readonly #leave: (() => void) | undefined;
  readonly #resume: (() => void) | undefined;
  #isOver = false;
  #onEnd: (() => void) | undefined;

  /** @param accepted - The part of the filter that belongs to extensions. */
  constructor(
    { request, filter, outlet }: Pick<Listen, "request" | "filter" | "outlet">,
    accepted: Readonly<Record<string, readonly string[]>>,
    { extensionFields, running }: ListenSetup,
  ) {
    this.request = request;
    this.filter = filter;
    this.outlet = outlet;
    const { resourceSubscriptions: uris } = filter;
    this.uris = uris === undefined ? noUris : new Map(uris.map((uri) => [uriKey(uri), uri]));
    this.#running = running;
    this.#leave = extensionFields.fields.size === 0 ? undefined : enrol(this, accepted, extensionFields);
    request.session?.state.get(listens).add(this);
    running.add(this);
    this.#resume = request.park(() => this.end());
  }

  end(): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.request.session?.state.get(listens).delete(this);
      this.#leave?.();
      this.#running.delete(this);
      this.#resume?.();
      this.#onEnd?.();
    }
  }

  /** Resolves at the end, to the result of the request. */
  ended(_meta: Readonly<Record<string, unknown>>): Promise<SubscriptionsListenResult> {
    return new Promise((resolve) => {
      this.#onEnd = () => resolve({ _meta } as SubscriptionsListenResult);
      if (this.#isOver) {
        this.#onEnd();
      }
    });
  }
}

/**
 * The number of listens that the principal of a request without a session has already. Callers
 * without a principal cannot be told apart: their transport limits them.
 */
function countOfPrincipal({ auth }: InnerServerRequest, { running, maxSubscriptions }: ListenSetup): number {
  if (auth === undefined || running.size < maxSubscriptions) {
    return 0;
  }
  const own = [...running].filter(
    ({ request }) => request.session === undefined && request.auth?.principal === auth.principal,
  );
  return own.length;
}

/**
 * Returns the part of a filter that the server's capabilities allow. Other properties are omitted.
 *
 * @source R-532
 */
function honoured(
  asked: SubscriptionFilter,
  methods: MethodTable,
  { declares }: Pick<ListenSetup, "declares">,
): SubscriptionFilter {
  const allowed = new Set(
    Object.values(methods).flatMap(({ filter, requires }) =>
      filter !== undefined && (requires?.server === undefined || declares(requires.server)) ? [filter] : [],
    ),
  );
  const entries = Object.entries(asked).filter(([field, value]) => allowed.has(field) && value !== false);
  return Object.fromEntries(entries) as SubscriptionFilter;
}

/** Clients recognize the URIs of their filter only in their own spelling. */
function inSpellingOf({ original }: InnerServerRequest, filter: SubscriptionFilter): SubscriptionFilter {
  const { resourceSubscriptions: uris } = filter;
  const received = original.params["notifications"];
  const written = isRecord(received) ? received["resourceSubscriptions"] : undefined;
  if (uris === undefined || !Array.isArray(written)) {
    return filter;
  }
  const keys = new Set(uris.map(uriKey));
  const own = written.filter((uri): uri is string => typeof uri === "string" && keys.has(uriKey(uri)));
  own.forEach((uri) => keys.delete(uriKey(uri)));
  const added = uris.filter((uri) => keys.has(uriKey(uri)));
  return { ...filter, resourceSubscriptions: [...own, ...added] };
}

function checkFilter(
  asked: unknown,
  methods: MethodTable,
  maxUris: number,
): SubscriptionFilter & Readonly<Record<string, unknown>> {
  if (!isRecord(asked)) {
    throw invalid("subscriptions/listen needs notifications, an object");
  }
  const uris = asked["resourceSubscriptions"];
  if (uris !== undefined && !Array.isArray(uris)) {
    throw invalid("resourceSubscriptions must be a list of URIs");
  }
  if (uris !== undefined && uris.length > maxUris) {
    throw invalid(`resourceSubscriptions may name ${maxUris} URIs at most`);
  }
  uris?.forEach(checkUri);
  for (const { change, filter: field } of Object.values(methods)) {
    if (
      change === "list" &&
      field !== undefined &&
      asked[field] !== undefined &&
      typeof asked[field] !== "boolean"
    ) {
      throw invalid(`${field} must be true or false`);
    }
  }
  return asked;
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
