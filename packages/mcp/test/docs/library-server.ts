import { blobResource, createLogger, Server } from "@tenon/mcp";
import { fileResourceHandler } from "@tenon/mcp/file-resources";

// #region notes
const notes = new Map([
  ["1", "The hole that a tenon fits into."],
  ["2", "The end of a beam."],
]);
// #endregion notes

const search = async (start: string, lang?: string): Promise<string[]> =>
  [`${start}-join`, `${start}-plane`].map((name) => (lang === undefined ? name : `${name} (${lang})`));

export function createLibrary(publicFolder: string): Server {
  // #region options
  const server = new Server(
    { name: "library", version: "1.0.0" },
    {
      // Declared although no prompt exists yet, so that legacy clients are notified of prompts
      // added later.
      capabilities: { prompts: true },
      limits: { pageSize: 100 },
      logging: { name: "library" },
      cache: { ttlMs: 60_000, methods: { "tools/list": { ttlMs: 3_600_000, cacheScope: "public" } } },
    },
  );
  // #endregion options

  // #region prompts
  server.addPrompt(
    {
      name: "explain",
      title: "Explain a joint",
      description: "Asks the model to explain a joint of carpentry",
      arguments: [{ name: "joint", description: "Its name", required: true }, { name: "audience" }],
    },
    ({ joint, audience = "a beginner" }) => `Explain the joint "${joint}" to ${audience}.`,
  );
  // #endregion prompts

  // #region typed-prompt
  server.addPrompt(
    {
      name: "plan",
      arguments: {
        type: "object",
        properties: {
          beams: { type: "integer", minimum: 1, description: "How many" },
          wood: { type: "string", enum: ["oak", "ash", "spruce"] },
        },
        required: ["beams"],
      },
    },
    ({ beams, wood = "oak" }) => [
      { role: "user", content: { type: "text", text: `A plan for ${beams * 2} tenons in ${wood}, please.` } },
    ],
  );
  // #endregion typed-prompt

  // #region resource
  server.addResource(
    { uri: "notes://index", name: "index", title: "All notes", mimeType: "text/plain" },
    () => [...notes.keys()].join("\n"),
  );
  server.addResource({ uri: "notes://logo", name: "logo", mimeType: "image/png" }, async ({ uri }) =>
    blobResource(uri, new Uint8Array([0x89, 0x50, 0x4e, 0x47])),
  );
  // #endregion resource

  // #region template
  server.addResourceTemplate(
    {
      uriTemplate: "notes://{id}/{part}",
      name: "note",
      mimeType: "text/plain",
      cache: { ttlMs: 10_000, cacheScope: "public" },
      list: () => [...notes.keys()].map((id) => ({ uri: `notes://${id}/body`, name: `note ${id}` })),
    },
    ({ variables: { id, part } }) => {
      const note = notes.get(id);
      return note === undefined || part !== "body" ? undefined : note;
    },
  );
  // #endregion template

  // #region files
  server.addResourceTemplate(
    { uriTemplate: "file:///{+path}", name: "files" },
    fileResourceHandler({ dir: publicFolder, limits: { maxFileBytes: 1_000_000 } }),
  );
  // #endregion files

  // #region completion
  server.addPrompt(
    {
      name: "compare",
      arguments: [{ name: "lang" }, { name: "joint" }],
      complete: {
        lang: ["English", "German", "Japanese"],
        joint: async (typed, chosen) => search(typed, chosen["lang"]),
      },
    },
    ({ joint = "tenon", lang = "English" }) => `Compare ${joint} with others, in ${lang}.`,
  );
  // #endregion completion

  // #region change
  server.addTool(
    {
      name: "write",
      input: {
        type: "object",
        properties: { id: { type: "string" }, text: { type: "string" } },
        required: ["id", "text"],
      },
    },
    ({ id, text }) => {
      notes.set(id, text);
      server.resourceUpdated(`notes://${id}/body`);
      return "Written.";
    },
  );
  // #endregion change

  // #region log
  server.addTool({ name: "tidy" }, async (_, ctx) => {
    await ctx.log("info", { msg: "tidying", notes: notes.size });
    const logger = createLogger(ctx, { name: "library/tidy" });
    await logger.warning("nothing to do");
    return "Tidy.";
  });
  // #endregion log

  // #region progress
  server.addTool({ name: "index" }, async (_, ctx) => {
    let done = 0;
    for (const id of notes.keys()) {
      ctx.signal.throwIfAborted();
      await ctx.progress(++done, notes.size, `note ${id}`);
    }
    return `${done} notes`;
  });
  // #endregion progress
  return server;
}
