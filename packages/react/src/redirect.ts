import { beginLogin, type Visit } from "./login-store.ts";

/** The key in `sessionStorage`, which belongs to the tab, with the `state` of the last login. */
const key = "tenon-login";

/** The parameters by which an authorization server responds. */
const responseParameters = ["code", "state", "iss", "error", "error_description", "error_uri"];

/** The page itself visits the authorization server, which redirects the browser to this page. */
export const redirect: Visit = {
  async visit(provider, signal) {
    const { href, state } = await beginLogin(provider);
    signal.throwIfAborted();
    sessionStorage.setItem(key, state);
    window.location.assign(href);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  },

  /** Ignores responses to logins of another tab or user: they may belong to another account. */
  takeResponse() {
    const response = new URL(window.location.href);
    const state = response.searchParams.get("state");
    if (state === null || state !== sessionStorage.getItem(key)) {
      return undefined;
    }
    sessionStorage.removeItem(key);
    // The code must not be sent again, shared or stored in the history.
    const rest = new URL(response);
    responseParameters.forEach((name) => rest.searchParams.delete(name));
    window.history.replaceState(window.history.state, "", rest);
    return response;
  },
};
