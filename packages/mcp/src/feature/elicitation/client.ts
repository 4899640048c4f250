import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import type { ClientFeature } from "../../request/client/feature.ts";
import type { ClientRequest } from "../../request/client/request.ts";
import type * as answerModule from "./client/answer.lazy.ts";
import { finishPage } from "./client/visits.ts";

const answering: Lazy<typeof answerModule> = lazy(() => import("./client/answer.lazy.ts"));

/**
 * Shows an elicitation request to the user, with the name of the server
 * (`request.session.serverInfo`), and lets the user accept, decline or cancel.
 *
 * @param request - `signal` aborts when the response is no longer needed.
 * @returns For an accepted form the `content`. Omitted fields get their defaults, and content that
 *   does not match the schema is an error.
 * @source R-626
 */
export type ElicitationHandler<P, R = ClientRequest> = (
  params: P,
  request: R,
) => ElicitResult | Promise<ElicitResult>;

/**
 * The handlers of elicitation requests: at least one of the two. A host calls them with requests of
 * its own type.
 */
export interface ElicitationHandlers<R = ClientRequest> {
  readonly form?: ElicitationHandler<ElicitRequestFormParams, R> | undefined;
  /** Gets consent and opens the page; never without asking, and never prefetched. @source R-626 */
  readonly url?: ElicitationHandler<ElicitRequestURLParams, R> | undefined;
  /**
   * Called when an interaction that began with an opened page is finished (2025-11-25 only). The ID
   * may be unknown.
   *
   * @source R-633
   */
  readonly onComplete?: ((elicitationId: string, request: R) => void) | undefined;
}

const cancel = (): ElicitResult => ({ action: "cancel" });

/**
 * Handles `elicitation/create`.
 *
 * @param options - `"cancel"` declares both modes and always returns `cancel`.
 * @source R-617…R-624, S-226
 */
export function elicitationFeature(options: "cancel" | ElicitationHandlers): ClientFeature {
  const { form, url, onComplete }: ElicitationHandlers =
    options === "cancel" ? { form: cancel, url: cancel } : options;
  const elicitation = {
    ...(form === undefined ? {} : { form: {} }),
    ...(url === undefined ? {} : { url: {} }),
  };
  return {
    capabilities: { elicitation: () => (form === undefined && url === undefined ? undefined : elicitation) },
    methods: {
      "elicitation/create": (params, request) => {
        if (typeof params["message"] !== "string") {
          throw invalid("elicitation/create needs a message");
        }
        switch (params["mode"]) {
          case "url":
            return url === undefined
              ? unsupported("url")
              : answering.use(({ askByUrl }) => askByUrl(params, request, url));
          case "form":
          case undefined:
            return form === undefined
              ? unsupported("form")
              : answering.use(({ askByForm }) => askByForm(params, request, form));
          default:
            return unsupported(String(params["mode"]).slice(0, 40));
        }
      },
    },
    notifications: {
      "notifications/elicitation/complete": ({ elicitationId }, request) => {
        if (typeof elicitationId !== "string") {
          return undefined;
        }
        finishPage(request.session, elicitationId);
        return onComplete?.(elicitationId, request);
      },
    },
  };
}

function unsupported(mode: string): never {
  throw invalid(`This client has not declared elicitation in mode ${mode}`);
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
