import { appHost, cspOf, loadView } from "@tenon/apps/host";
import type { ClientExtension, ClientSession } from "@tenon/mcp/client";
import { skillClient } from "@tenon/skills/client";

import type { ViewReport } from "../wire/verdict.ts";

export { listSkills, readSkillFile } from "./skills.ts";

/** The extensions that the page shows: views and skills, unless the source has its own. */
export function shownExtensions(own: readonly ClientExtension[]): readonly ClientExtension[] {
  const ids = own.map(({ id }) => id);
  return [...own, ...[appHost(), skillClient()].filter(({ id }) => !ids.includes(id))];
}

/** Loads a view as a host does, without any permission. @throws `AppError` for an invalid view. */
export async function readView(session: ClientSession, uri: string): Promise<ViewReport> {
  const view = await loadView(session, uri, { fresh: true });
  const { html, csp, requestedPermissions, prefersBorder } = view;
  return {
    uri,
    html,
    csp: { ...csp } as ViewReport["csp"],
    policy: cspOf(csp),
    requestedPermissions,
    ...(prefersBorder === undefined ? {} : { prefersBorder }),
  };
}
