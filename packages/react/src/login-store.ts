import { createStore, type ExternalStore } from "./external-store.ts";

/** The part of an OAuth provider that a login uses: `createOAuth` of `@tenon/auth/client`. */
export interface LoginProvider {
  /** Starts a login: the user visits `url`, and the response has `state`. */
  begin(): Promise<{ readonly url: { readonly href: string }; readonly state: string }>;
  /** Finishes a login. @param callback - The URL to which the browser was redirected. */
  finish(callback: URL): Promise<void>;
}

/** A login in a popup, as components see it. Each change is a new object. */
export interface Login {
  /** `waiting`: the user visits the popup. After a login the status is `idle`. */
  readonly status: "idle" | "waiting" | "failed";
  /** The reason why the status is `failed`. */
  readonly error: unknown;
  /** Opens the popup. Call it in the handler of a click, or browsers block it. Never rejects. */
  readonly start: () => Promise<void>;
  /** Ends the wait for the popup. The user closes the popup. */
  readonly cancel: () => void;
}

/** The channel between a page and its popup, which have the same origin. */
const channelName = "tenon-login";

/** A message of the popup, or the response to it. The channel may carry others. */
type LoginMessage = {
  readonly kind: "redirected" | "received";
  readonly href: string;
} | null;

/** Creates the store of the logins of a page. @param onDone - Called after each login. */
export function createLoginStore(provider: LoginProvider, onDone: () => void): ExternalStore<Login> {
  let current: AbortController | undefined;
  let isUnmounted = false;
  const store = createStore<Login>({ status: "idle", error: undefined, start, cancel }, () => {
    isUnmounted = false;
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
    current?.abort();
    if (isUnmounted) {
      return;
    }
    const own = new AbortController();
    current = own;
    // Before the first `await`: later, the browser does not count it as part of the click.
    const popup = window.open("", "_blank", "popup,width=520,height=720");
    own.signal.addEventListener("abort", () => popup?.close());
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
      if (popup === null) {
        throw new Error("The popup was blocked by the browser. Call start() in the handler of a click.");
      }
      await provider.finish(await visit(popup, provider, own.signal));
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

/** Sends the user to the authorization server. Returns the URL to which it redirects the popup. */
async function visit(popup: Window, provider: LoginProvider, signal: AbortSignal): Promise<URL> {
  const { url, state } = await provider.begin();
  signal.throwIfAborted();
  if (popup.closed) {
    throw new Error("The popup was closed before the login page was shown.");
  }
  // An empty popup has the origin of this page, and would run a script of the server.
  if (!/^https?:/i.test(url.href)) {
    throw new TypeError("Expected an http or https URL of the authorization server.");
  }
  // The pages of the authorization server could otherwise replace this page. Afterwards only
  // the user, and the page of the redirect URI, can close the popup.
  popup.opener = null;
  popup.location.replace(url.href);
  return callbackOf(state, signal);
}

function post(channel: BroadcastChannel, message: NonNullable<LoginMessage>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  channel.postMessage(message);
}

/** Waits until the popup reports the response to a login. Rejects when the signal aborts. */
function callbackOf(state: string, signal: AbortSignal): Promise<URL> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<URL>((resolve, reject) => {
    channel.addEventListener("message", ({ data }: MessageEvent<LoginMessage>) => {
      if (data?.kind !== "redirected" || !URL.canParse(data.href)) {
        return;
      }
      const callback = new URL(data.href);
      // Another page of this origin may be logging in, too.
      if (callback.searchParams.get("state") === state) {
        post(channel, { kind: "received", href: data.href });
        resolve(callback);
      }
    });
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    if (signal.aborted) {
      reject(signal.reason as Error);
    }
  }).finally(() => channel.close());
}

/**
 * Call it in the page of the redirect URI. It reports the response to the page that has opened the
 * popup, and closes the popup.
 */
export function reportLogin(): void {
  const { href } = window.location;
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", ({ data }: MessageEvent<LoginMessage>) => {
    if (data?.kind === "received" && data.href === href) {
      channel.close();
      window.close();
    }
  });
  post(channel, { kind: "redirected", href });
}
