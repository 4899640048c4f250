import { canonicalJson } from "@tenon/base/canonical-json";
import type { CallRelay, LaneCaller } from "@tenon/host";
import type { ClientCapabilities } from "@tenon/protocol";

/** The extension by which a client declares that its host shows the views of apps. */
const extension = "io.modelcontextprotocol/ui";
const prepared = new WeakSet<CallRelay>();

/**
 * Makes a relay declare the views of each caller to the servers behind it, so that a tool knows
 * whether its user sees one.
 */
export function passViews(relay: CallRelay): void {
  if (prepared.has(relay)) {
    return;
  }
  prepared.add(relay);
  const callerOf = relay.callerOf.bind(relay);
  const callerOfSession = relay.callerOfSession.bind(relay);
  Object.assign(relay, {
    callerOf: (request) => withViews(callerOf(request), request.client.capabilities),
    callerOfSession: (session) => withViews(callerOfSession(session), session.clientCapabilities),
  } satisfies Pick<CallRelay, "callerOf" | "callerOfSession">);
}

function withViews(caller: LaneCaller, capabilities: ClientCapabilities | undefined): LaneCaller {
  const views = capabilities?.extensions?.[extension];
  // Without views too: a connection that callers share may have been opened for one with views.
  const inputs = { ...caller.inputs, extensions: { [extension]: views } };
  const isApart = caller.session === undefined && views !== undefined;
  return { ...caller, inputs, key: isApart ? canonicalJson([caller.key, views]) : caller.key };
}
