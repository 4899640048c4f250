import type { RedirectReceiver, SafeAuthorizationUrl } from "@tenon/auth/client";

/** Where the suite's authorization servers redirect to. Nobody listens there. */
const redirectUri = "http://localhost:3000/callback";

/** A user who agrees to everything, in a browser that shows nothing: both halves of a login. */
export function agreeingUser(): {
  readonly receiver: RedirectReceiver;
  open(url: SafeAuthorizationUrl): Promise<void>;
} {
  let arrive: (parameters: URLSearchParams) => void = () => {};
  return {
    receiver: {
      open: () => {
        const response = new Promise<URLSearchParams>((resolve) => {
          arrive = resolve;
        });
        return Promise.resolve({ redirectUri, response, [Symbol.asyncDispose]: () => Promise.resolve() });
      },
    },
    async open({ href }) {
      const response = await fetch(href, { redirect: "manual" });
      arrive(new URL(response.headers.get("location") ?? "", redirectUri).searchParams);
    },
  };
}
