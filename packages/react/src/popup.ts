import { beginLogin, type Visit } from "./login-store.ts";

/** The channel between a page and its popup, which have the same origin. */
const channelName = "tenon-login";

/** A message of the popup, or the response to it. The channel may carry others. */
type LoginMessage = {
  readonly kind: "redirected" | "received";
  readonly href: string;
} | null;

/** The user visits the authorization server in a popup. Its last page calls `reportLogin`. */
export const popup: Visit = {
  async visit(provider, signal) {
    // Before the first `await`: later, the browser does not count it as part of the click.
    const opened = window.open("", "_blank", "popup,width=520,height=720");
    signal.addEventListener("abort", () => opened?.close());
    if (opened === null) {
      throw new Error("The popup was blocked by the browser. Call start() in the handler of a click.");
    }
    const { href, state } = await beginLogin(provider);
    signal.throwIfAborted();
    if (opened.closed) {
      throw new Error("The popup was closed before the login page was shown.");
    }
    // The pages of the authorization server could otherwise replace this page. Afterwards only
    // the user, and the page of the redirect URI, can close the popup.
    opened.opener = null;
    opened.location.replace(href);
    return callbackOf(state, signal);
  },
};

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
