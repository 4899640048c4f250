import { subscribe } from "./channel.ts";
import { networkAttributes } from "./describe.ts";
import { Attribute, Channel } from "./names.ts";
import type { ReportedSession } from "./options.ts";
import { failed } from "./outcome.ts";
import type { Side, Telemetry } from "./telemetry.ts";

/**
 * Measures the sessions of one client or server. Where the runtime has no diagnostics channels,
 * sessions are not measured.
 *
 * @returns Ends the measuring.
 */
export function measureSessions(owner: object, side: Side, telemetry: Telemetry): () => void {
  return subscribe(Channel.session, (published) => {
    const session = published as ReportedSession;
    if (ownerOf(session) === owner) {
      void measure(session, side, telemetry);
    }
  });
}

async function measure(session: ReportedSession, side: Side, telemetry: Telemetry): Promise<void> {
  const started = performance.now();
  const end = telemetry.begin(`tenon.${side}.session.active`);
  const { error } = await session.closed;
  end();
  const { [Attribute.errorType]: errorType } =
    error === undefined ? {} : failed("client", true, error).attributes;
  telemetry.record(`mcp.${side}.session.duration`, started, {
    ...(session.revision === undefined ? {} : { [Attribute.protocolVersion]: session.revision }),
    ...networkAttributes(session.network),
    ...(errorType === undefined ? {} : { [Attribute.errorType]: errorType }),
  });
}

const ownerOf = (session: ReportedSession): object => ("client" in session ? session.client : session.server);
