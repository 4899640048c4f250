// Generated from all revisions in schema/ by tools/codegen, version 2. Do not edit.
// Schema sha256: 573c128075d216a3fa86842ef75133b952150c23ca7a9b152095c979bf075ebb
// To change it: edit schema/, then run `npm run codegen -- generate`.

import type { WireFacts } from "../wire-facts.ts";
import type { revisions } from "./revisions.ts";

/** How the messages of each revision travel. */
export const wires: { readonly [R in (typeof revisions)[number]]: WireFacts } = {
  "2024-11-05": {},
  "2025-03-26": { batches: true },
  "2025-06-18": { versionHeader: true },
  "2025-11-25": { primedStreams: true, versionHeader: true },
  "2026-07-28": { versionHeader: true },
};

/** The revision of requests over HTTP that name none. */
export const assumedRevision = "2025-03-26";
