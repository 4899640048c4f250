import { Client, Server, type ClientSession } from "@tenon/mcp";
import { Manager, type ServerSpec } from "@tenon/sdk/host";
import { holdSkill, skillClient } from "@tenon/skills/client";
import { listSkills, loadSkill, type SkillApproval } from "@tenon/skills/host";
import { loadSkills } from "@tenon/skills/node";
import { createSkillCatalog, skills, type SkillCatalog } from "@tenon/skills/server";

/** A server with the skills of a folder. */
export async function serveSkills(folder: string): Promise<{ server: Server; catalog: SkillCatalog }> {
  // #region server
  const server = new Server({ name: "office", version: "1.0.0" });
  const catalog = await createSkillCatalog(await loadSkills(folder, { prefix: "acme" }));
  server.use(skills(catalog));
  // #endregion server
  return { server, catalog };
}

/** The server's skills after a change. */
export async function reload(catalog: SkillCatalog, folder: string): Promise<void> {
  // #region reload
  await catalog.replace(await loadSkills(folder, { prefix: "acme" }));
  // #endregion reload
}

/** A client with skills. */
export function createReader(): Client {
  // #region client
  const client = new Client({ name: "reader", version: "1.0.0" });
  client.use(skillClient());
  // #endregion client
  return client;
}

/** What the page reads. */
export async function readSkills(session: ClientSession, show: (text: string) => void): Promise<void> {
  // #region read
  for await (const skill of session.skills.list()) {
    show(`${skill.frontmatter.name}: ${skill.frontmatter.description}`);
    const { text } = await session.skills.read(skill); // SKILL.md
    show(text);
  }
  // #endregion read
}

/** What a host of many servers does. */
export async function useServers(
  servers: Readonly<Record<string, ServerSpec>>,
  show: (text: string) => void,
  approve: (approval: SkillApproval) => boolean | Promise<boolean>,
): Promise<void> {
  // #region manager
  await using manager = new Manager({ servers });
  manager.use(skillClient()); // before it connects
  await manager.connectAll();
  for await (const { server, skill } of listSkills(manager)) {
    show(`${server}: ${skill.frontmatter.description}`);
  }
  const { text, origin } = await loadSkill(manager, "office", "skill://acme/pdf/SKILL.md", { approve });
  show(`${origin.server}: ${text}`);
  // #endregion manager
}

/** What a host does. */
export async function useSkill(
  session: ClientSession,
  askUser: (question: string) => Promise<boolean>,
): Promise<string> {
  // #region hold
  const skill = await session.skills.get("skill://acme/pdf/SKILL.md");
  const held = await holdSkill(session, skill, {
    server: "office", // the host's own name of the server
    approve: ({ fingerprint }) => askUser(`Use ${skill.uri} of office (${fingerprint})?`),
  });
  const forms = await held.read("references/forms.md");
  // #endregion hold
  return held.text + forms.text;
}
