import { changeNotifications } from "@tenon/protocol";

import { uriKey } from "../../../base/uri-key.ts";
import type { ChangeFilter, ChangeReceiver } from "../../../request/server/change.ts";
import type { InnerServerSession } from "../../../request/server/session.ts";
import { isConcerned, isWanted, legacySubscriptions } from "./concerned.ts";
import { Outlet } from "./outlet.ts";
import type { PublisherSetup } from "./publish.ts";
import { isServerChange } from "./server-change.ts";
import { Slices } from "./slices.ts";

/** Sends the changes that a `Publisher` publishes. */
export class Delivery {
  readonly #setup: PublisherSetup;
  readonly #slices: Slices;
  #lastFiltered = 0;

  constructor(setup: PublisherSetup) {
    this.#setup = setup;
    this.#slices = new Slices(setup.onError);
  }

  /** Notifies all sessions and subscriptions that a change concerns, or those that `to` chooses. */
  publish(method: string, written: string | undefined, to: ChangeFilter | undefined): void {
    const uri = written === undefined ? undefined : uriKey(written);
    const key = uri === undefined ? method : `${method} ${uri}`;
    // Changes with different readers are not equal. The readers are chosen at once: the later the
    // more likely `to` would not know them any more.
    const job = to === undefined ? key : `${key} ${++this.#lastFiltered}`;
    const paramsFor = (uris: ReadonlyMap<string, string> | undefined): object | undefined =>
      uri === undefined ? undefined : { uri: uris?.get(uri) ?? uri };
    // Copies: sessions and listens that open during the loop read the current state anyway.
    const sessions = [...this.#setup.sessions()];
    const chosen =
      to === undefined
        ? sessions
        : sessions.filter((session) => this.#isChosen(to, { session, request: undefined }));
    this.#slices.each(`sessions ${job}`, chosen, (session) => {
      if (isConcerned(session, method, uri)) {
        const { uris } = session.state.get(legacySubscriptions);
        this.#outletOf(session).push(key, method, paramsFor(uris));
      }
    });
    const { listens } = this.#setup;
    const concerned = [...listens].filter(
      (listen) =>
        isWanted(listen, method, uri) &&
        (to === undefined ||
          this.#isChosen(to, { session: listen.request.session, request: listen.request })),
    );
    this.#slices.each(`listens ${job}`, concerned, (listen) => {
      if (listens.has(listen)) {
        listen.outlet.push(key, method, paramsFor(listen.uris));
      }
    });
  }

  #isChosen(to: ChangeFilter, receiver: ChangeReceiver): boolean {
    try {
      return to(receiver);
    } catch (error) {
      this.#setup.onError(error);
      return false;
    }
  }

  /**
   * Publishes a change on another instance, unless it is not valid or has the origin of this
   * server.
   */
  announce(change: unknown, origin: string | undefined, to: ChangeFilter | undefined): void {
    if (isServerChange(change) && change.origin !== origin) {
      const { method, uri } = change;
      if (method === undefined) {
        this.#announceAll(to);
      } else {
        this.publish(method, uri, to);
      }
    }
  }

  /** Publishes that everything may have changed. */
  #announceAll(to: ChangeFilter | undefined): void {
    for (const [method, { change }] of changeNotifications()) {
      for (const uri of change === "list" ? [undefined] : subscribedIn(this.#setup)) {
        this.publish(method, uri, to);
      }
    }
  }

  #outletOf(session: InnerServerSession): Outlet {
    const state = session.state.get(legacySubscriptions);
    state.outlet ??= new Outlet((method, params) => session.notify(method, params), this.#setup.onError);
    return state.outlet;
  }
}

/** The resources that clients have subscribed to. */
function subscribedIn({ sessions, listens }: PublisherSetup): ReadonlySet<string> {
  const legacy = [...sessions()].map(({ state }) => state.peek(legacySubscriptions));
  return new Set([...legacy, ...listens].flatMap((each) => [...(each?.uris.keys() ?? [])]));
}
