import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isRpcError } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import {
  holdSkill,
  isSkillError,
  skillClient,
  type SkillApproval,
  type SkillEntry,
} from "@tenon/skills/client";
import { loadSkills } from "@tenon/skills/node";
import { createSkillCatalog, type Skill } from "@tenon/skills/server";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { hidden, listed, manifest, open, pdf } from "./open.ts";

test.each(bothEras)(
  "skills are listed in pages, and read one by one (E-001, E-004, E-016, E-029, E-030, E-033, E-034, E-041, %s)",
  async (revision) => {
    const names = ["e", "b", "a", "d", "c"];
    const catalog = await createSkillCatalog([
      ...names.map((name) => ({ path: name, files: { "SKILL.md": manifest(name) } })),
      hidden,
    ]);
    const { session, asked } = await open(catalog, revision);
    expect(session.serverCapabilities).toMatchObject({
      resources: {},
      extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
    });
    const entries = await listed(session);
    expect(entries.map(({ frontmatter }) => frontmatter.name)).toEqual(["a", "b", "c", "d", "e"]);
    expect(asked.filter((method) => method === "skills/list")).toHaveLength(3);
    expect(asked).not.toContain("resources/read");
    const one = await session.skills.get("skill://hidden/SKILL.md");
    expect(one.frontmatter).toEqual({
      name: "hidden",
      description: "How to use hidden",
      metadata: { level: 2 },
    });
    const unknown: unknown = await session.skills
      .get("skill://nobody/SKILL.md")
      .catch((error: unknown) => error);
    expect(isRpcError(unknown) && unknown.code).toBe(-32_602);
  },
);

test.each(bothEras)(
  "every file arrives as it was, and is verified (E-008, E-011, E-019, E-021, E-036, %s)",
  async (revision) => {
    const { session } = await open(await createSkillCatalog([pdf]), revision);
    const [entry] = (await listed(session)) as [SkillEntry];
    expect(entry.uri).toBe("skill://acme/pdf/SKILL.md");
    expect(entry.resources).toHaveLength(5);
    const file = await session.skills.read(entry);
    expect(file).toMatchObject({ mimeType: "text/markdown", text: manifest("pdf") });
    expect((await session.skills.read(entry, "references/deep/ü b.txt")).text).toBe("deep");
    expect((await session.skills.read(entry, "image.png")).bytes).toEqual(pdf.files["image.png"]);
    expect((await session.skills.read(entry, "bom.txt")).bytes).toHaveLength(9);
    const { resources } = await session.listResources();
    expect(resources).toEqual([
      expect.objectContaining({
        uri: entry.uri,
        name: "pdf",
        description: "How to use pdf",
        mimeType: "text/markdown",
      }),
    ]);
    for (const path of ["nothing.md", "../other/SKILL.md", "references", "", "a//b"]) {
      const refused: unknown = await session.skills.read(entry, path).catch((error: unknown) => error);
      expect(isSkillError(refused, "NOT_IN_SKILL"), path).toBe(true);
    }
  },
);

test.each([
  ["another content", (text: string) => text.replace("# pdf", "# PDF"), "digest"],
  ["another size", (text: string) => `${text}more`, "bytes; got"],
])(
  "a file with %s is asked for once more, and then refused (E-037, E-038, E-042)",
  async (_, change, reason) => {
    const tamper = (result: object): object => {
      const { contents } = result as { contents: { uri: string; text: string }[] };
      return { ...result, contents: contents.map((each) => ({ ...each, text: change(each.text) })) };
    };
    const { session, asked } = await open(await createSkillCatalog([pdf]), modernRevision, tamper);
    const [entry] = (await listed(session)) as [SkillEntry];
    const refused: unknown = await session.skills.read(entry).catch((error: unknown) => error);
    expect(isSkillError(refused, "VERIFICATION_FAILED")).toBe(true);
    expect(String(refused)).toContain(reason);
    expect(asked.filter((method) => method === "resources/read")).toHaveLength(2);
  },
);

test("a SKILL.md whose frontmatter is not that of the entry is refused (E-040)", async () => {
  const { session } = await open(await createSkillCatalog([pdf]), modernRevision);
  const [entry] = (await listed(session)) as [SkillEntry];
  const other = { ...entry, frontmatter: { ...entry.frontmatter, description: "Harmless" } };
  const refused: unknown = await session.skills.read(other).catch((error: unknown) => error);
  expect(isSkillError(refused, "VERIFICATION_FAILED")).toBe(true);
  expect(String(refused)).toContain("frontmatter");
});

