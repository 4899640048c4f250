import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

const require = createRequire(import.meta.url);
const cli = join(dirname(require.resolve("@tenon/cli/package.json")), "dist/bin.js");
const official = realpathSync(join(dirname(require.resolve("@modelcontextprotocol/sdk/types.js")), "../.."));

const imports = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";`;
const requires = `const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");`;
const program = `
const server = new McpServer({ name: "rooms", version: "1.0.0" });
server.registerTool("book", { description: "Books a room." }, () => ({ content: [] }));
server.registerPrompt("ask", { description: "Asks." }, () => ({ messages: [] }));
void server.connect(new StdioServerTransport());
`;

/** A program that has installed the official SDK. */
function folderWith(file: string, text: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-folder-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/@modelcontextprotocol"), { recursive: true });
  mkdirSync(join(folder, "node_modules/@tenon"));
  symlinkSync(official, join(folder, "node_modules/@modelcontextprotocol/sdk"));
  symlinkSync(
    dirname(require.resolve("@tenon/official-v1/package.json")),
    join(folder, "node_modules/@tenon/official-v1"),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "rooms", bin: file }));
  writeFileSync(join(folder, file), text);
  return folder;
}

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}

async function doctor(
  folder: string,
): Promise<{ readonly ok: boolean; readonly findings: readonly Finding[] }> {
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [cli, "doctor", "--official", folder, "--json"], (_, out, err) =>
      resolve(out === "" ? err : out),
    );
  });
  const { ok, targets } = JSON.parse(stdout) as {
    readonly ok: boolean;
    readonly targets: readonly [{ readonly findings: readonly Finding[] }];
  };
  return { ok, findings: targets[0].findings };
}

test.each([
  ["imports", "server.mjs", imports],
  ["requires", "server.cjs", requires],
])(
  "doctor --official finds a program that %s the SDK the same on Tenon, and in the newest version",
  async (_, file, head) => {
    const { ok, findings } = await doctor(folderWith(file, head + program));
    expect(findings.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(findings.map(({ check }) => check)).toContain("newest version");
    expect(ok).toBe(true);
  },
);

test("doctor --official names the place where a program differs", async () => {
  const which = `
const engine = import.meta.resolve("@modelcontextprotocol/sdk/types.js").includes("official-v1");
${program.replace('"Books a room."', '"On " + (engine ? "Tenon" : "the original")')}`;
  const { ok, findings } = await doctor(folderWith("server.mjs", imports + which));
  expect(ok).toBe(false);
  expect(findings.find(({ status }) => status === "failed")).toMatchObject({
    check: "tools",
    message:
      '/0/description differs: "On the original" on the official SDK, "On Tenon" on @tenon/official-v1.',
  });
});
