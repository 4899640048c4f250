import type { HostCapabilities } from "../wire/capabilities.ts";
import type { LoadedView } from "./load-view.ts";
import type { BridgeSession, ViewBridgeOptions } from "./options.ts";

/** Returns the permissions of a view in the form of the wire. */
export function grantedTo({ permissions }: LoadedView): Readonly<Record<string, object>> {
  return Object.fromEntries(permissions.map((permission) => [permission, {}]));
}

const allKinds = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} };

/** Returns the capabilities of a bridge, which follow from its callbacks and its server. */
export function capabilitiesOf(session: BridgeSession, options: ViewBridgeOptions): HostCapabilities {
  const { view, onOpenLink, onMessage, onModelContext, onDownload, onSample, onLog } = options;
  return {
    ...(session.offers("tools/call") ? { serverTools: { listChanged: true } } : {}),
    ...(session.offers("resources/read") ? { serverResources: {} } : {}),
    ...(onOpenLink === undefined ? {} : { openLinks: {} }),
    ...(onDownload === undefined ? {} : { downloadFile: {} }),
    ...(onMessage === undefined ? {} : { message: allKinds }),
    ...(onModelContext === undefined ? {} : { updateModelContext: { ...allKinds, structuredContent: {} } }),
    ...(onSample === undefined ? {} : { sampling: {} }),
    ...(onLog === undefined ? {} : { logging: {} }),
    ...(view === undefined
      ? {}
      : {
          sandbox: {
            csp: view.csp,
            permissions: grantedTo(view),
          },
        }),
  };
}
