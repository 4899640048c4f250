import type { RequestId, Scope } from "@tenon/jsonrpc2";
import { metaOf } from "@tenon/protocol";

import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ChangedClientRequest, InnerClientRequest } from "../../request/client/request.ts";

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** A received request, and the signal that aborts it. */
type Received = Pick<Scope, "id" | "method" | "params" | "signal"> & { readonly extra?: Scope["extra"] };

/** The requests and notifications that servers send. */
export class LiveClientRequest implements InnerClientRequest {
  readonly session: InnerClientSession | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly #scope: Received;

  constructor(
    session: InnerClientSession | undefined,
    scope: Received,
    params: Readonly<Record<string, unknown>> = (scope.params ?? nothing) as Readonly<
      Record<string, unknown>
    >,
  ) {
    this.session = session;
    this.#scope = scope;
    this.params = params;
  }

  get id(): RequestId | undefined {
    return this.#scope.id;
  }

  get relatedTo(): RequestId | undefined {
    return this.#scope.extra?.relatedTo;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get method(): string {
    return this.#scope.method;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return metaOf(this.params) ?? nothing;
  }

  with({ params = this.params, signal }: ChangedClientRequest): LiveClientRequest {
    const { id, method, extra } = this.#scope;
    const scope =
      signal === undefined ? this.#scope : { id, method, params: this.#scope.params, signal, extra };
    return new LiveClientRequest(this.session, scope, params);
  }
}
