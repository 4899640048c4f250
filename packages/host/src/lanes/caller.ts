import { canonicalJson } from "@tenon/base/canonical-json";
import type { InputCapabilities, ServerRequest, ServerSession } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";

/** The sender of a request to a proxy. */
export interface LaneCaller {
  /** Equal for requests that may share a connection. */
  readonly key: unknown;
  /**
   * Equal for requests of one sender, whatever capabilities it declares: its principal, or else its
   * connection. `undefined` if senders cannot be told apart.
   */
  readonly owner?: unknown;
  /** The legacy session of the client; `undefined` for a modern client. */
  readonly session: ServerSession | undefined;
  /** The input that can be requested of the client, and whether its host shows views. */
  readonly inputs: InputCapabilities;
  /** The way of input requests: by requests, in results, or none without a legacy session. */
  readonly asks: "requests" | "results" | "never";
}

/** The extension by which a client declares that its host shows the views of apps. */
const viewsExtension = "io.modelcontextprotocol/ui";

/** The input that a client has declared to provide, and whether its host shows views. */
export function inputsOf({ client: { capabilities } }: Pick<ServerRequest, "client">): InputCapabilities {
  const { elicitation, sampling, roots, extensions } = capabilities;
  const views = extensions?.[viewsExtension];
  return {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots }),
    ...(views === undefined ? {} : { extensions: { [viewsExtension]: views } }),
  };
}

/**
 * The capabilities to declare with a request on a connection that callers share. The connection may
 * have been opened for a client with views, so their absence is declared too.
 */
export function declaredBy({ inputs }: Pick<LaneCaller, "inputs">): InputCapabilities {
  if (!Object.isFrozen(inputs)) {
    return withViews(inputs);
  }
  // Clients prepare the envelope of frozen capabilities once.
  const known = declarations.get(inputs) ?? Object.freeze(withViews(inputs));
  declarations.set(inputs, known);
  return known;
}

/** The result of {@link declaredBy} for legacy sessions. */
const declarations = new WeakMap<InputCapabilities, InputCapabilities>();

function withViews(inputs: InputCapabilities): InputCapabilities {
  return { ...inputs, extensions: { [viewsExtension]: inputs.extensions?.[viewsExtension] } };
}

/** Whether a client has declared what an input request needs. */
export function canProvide(
  { elicitation, sampling, roots }: InputCapabilities,
  method: string,
  params: Readonly<Record<string, unknown>>,
): boolean {
  switch (method) {
    case "roots/list":
      return roots !== undefined;
    case "sampling/createMessage":
      return (
        sampling !== undefined &&
        (params["tools"] === undefined || "tools" in sampling) &&
        (params["includeContext"] === undefined ||
          params["includeContext"] === "none" ||
          "context" in sampling)
      );
    default: {
      const parts = Object.keys(elicitation ?? {});
      return (
        elicitation !== undefined &&
        (params["mode"] === "url" ? parts.includes("url") : parts.length === 0 || parts.includes("form"))
      );
    }
  }
}

/**
 * Distinguishes callers. A legacy session is one client. A modern request names its sender by the
 * principal; a connection can only part senders further, because many users may share it.
 */
export class Callers {
  readonly #connections = new WeakMap<ServerSession, number>();
  /** The callers of legacy sessions, by the capabilities that their clients have declared. */
  readonly #legacy = new WeakMap<object, LaneCaller>();
  #count = 0;

  /** The sender of a request. */
  of(request: ServerRequest): LaneCaller {
    const { session, auth } = request;
    const isLegacy = eraOf(request.revision) === "legacy";
    if (session !== undefined && isLegacy) {
      return this.#ofLegacy(session, request);
    }
    const inputs = isLegacy ? {} : inputsOf(request);
    const key = canonicalJson([auth?.principal ?? null, this.#connectionOf(session), inputs]);
    const owner = auth?.principal ?? session;
    return { key, owner, session: undefined, inputs, asks: isLegacy ? "never" : "results" };
  }

  /** The client of a legacy session. */
  ofSession(session: ServerSession): LaneCaller {
    const client = { info: undefined, capabilities: session.clientCapabilities ?? {} };
    return this.#ofLegacy(session, { client });
  }

  #ofLegacy(
    session: ServerSession,
    sender: Pick<ServerRequest, "client"> & Partial<Pick<ServerRequest, "auth">>,
  ): LaneCaller {
    const { capabilities } = sender.client;
    const known = this.#legacy.get(capabilities);
    const owner = sender.auth?.principal ?? session;
    // A notification has no sender: the first request names it.
    if (known?.session === session && (owner === session || owner === known.owner)) {
      return known;
    }
    const inputs = Object.freeze(inputsOf(sender));
    const caller: LaneCaller = {
      key: session,
      owner,
      session,
      inputs,
      asks: "requests",
    };
    this.#legacy.set(capabilities, caller);
    return caller;
  }

  #connectionOf(session: ServerSession | undefined): number {
    let number = session === undefined ? 0 : this.#connections.get(session);
    if (session !== undefined && number === undefined) {
      number = ++this.#count;
      this.#connections.set(session, number);
    }
    return number ?? 0;
  }
}
