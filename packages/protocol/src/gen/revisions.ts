// Generated from all revisions in schema/ by tools/codegen, version 2. Do not edit.
// Schema sha256: 573c128075d216a3fa86842ef75133b952150c23ca7a9b152095c979bf075ebb
// To change it: edit schema/, then run `npm run codegen -- generate`.

/** Every published revision, oldest first. */
export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** Whether a revision opens with the `initialize` handshake (legacy) or sends stateless requests (modern). */
export const eras = {
  "2024-11-05": "legacy",
  "2025-03-26": "legacy",
  "2025-06-18": "legacy",
  "2025-11-25": "legacy",
  "2026-07-28": "modern",
} as const;
