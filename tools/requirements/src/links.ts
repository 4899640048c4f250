const site = "https://modelcontextprotocol.io";
const github = "https://github.com/modelcontextprotocol";

const extensions: Readonly<Record<string, string>> = {
  "x:tasks": `${github}/ext-tasks/blob/main/specification/2026-07-28/tasks.md`,
  "x:skills": `${github}/ext-skills/blob/main/specification/stable/skills.mdx`,
  "x:ema": `${github}/ext-auth/blob/main/specification/stable/enterprise-managed-authorization.mdx`,
  "x:cc": `${github}/ext-auth/blob/main/specification/draft/oauth-client-credentials.mdx`,
  "x:apps": `${github}/ext-apps/blob/main/specification/2026-01-26/apps.mdx`,
  conf: `${github}/conformance`,
  "go-sdk-design": `${github}/go-sdk/blob/main/design/design.md`,
  "host-design": "host.md",
};

/**
 * Returns the address of a source: `spec/<revision>/<page>`, `schema/<revision>`,
 * `security/<revision>`, `ext/<page>`, `SEP-<number>`, `RFC-<number>` or one of the extensions.
 * `undefined` for any other text.
 */
export function linkOf(source: string): string | undefined {
  const [, kind = "", rest = ""] = /^(\w+)[/-](.+)$/.exec(source) ?? [];
  if (source in extensions) {
    return extensions[source];
  }
  switch (kind) {
    case "spec":
      return `${site}/specification/${rest}`;
    case "schema":
      return `${github}/modelcontextprotocol/blob/main/schema/${rest}/schema.ts`;
    case "security":
      return `${site}/specification/${rest}/basic/security_best_practices`;
    case "ext":
      return `${site}/extensions/${rest}`;
    case "RFC":
      return `https://www.rfc-editor.org/rfc/rfc${rest}`;
    case "SEP":
      return `${github}/modelcontextprotocol/issues/${rest}`;
    default:
      return undefined;
  }
}
