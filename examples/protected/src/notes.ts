import { InsufficientScope } from "@tenon/sdk/auth/server";
import { Server, ToolError, type RequestContext } from "@tenon/sdk/server";

const titled = { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const;

/** The notes of one user. */
const notesOf = new Map<string, string[]>();

// #region user
/**
 * The user of a request: the guard has checked the token. The same user has the same notes in every
 * client.
 */
function userOf({ auth }: RequestContext): string {
  if (auth?.subject === undefined || auth.issuer === undefined) {
    throw new ToolError("Notes belong to users, and this request names none.");
  }
  return JSON.stringify([auth.issuer, auth.subject]);
}
// #endregion user

/** A server that keeps the notes of its users apart. */
export function createNotesServer(): Server {
  const server = new Server({ name: "protected-notes", version: "1.0.0" });

  server.addTool({ name: "list_notes", description: "List your notes." }, (_, context) =>
    (notesOf.get(userOf(context)) ?? []).join("\n"),
  );

  server.addTool({ name: "add_note", description: "Add a note.", input: titled }, ({ title }, context) => {
    const user = userOf(context);
    notesOf.set(user, [...(notesOf.get(user) ?? []), title]);
    return `Added ${title}`;
  });

  // #region run-time
  server.addTool(
    { name: "delete_note", description: "Delete a note.", input: titled },
    ({ title }, context) => {
      const user = userOf(context);
      // Which scope this needs depends on the note, so no policy can name it beforehand.
      if (title.startsWith("!") && context.auth?.scopes?.includes("notes:admin") !== true) {
        throw new InsufficientScope(["notes:write", "notes:admin"]);
      }
      notesOf.set(
        user,
        (notesOf.get(user) ?? []).filter((other) => other !== title),
      );
      return `Deleted ${title}`;
    },
  );
  // #endregion run-time

  return server;
}