test.each(bothEras)(
  "a folder lists its files and folders in pages (E-002, E-045, E-046, %s)",
  async (revision) => {
    const { session } = await open(await createSkillCatalog([pdf]), revision);
    const { readDirectory } = await import("../src/wire/messages.ts");
    const items: unknown[] = [];
    for await (const item of session.pages(readDirectory, { uri: "skill://acme/pdf" })) {
      const { name, mimeType } = item as { name: string; mimeType: string };
      items.push([name, mimeType]);
    }
    expect(items).toEqual([
      ["SKILL.md", "text/markdown"],
      ["bom.txt", "text/plain"],
      ["image.png", "image/png"],
      ["references", "inode/directory"],
    ]);
    for (const uri of ["skill://acme/pdf/SKILL.md", "skill://nobody", 3]) {
      await expect(session.request(readDirectory, { uri })).rejects.toMatchObject({ code: -32_602 });
    }
    await expect(
      session.request(readDirectory, { uri: "skill://acme/pdf/", cursor: 3 }),
    ).rejects.toMatchObject({
      code: -32_602,
    });
  },
);

test.each(bothEras)(
  "a catalog is replaced as a whole, and clients are told (E-050, %s)",
  async (revision) => {
    const catalog = await createSkillCatalog([pdf]);
    const { session, changes } = await open(catalog, revision);
    await expect(catalog.replace([hidden, { path: "bad", files: {} }])).rejects.toMatchObject({
      code: "INVALID_SKILL",
    });
    expect(await listed(session)).toHaveLength(1);
    await catalog.replace([{ path: "new", files: { "SKILL.md": manifest("new") } }]);
    await expect.poll(() => changes.length).toBe(1);
    expect((await listed(session)).map(({ uri }) => uri)).toEqual(["skill://new/SKILL.md"]);
    await expect(session.readResource({ uri: "skill://acme/pdf/SKILL.md" })).rejects.toMatchObject({
      code: revision === modernRevision ? -32_602 : -32_002,
    });
  },
);

test.each([
  ["no SKILL.md", { path: "a", files: { "a.md": "" } }, "must have a file SKILL.md"],
  [
    "another name than its path",
    { path: "a", files: { "SKILL.md": manifest("b") } },
    "last part of the path",
  ],
  ["capital letters", { path: "A", files: { "SKILL.md": manifest("A") } }, "names of a-z"],
  ["no frontmatter", { path: "a", files: { "SKILL.md": "# a" } }, "must begin with YAML"],
  ["broken YAML", { path: "a", files: { "SKILL.md": "---\na: [\n---\n" } }, "must be YAML"],
  [
    "anchors",
    { path: "a", files: { "SKILL.md": "---\nname: &n a\ndescription: *n\n---\n" } },
    "must not have anchors",
  ],
  [
    "an anchor that nothing uses",
    { path: "a", files: { "SKILL.md": "---\nname: a\ndescription: d\nmetadata: &m {}\n---\n" } },
    "must not have anchors",
  ],
  [
    "long frontmatter",
    { path: "a", files: { "SKILL.md": manifest("a", "x".repeat(8_192)) } },
    "at most 8192 characters",
  ],
  ["no description", { path: "a", files: { "SKILL.md": "---\nname: a\n---\n" } }, "a description"],
  ["a path outside", { path: "a", files: { "SKILL.md": manifest("a"), "../b": "" } }, 'without "."'],
  ["half of a character", { path: "a", files: { "SKILL.md": manifest("a"), "\uD800": "" } }, 'without "."'],
  ["a backslash", { path: "a", files: { "SKILL.md": manifest("a"), "b\\c": "" } }, 'without "."'],
  [
    "too many files",
    { path: "a", files: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`${index}.md`, ""])) },
    "at most 512 files",
  ],
  [
    "too many bytes",
    { path: "a", files: { "SKILL.md": manifest("a"), big: new Uint8Array(16 * 1024 * 1024) } },
    "bytes together",
  ],
])("a skill with %s is refused (E-006, E-007, E-026)", async (_, skill: Skill, message) => {
  await expect(createSkillCatalog([skill])).rejects.toThrow(message);
});

test("two skills with one path are refused", async () => {
  await expect(createSkillCatalog([hidden, hidden])).rejects.toThrow("the same path");
});

test("a skill in the folder of another skill shares its files with it (E-022)", async () => {
  const inner = { "SKILL.md": manifest("inner") };
  const outer = { "SKILL.md": manifest("outer"), "inner/SKILL.md": manifest("inner") };
  const catalog = await createSkillCatalog([
    { path: "outer", files: outer },
    { path: "outer/inner", files: inner },
  ]);
  expect(catalog.entry("skill://outer/SKILL.md")?.resources).toHaveLength(2);
  expect(catalog.entry("skill://outer/inner/SKILL.md")?.resources).toHaveLength(1);
  const other = { ...outer, "inner/SKILL.md": manifest("inner", "Something else") };
  await expect(
    createSkillCatalog([
      { path: "outer", files: other },
      { path: "outer/inner", files: inner },
    ]),
  ).rejects.toThrow("must have the same file skill://outer/inner/SKILL.md");
});

