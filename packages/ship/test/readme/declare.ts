import { defineServerPackage } from "@tenon/ship";

// #region declare
export const notes = defineServerPackage({
  env: {
    NOTES_KEY: { description: "The key of the notes API", secret: true },
    NOTES_LEVEL: { description: "How much is logged", default: "info", choices: ["info", "debug"] },
  },
  args: [{ name: "--root", description: "The folder of the notes", default: "notes" }],
});
// #endregion declare

/** The values of a start. */
export function start(): string {
  // #region read
  const { env, args } = notes.read();
  // #endregion read
  return `${env["NOTES_LEVEL"] ?? ""} ${args["root"] ?? ""}`;
}
