import type { Server } from "@tenon/mcp";
import { createSkillCatalog, skills } from "@tenon/skills/server";

const manifest = (name: string): string =>
  `---\nname: ${name}\ndescription: The skill ${name} of the suite\n---\n\n# ${name}\n`;

const catalog = await createSkillCatalog([
  {
    path: "acme/pdf-processing",
    files: {
      "SKILL.md": manifest("pdf-processing"),
      "references/FORMS.md": "# Forms\n",
      "references/deep/TABLES.md": "# Tables\n",
    },
  },
  ...["notes", "reports", "slides"].map((name) => ({ path: name, files: { "SKILL.md": manifest(name) } })),
]);

/** The skills of the scenarios about skills. */
export function addSkills(server: Server): void {
  server.use(skills(catalog, { pageSize: 2 }));
}