test("skills are loaded from folders, without links and hidden files", async () => {
  const root = await mkdtemp(join(tmpdir(), "tenon-skills-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "office/pdf/references"), { recursive: true });
  await writeFile(join(root, "office/pdf/SKILL.md"), manifest("pdf"));
  await writeFile(join(root, "office/pdf/references/forms.md"), "# Forms");
  await writeFile(join(root, "office/pdf/.secret"), "secret");
  await symlink("/etc/hostname", join(root, "office/pdf/link"));
  const warnings: string[] = [];
  const loaded = await loadSkills(root, {
    prefix: "acme",
    onWarning: (message) => void warnings.push(message),
  });
  expect(loaded.map(({ path, files }) => [path, Object.keys(files)])).toEqual([
    ["acme/office/pdf", ["SKILL.md", "references/forms.md"]],
  ]);
  expect(warnings.join()).toMatch(/\.secret is left out.*link is left out/);
  const catalog = await createSkillCatalog(loaded);
  expect(catalog.entries.map(({ uri }) => uri)).toEqual(["skill://acme/office/pdf/SKILL.md"]);
});

test("folders that are too deep are left out with a warning, of skills and in skills", async () => {
  const root = await mkdtemp(join(tmpdir(), "skills-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const deep = (depth: number, name: string): string =>
    join(root, name, ...Array.from({ length: depth - 1 }, () => "d"));
  await mkdir(deep(17, "seventeen"), { recursive: true });
  await writeFile(join(deep(17, "seventeen"), "SKILL.md"), manifest("d"));
  await mkdir(deep(16, "sixteen"), { recursive: true });
  await writeFile(join(deep(16, "sixteen"), "SKILL.md"), manifest("d"));
  await mkdir(deep(18, "skill"), { recursive: true });
  await writeFile(join(root, "skill", "SKILL.md"), manifest("skill"));
  await writeFile(join(deep(17, "skill"), "kept.md"), "");
  await writeFile(join(deep(18, "skill"), "lost.md"), "");
  const warnings: string[] = [];
  const loaded = await loadSkills(root, { onWarning: (message) => void warnings.push(message) });
  const files = loaded.map(({ path, files: of }) => [path.split("/").length, Object.keys(of).length]);
  expect(files).toEqual([
    [16, 1],
    [1, 2],
  ]);
  expect(warnings).toHaveLength(2);
  for (const warning of warnings) {
    expect(warning).toContain("is left out: it is more than 16 folders deep");
  }
});

test("the list of resources has the sizes of manifests", async () => {
  const { session } = await open(await createSkillCatalog([pdf]), modernRevision);
  const { resources } = await session.listResources();
  const size = new TextEncoder().encode(manifest("pdf")).length;
  expect(resources).toEqual([expect.objectContaining({ uri: "skill://acme/pdf/SKILL.md", size })]);
});

test("a held skill was approved by its files, and reads only them (E-039, E-041, E-053)", async () => {
  const { session, asked } = await open(await createSkillCatalog([pdf]), modernRevision);
  const [entry] = (await listed(session)) as [SkillEntry];
  const approvals: SkillApproval[] = [];
  const approve = (approval: SkillApproval): boolean => {
    approvals.push(approval);
    return approvals.length > 1;
  };
  const refused: unknown = await holdSkill(session, entry, { server: "docs", approve }).catch(
    (e: unknown) => e,
  );
  expect(isSkillError(refused, "NOT_APPROVED")).toBe(true);
  expect(asked).not.toContain("resources/read");
  const held = await holdSkill(session, entry, { server: "docs", approve });
  expect(held.text).toBe(manifest("pdf"));
  expect(held.origin).toMatchObject({ server: "docs", uri: entry.uri });
  expect((await held.read("references/forms.md")).text).toBe("# Forms\n");
  await expect(held.read("other.md")).rejects.toMatchObject({ code: "NOT_IN_SKILL" });
  const [first, second] = approvals;
  expect(first?.fingerprint).toMatch(/^sha256:/);
  expect(second?.fingerprint).toBe(first?.fingerprint);
});

test("entries that are not valid are left out and reported (E-024)", async () => {
  const catalog = await createSkillCatalog([pdf]);
  const { session, errors } = await open(
    {
      ...catalog,
      entries: [
        ...catalog.entries,
        { uri: "skill://x/SKILL.md", frontmatter: { name: "y", description: "" }, resources: "dynamic" },
        { uri: "skill://z/SKILL.md", frontmatter: { name: "z", description: "z" }, resources: [] },
      ],
    },
    modernRevision,
  );
  expect(await listed(session)).toHaveLength(1);
  expect(errors.filter((error) => isSkillError(error, "INVALID_SKILL"))).toHaveLength(2);
});

test.each(bothEras)("a client asks only servers that declare skills (E-005, %s)", async (revision) => {
  const server = new Server({ name: "s", version: "1.0.0" });
  const client = new Client({ name: "c", version: "1.0.0" }, { revisions: [revision] });
  client.use(skillClient());
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  await expect(listed(session)).rejects.toMatchObject({ code: "CAPABILITY_MISSING" });
  await expect(session.skills.get("skill://a/SKILL.md")).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
  });
  await client.close();
  await server.close();
});
