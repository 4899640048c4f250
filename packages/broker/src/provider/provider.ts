import { Provider } from "oidc-provider";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import { failed } from "../pages/failed.ts";
import type { SigningKeys } from "../store/signing-keys.ts";
import { call, type Listener, type Place } from "./call.ts";
import { configurationOf, protocolPaths, type ProviderSettings } from "./configuration.ts";
import type { Documents } from "./documents.ts";

/** The authorization server of the library, with the signing keys of now. */
export interface Protocol {
  /** The instance of now, for its models. */
  current(): Promise<Provider>;
  /** Serves a request of the protocol. Its path is relative to the issuer. */
  serve(request: BrokerRequest): Promise<BrokerResponse>;
  /** Goes on with an authorization request whose interaction has a result. */
  resume(uid: string): Promise<BrokerResponse>;
}

/** Creates the authorization server, and replaces it when the signing keys change. */
export function createProtocol(
  issuer: string,
  settings: Omit<ProviderSettings, "keys" | "fetchDocument">,
  documents: Documents,
  signing: SigningKeys,
  place: Place,
  onError: (error: unknown) => void,
): Protocol {
  let made: { readonly kids: string; readonly provider: Provider; readonly listener: Listener } | undefined;

  async function instance(): Promise<NonNullable<typeof made>> {
    const keys = await signing.current();
    const kids = keys.map(({ jwk }) => jwk.kid).join();
    if (made?.kids === kids) {
      return made;
    }
    const fetchDocument = documents.fetch;
    const provider = new Provider(issuer, configurationOf({ ...settings, fetchDocument, keys }));
    // `call` writes the forwarded headers itself.
    provider.proxy = true;
    provider.on("server_error", (_, error) => onError(error));
    // Only the broker binds pages to a browser, by its own cookies.
    provider.use(async (context, next) => {
      await next();
      context.response.remove("set-cookie");
    });
    made = { kids, provider, listener: provider.callback() };
    return made;
  }

  return {
    current: async () => (await instance()).provider,
    // The library gets no cookies.
    async serve(request) {
      const { listener } = await instance();
      const bare = { ...request, headers: { ...request.headers, cookie: undefined } };
      const { result, isRefused } = await documents.within(request.address, () =>
        call(listener, bare, place),
      );
      // The client is not wrong: its document was not fetched.
      if (!isRefused || result.status < 400) {
        return result;
      }
      const response = failed(request, 503);
      const cors = result.headers.filter(([name]) => name.startsWith("access-control-"));
      return { ...response, headers: [...response.headers, ["retry-after", "60"], ...cors] };
    },
    async resume(uid) {
      const request: BrokerRequest = {
        method: "GET",
        path: `${protocolPaths.authorization}/${uid}`,
        search: "",
        headers: { cookie: `_interaction_resume=${uid}`, accept: "text/html" },
        body: Buffer.alloc(0),
        address: undefined,
      };
      return call((await instance()).listener, request, place);
    },
  };
}
