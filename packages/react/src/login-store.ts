import { createStore, type ExternalStore } from "./external-store.ts";

/** The part of an OAuth provider that a login uses: `createOAuth` of `@tenon/auth/client`. */
export interface LoginProvider {
  /** Starts a login: the user visits `url`, and the response has `state`. */
  begin(): Promise<{ readonly url: { readonly href: string }; readonly state: string }>;
  /** Finishes a login. @param callback - The URL to which the browser was redirected. */
  finish(callback: URL): Promise<void>;
}

/** A login, as components see it. Each change is a new object. */
export interface Login {
  /**
   * `waiting`: the user visits the authorization server, or the login is being finished. After a
   * login the status is `idle`.
   */
  readonly status: "idle" | "waiting" | "failed";
  /** The reason why the status is `failed`. */
  readonly error: unknown;
  /**
   * Opens the popup, or, with `redirect`, leaves the page. Call it in the handler of a click, or
   * browsers block the popup. Never rejects.
   */
  readonly start: () => Promise<void>;
  /** Ends the wait for the popup. The user closes the popup. */
  readonly cancel: () => void;
}

/** The way of the user to the authorization server, and back. */
export interface Visit {
  /**
   * Sends the user there. Called in the handler of the click. Resolves with the URL to which the
   * browser was redirected, unless the page is left. Rejects when the signal aborts.
   */
  readonly visit: (provider: LoginProvider, signal: AbortSignal) => Promise<URL>;
  /** Removes the response to an earlier visit from the URL of this page, and returns it. */
  readonly takeResponse?: () => URL | undefined;
}

/**
 * Creates the store of the logins of a page.
 *
 * @param way - How the user visits the authorization server.
 * @param onDone - Called after each login.
 */
export function createLoginStore(
  provider: LoginProvider,
  way: Visit,
  onDone: () => void,
): ExternalStore<Login> {
  let current: AbortController | undefined;
  let isUnmounted = false;
  const store = createStore<Login>({ status: "idle", error: undefined, start, cancel }, () => {
    isUnmounted = false;
    const response = way.takeResponse?.();
    if (response !== undefined) {
      void run(() => Promise.resolve(response));
    }
    return () => {
      isUnmounted = true;
      cancel();
    };
  });

  function show(status: Login["status"], error?: unknown): void {
    store.set({ ...store.snapshot(), status, error });
  }

  function cancel(): void {
    if (current !== undefined) {
      current.abort();
      current = undefined;
      show("idle");
    }
  }

  async function start(): Promise<void> {
    if (!isUnmounted) {
      await run((signal) => way.visit(provider, signal));
    }
  }

  async function run(respond: (signal: AbortSignal) => Promise<URL>): Promise<void> {
    current?.abort();
    const own = new AbortController();
    current = own;
    const responding = respond(own.signal);
    show("waiting");
    /** Returns whether this login is shown. */
    const end = (status: Login["status"], error?: unknown): boolean => {
      const isShown = current === own;
      if (isShown) {
        current = undefined;
        show(status, error);
      }
      own.abort();
      return isShown;
    };
    try {
      await provider.finish(await responding);
    } catch (error) {
      end("failed", error);
      return;
    }
    if (end("idle")) {
      tell(onDone);
    }
  }

  return store;
}

/** The login has succeeded: an error of the callback is an error of the page. */
function tell(onDone: () => void): void {
  try {
    onDone();
  } catch (error) {
    reportError(error);
  }
}

/**
 * Starts a login, and returns the page that the user visits.
 *
 * @throws `TypeError` for a URL that would run a script in the origin of this page.
 */
export async function beginLogin(
  provider: LoginProvider,
): Promise<{ readonly href: string; readonly state: string }> {
  const { url, state } = await provider.begin();
  if (!/^https?:/i.test(url.href)) {
    throw new TypeError("Expected an http or https URL of the authorization server.");
  }
  return { href: url.href, state };
}
