import type { FetchFunction } from "@tenon/auth/server";
import { isRecord } from "@tenon/base";
import { Provider } from "oidc-provider";

import type { BrokerRequest, BrokerResponse } from "../http/exchange.ts";
import type { SigningKeys } from "../store/signing-keys.ts";
import { call, type Listener, type Place } from "./call.ts";
import { configurationOf, protocolPaths, type ProviderSettings } from "./configuration.ts";
import { isSafeRedirect } from "./redirect-uris.ts";
import { withType } from "./registration.ts";

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
  settings: Omit<ProviderSettings, "keys">,
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
    const fetchDocument = clientDocuments(settings.fetchDocument);
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
    serve: async (request) =>
      call(
        (await instance()).listener,
        { ...request, headers: { ...request.headers, cookie: undefined } },
        place,
      ),
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

/**
 * Reads the documents of clients as registrations are read: a client whose redirect URIs are all on
 * the user's computer may use any port there.
 */
function clientDocuments(fetchDocument: FetchFunction): FetchFunction {
  return async (url, init) => {
    const response = await fetchDocument(url, init);
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
      return response;
    }
    const text = await limited(response);
    const document = parsed(text);
    const redirects = isRecord(document) ? document["redirect_uris"] : undefined;
    const isReadable =
      isRecord(document) && Array.isArray(redirects) && redirects.every((uri) => isSafeRedirect(String(uri)));
    const changed = isReadable ? JSON.stringify(withType(document, redirects as readonly string[])) : text;
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    headers.delete("content-encoding");
    return new Response(changed, { status: 200, headers });
  };
}

/** Maximum size of a document of a client. */
const maxDocumentBytes = 16_384;

/** @throws `TypeError` for a document that is too large. */
async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxDocumentBytes) {
      throw new TypeError(`The document of a client must be of at most ${maxDocumentBytes} bytes; got more.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
