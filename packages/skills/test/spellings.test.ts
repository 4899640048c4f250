import { Client, defineServerExtension, Server } from "@tenon/mcp";
import { skillClient } from "@tenon/skills/client";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { digestOf } from "../src/wire/digest.ts";
import { extension, listSkills } from "../src/wire/messages.ts";
import { listed, manifest } from "./open.ts";

/** The files of a skill by the ends of their URIs, as servers in other languages write them. */
const files: Readonly<Record<string, string>> = {
  "SKILL.md": manifest("pdf"),
  "image@2x.png": "not encoded",
  "a+b(new),c.md": "not encoded either",
  "notes%20%28old%29.md": "encoded more than here",
  "100%25.md": "valid",
};

/** A server that encodes in other ways than the one of this package. */
async function openForeign() {
  const server = new Server({ name: "s", version: "1.0.0" });
  const resources = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const bytes = new TextEncoder().encode(text);
      return { uri: `skill://pdf/${name}`, digest: await digestOf(bytes), size: bytes.length };
    }),
  );
  const frontmatter = { name: "pdf", description: "How to use pdf", metadata: { level: 2 } };
  server.use(
    defineServerExtension({
      id: extension,
      setup: (own) => {
        own.addMethod(listSkills, () => ({
          skills: [{ uri: "skill://pdf/SKILL.md", frontmatter, resources }],
        }));
        own.addResource({ uri: "skill://pdf/SKILL.md", name: "pdf" }, () => "");
      },
    }),
  );
  server.addReceivingMiddleware((next) => async (request) => {
    const { uri } = request.params as { readonly uri?: string };
    const text = files[uri?.slice("skill://pdf/".length) ?? ""];
    return request.method === "resources/read" ? { contents: [{ uri, text }] } : next(request);
  });
  const client = new Client({ name: "c", version: "1.0.0" });
  client.use(skillClient());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return session;
}

test("a file is found by its path, in whatever way its server encodes the URI", async () => {
  const session = await openForeign();
  const [entry] = await listed(session);
  const read = async (path: string): Promise<unknown> =>
    entry && (await session.skills.read(entry, path).catch(({ code }: { code: unknown }) => code));
  for (const [path, name] of [
    ["image@2x.png", "image@2x.png"],
    ["a+b(new),c.md", "a+b(new),c.md"],
    ["notes (old).md", "notes%20%28old%29.md"],
    // As a program takes it from the URI.
    ["notes%20%28old%29.md", "notes%20%28old%29.md"],
    ["100%.md", "100%25.md"],
    ["SKILL.md", "SKILL.md"],
  ] as const) {
    expect(await read(path)).toMatchObject({ uri: `skill://pdf/${name}`, text: files[name] });
  }
  for (const path of ["notes.md", "../pdf/SKILL.md", "\uD800.md"]) {
    expect(await read(path)).toBe("NOT_IN_SKILL");
  }
});
