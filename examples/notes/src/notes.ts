import { array, schema, string } from "@tenon/sdk/jsonschema";
import { Server, ToolError } from "@tenon/sdk/server";
import { z } from "zod";

import type { Note, NoteStore } from "./store.ts";

const note = {
  type: "object",
  properties: {
    id: { type: "integer" },
    title: { type: "string" },
    body: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["id", "title", "body", "tags"],
} as const;

const notes = {
  type: "object",
  properties: { notes: { type: "array", items: note } },
  required: ["notes"],
} as const;

/** The arguments of `add_note`: a class with described fields. */
@schema({ additionalProperties: false })
class NewNote {
  @string("The subject of the note", { minLength: 1, maxLength: 100 }) title!: string;
  @string("The note itself", { maxLength: 10_000 }) body!: string;
  @array(string({ minLength: 1 }), { maxItems: 10 }) tags: string[] = [];
}

/** A server that keeps notes. */
export function createNotesServer(store: NoteStore): Server {
  const server = new Server(
    { name: "notes", version: "1.0.0", title: "Notes" },
    { instructions: "Keeps short notes. Search before adding, so that nothing is noted twice." },
  );

  server.addTool(
    {
      name: "add_note",
      description: "Add a note. Titles are unique.",
      input: NewNote,
      output: note,
    },
    async ({ title, body, tags }) => {
      const existing = await store.list();
      if (existing.some((other) => other.title === title)) {
        throw new ToolError(
          `There is a note with the title ${JSON.stringify(title)} already; choose another title.`,
        );
      }
      return copy(await store.add({ title, body, tags }));
    },
  );

  server.addTool(
    {
      name: "search_notes",
      description: "Find the notes whose title or body contains a string.",
      input: {
        type: "object",
        properties: {
          text: { type: "string", minLength: 1, description: "The string to search for, in any case" },
        },
        required: ["text"],
        additionalProperties: false,
      },
      output: notes,
      annotations: { readOnlyHint: true },
    },
    async ({ text }) => ({ notes: (await store.search(text)).map(copy) }),
  );

  server.addTool(
    {
      name: "list_notes",
      description: "List all notes, or the notes with a tag.",
      input: z.strictObject({ tag: z.string().optional().describe("Only notes with this tag") }),
      output: notes,
      annotations: { readOnlyHint: true },
    },
    async ({ tag }) => ({ notes: (await store.list(tag)).map(copy) }),
  );

  return server;
}

function copy({ tags, ...rest }: Note): Omit<Note, "tags"> & { tags: string[] } {
  return { ...rest, tags: [...tags] };
}
