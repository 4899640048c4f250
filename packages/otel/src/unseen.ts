import { SpanKind } from "@opentelemetry/api";
import type { UnseenRequest } from "@tenon/mcp";
import { metaOf } from "@tenon/protocol";

import { subscribe } from "./channel.ts";
import { Attribute, Channel, other } from "./names.ts";
import type { Observer } from "./observer.ts";

/** Maximum length of an unknown method in a span, in UTF-16 code units. */
const maxMethod = 128;

/**
 * Reports the requests of a server that its middleware does not see: `initialize`, and requests
 * that were rejected before it. A method that no revision has is not a name of spans and metrics,
 * because strangers choose it.
 *
 * @returns Ends the reports.
 */
export function reportUnseen(server: object, observer: Observer): () => void {
  return subscribe(Channel.request, (published) => {
    const request = published as UnseenRequest;
    if (request.server === server && observer.isActive) {
      report(request, observer);
    }
  });
}

function report(
  { method, isKnown, params, session, revision, id, http, error }: UnseenRequest,
  observer: Observer,
): void {
  const from = observer.propagation.extract(metaOf(params) ?? {}, http);
  const observed = observer.begin(
    {
      method: isKnown ? method : other,
      params: (params ?? {}) as Readonly<Record<string, unknown>>,
      session,
      network: session?.network,
      revision,
      id,
      clientAddress: http?.address,
      isHttp: http !== undefined,
    },
    SpanKind.SERVER,
    from,
  );
  if (!isKnown) {
    observed.span?.setAttribute(Attribute.method, method.slice(0, maxMethod));
  }
  if (error === undefined) {
    observed.succeed(undefined);
  } else {
    observed.fail(error);
  }
}
