import { wrapTransport } from "@tenon/jsonrpc2";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { skillClient, type SkillEntry } from "@tenon/skills/client";
import { skills, type Skill, type SkillCatalog } from "@tenon/skills/server";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { onTestFinished } from "vitest";

/** A `SKILL.md`. */
export const manifest = (name: string, description = `How to use ${name}`): string =>
  `---\nname: ${name}\ndescription: ${description}\nmetadata:\n  level: 2\n---\n\n# ${name}\n`;

/** A skill with files of all kinds. */
export const pdf: Skill = {
  path: "acme/pdf",
  files: {
    "SKILL.md": manifest("pdf"),
    "references/forms.md": "# Forms\n",
    "references/deep/ü b.txt": "deep",
    "image.png": new Uint8Array([0x89, 0x50, 0xff, 0x00]),
    "bom.txt": "\uFEFFmarked",
  },
};
/** A skill that is not listed. */
export const hidden: Skill = { path: "hidden", files: { "SKILL.md": manifest("hidden") }, listed: false };

/** A client of a server with skills. */
export interface Opened {
  readonly server: Server;
  readonly session: ClientSession;
  readonly errors: unknown[];
  readonly changes: number[];
  /** The methods of the requests that arrived. */
  readonly asked: string[];
  /** The results that the client received. */
  readonly results: Readonly<Record<string, unknown>>[];
}

/** Connects a client to a server with skills. */
export async function open(
  catalog: SkillCatalog,
  revision: Revision,
  tamper?: (result: object) => object,
): Promise<Opened> {
  const server = new Server({ name: "s", version: "1.0.0" }, { limits: { listChangedDelayMs: 0 } });
  server.use(skills(catalog, { pageSize: 2 }));
  const asked: string[] = [];
  server.addReceivingMiddleware((next) => async (request) => {
    asked.push(request.method);
    const result = await next(request);
    return tamper !== undefined && request.method === "resources/read" ? tamper(result as object) : result;
  });
  const errors: unknown[] = [];
  const changes: number[] = [];
  const client = new Client(
    { name: "c", version: "1.0.0" },
    {
      revisions: [revision],
      onError: (error) => void errors.push(error),
      onResourcesChanged: () => void changes.push(1),
    },
  );
  client.use(skillClient());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const results: Readonly<Record<string, unknown>>[] = [];
  const noted = wrapTransport(here, {
    onRead: (message) => {
      if ("result" in message) {
        results.push(message.result as Readonly<Record<string, unknown>>);
      }
      return message;
    },
  });
  const session = await client.connect(noted);
  onTestFinished(async () => {
    await client.close();
    await server.close({ drainMs: 0 });
  });
  return { server, session, errors, changes, asked, results };
}

/** The entries that the server lists. */
export async function listed(session: ClientSession): Promise<SkillEntry[]> {
  const entries: SkillEntry[] = [];
  for await (const entry of session.skills.list()) {
    entries.push(entry);
  }
  return entries;
}
