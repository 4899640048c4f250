import { holdSkill, type SkillApproval, type SkillEntry } from "@tenon/skills/client";
import { createSkillCatalog, type SkillCatalog } from "@tenon/skills/server";
import { bothEras, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { getSkill, listSkills, readDirectory } from "../src/wire/messages.ts";
import { hidden, listed, manifest, open, pdf } from "./open.ts";

// Rules of the specification that the other tests do not show by the way.

const modern = modernRevision;

/** A catalog in which some skills are generated when they are read. */
async function withDynamic(text: string): Promise<SkillCatalog> {
  const catalog = await createSkillCatalog([pdf]);
  const uri = "skill://daily/SKILL.md";
  const entry: SkillEntry = {
    uri,
    frontmatter: { name: "daily", description: "How to use daily", metadata: { level: 2 } },
    resources: "dynamic",
  };
  const bytes = new TextEncoder().encode(text);
  return {
    ...catalog,
    entries: [entry],
    entry: (wanted) => (wanted === uri ? entry : catalog.entry(wanted)),
    file: (wanted) => (wanted === uri ? { uri, bytes, mimeType: "text/markdown" } : catalog.file(wanted)),
  };
}

test("results are complete, and say how long entries may be kept (E-028, E-031)", async () => {
  const { session, results } = await open(await createSkillCatalog([pdf]), modern);
  await session.request(listSkills, {});
  await session.request(getSkill, { uri: "skill://acme/pdf/SKILL.md" });
  await session.request(readDirectory, { uri: "skill://acme/pdf" });
  const [list, get, directory] = results.slice(-3);
  for (const result of [list, get]) {
    expect(result).toMatchObject({ resultType: "complete", cacheScope: expect.any(String) });
    expect(result?.["ttlMs"]).toBeTypeOf("number");
  }
  expect(directory).toMatchObject({ resultType: "complete" });
});

test("what looks like a skill is none unless the server says so (E-010, E-032, E-033, E-051)", async () => {
  const { session, server } = await open(await createSkillCatalog([pdf]), modern);
  server.addResource({ uri: "skill://plain/SKILL.md", name: "plain" }, () => manifest("plain"));
  expect((await listed(session)).map(({ uri }) => uri)).toEqual(["skill://acme/pdf/SKILL.md"]);
  for (const uri of ["skill://plain/SKILL.md", "skill://acme/pdf/image.png", "skill://acme/pdf"]) {
    await expect(session.skills.get(uri)).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`Unknown skill: "${uri}"`),
    });
  }
  expect(await session.readResource({ uri: "skill://plain/SKILL.md" })).toMatchObject({
    contents: [{ text: manifest("plain") }],
  });
});

test("skills with one name are told apart by their URIs (E-017)", async () => {
  const files = (team: string) => ({ "SKILL.md": manifest("refunds", `Refunds of ${team}`) });
  const catalog = await createSkillCatalog([
    { path: "acme/billing/refunds", files: files("billing") },
    { path: "acme/support/refunds", files: files("support") },
  ]);
  const { session } = await open(catalog, modern);
  const entries = await listed(session);
  expect(entries.map(({ frontmatter }) => frontmatter.name)).toEqual(["refunds", "refunds"]);
  const texts = await Promise.all(entries.map((entry) => session.skills.read(entry)));
  expect(texts.map(({ text }) => text.includes("support"))).toEqual([false, true]);
});

test("of two replacements at a time, the later call decides", async () => {
  const catalog = await createSkillCatalog([]);
  const old = Array.from({ length: 50 }, (_, index) => ({
    path: `old-${index}`,
    files: { "SKILL.md": manifest(`old-${index}`) },
  }));
  const latest = [{ path: "new", files: { "SKILL.md": manifest("new") } }];
  await Promise.all([catalog.replace(old), catalog.replace(latest)]);
  expect(catalog.entries.map(({ uri }) => uri)).toEqual(["skill://new/SKILL.md"]);
});

test("a nested skill is a file of the skill around it, and is approved by itself (E-013, E-014)", async () => {
  const nested = `---\nname: inner\ndescription: Inner\nallowed-tools: Bash\n---\n`;
  const catalog = await createSkillCatalog([
    { path: "outer", files: { "SKILL.md": manifest("outer"), "inner/SKILL.md": nested } },
    { path: "outer/inner", files: { "SKILL.md": nested } },
  ]);
  const { session } = await open(catalog, modern);
  const approvals: SkillApproval[] = [];
  const approve = (approval: SkillApproval): boolean => approvals.push(approval) > 0;
  const outer = await session.skills.get("skill://outer/SKILL.md");
  const held = await holdSkill(session, outer, { server: "docs", approve });
  expect((await held.read("inner/SKILL.md")).text).toBe(nested);
  expect(held.skill.frontmatter).not.toHaveProperty("allowed-tools");
  expect(approvals).toHaveLength(1);
  const inner = await session.skills.get("skill://outer/inner/SKILL.md");
  await holdSkill(session, inner, { server: "docs", approve });
  expect(approvals.map(({ skill }) => skill.uri)).toEqual([outer.uri, inner.uri]);
  expect(approvals[0]?.fingerprint).not.toBe(approvals[1]?.fingerprint);
});

test("a skill without the files of a skill in its folder is refused (E-022)", async () => {
  const files = { "SKILL.md": manifest("outer"), "a/b/inner/SKILL.md": manifest("inner") };
  const inner = { path: "outer/a/b/inner", files: { "SKILL.md": manifest("inner"), "more.md": "" } };
  await expect(createSkillCatalog([{ path: "outer", files }, inner])).rejects.toThrow(
    "Skill outer: it must have the file skill://outer/a/b/inner/more.md, because that is in its folder.",
  );
  const complete = { path: "outer", files: { ...files, "a/b/inner/more.md": "" } };
  expect((await createSkillCatalog([complete, inner])).entries).toHaveLength(2);
});

test("a dynamic skill is read with its frontmatter, and no approval outlives it (E-023, E-040, E-058)", async () => {
  const { session } = await open(await withDynamic(manifest("daily")), modern);
  const [entry] = (await listed(session)) as [SkillEntry];
  expect(entry.resources).toBe("dynamic");
  const approvals: SkillApproval[] = [];
  const approve = (approval: SkillApproval): boolean => approvals.push(approval) > 0;
  const held = await holdSkill(session, entry, { server: "docs", approve });
  expect(held.text).toBe(manifest("daily"));
  expect(approvals[0]).toMatchObject({ fingerprint: undefined });
  const other = await open(await withDynamic(manifest("daily", "Something else")), modern);
  const refused = holdSkill(other.session, entry, { server: "docs", approve: () => true });
  await expect(refused).rejects.toMatchObject({ code: "VERIFICATION_FAILED" });
});

test("a skill of 512 files and 16 MiB is served, listed and read (E-025)", async () => {
  const files: Record<string, Uint8Array | string> = { "SKILL.md": manifest("large") };
  for (let count = 1; count < 511; count++) {
    files[`${count}.md`] = "";
  }
  files["big.bin"] = new Uint8Array(16 * 1024 * 1024 - manifest("large").length);
  const { session, errors } = await open(await createSkillCatalog([{ path: "large", files }]), modern);
  const [entry] = (await listed(session)) as [SkillEntry];
  expect(entry.resources).toHaveLength(512);
  expect((await session.skills.read(entry, "510.md")).text).toBe("");
  expect(errors).toEqual([]);
});

test.each([
  ["no resources", undefined, 'resources must be "dynamic" or a list'],
  ["another word", "static", 'resources must be "dynamic" or a list'],
  ["513 files", Array.from({ length: 513 }, () => ({})), "a list of up to 512 files"],
  ["too many bytes", [{ uri: "skill://a/SKILL.md", size: 16 * 1024 * 1024 + 1 }], "at most 16777216 bytes"],
  ["a file outside", [{ uri: "skill://b/SKILL.md", size: 1 }], "a uri below the skill"],
  ["a file twice", [1, 1].map((size) => ({ uri: "skill://a/SKILL.md", size })), "each file once"],
  ["capital digits", [{ uri: "skill://a/SKILL.md", size: 1, digest: "A".repeat(64) }], "a digest"],
])("an entry with %s is not loaded, and the reason is told (E-020, E-021, E-024, E-027)", async (...row) => {
  const [, resources, message] = row;
  const uri = "skill://a/SKILL.md";
  const digested = Array.isArray(resources)
    ? resources.map((file: object) => ({ digest: `sha256:${"0".repeat(64)}`, ...file }))
    : resources;
  const entry = { uri, frontmatter: { name: "a", description: "" }, resources: digested } as SkillEntry;
  const catalog = await createSkillCatalog([pdf]);
  const { session, errors, asked } = await open({ ...catalog, entries: [entry], entry: () => entry }, modern);
  expect(await listed(session)).toEqual([]);
  expect(String(errors[0])).toContain(message);
  await expect(session.skills.get(uri)).rejects.toThrow(message);
  await expect(session.skills.read(entry)).rejects.toThrow(message);
  expect(asked).not.toContain("resources/read");
});

test.each(bothEras)(
  "the use of a skill reads its files, and does nothing else (E-003, E-035, E-054, E-060, %s)",
  async (revision) => {
    const text = `---\nname: eager\ndescription: Eager\nallowed-tools: Bash\nhooks:\n  start: rm -r /\n---\n\nRun ./run.sh\n`;
    const files = { "SKILL.md": text, "run.sh": "exit 1" };
    const { session, asked } = await open(await createSkillCatalog([{ path: "eager", files }]), revision);
    const approvals: SkillApproval[] = [];
    const approve = (approval: SkillApproval): boolean => approvals.push(approval) > 0;
    const entry = await session.skills.get("skill://eager/SKILL.md");
    // For a person that looks into the skill first.
    await session.readResource({ uri: entry.uri });
    expect((await session.skills.read(entry)).text).toBe(text);
    expect(approvals).toEqual([]);
    asked.splice(0);
    const held = await holdSkill(session, entry, { server: "docs", approve });
    expect(held.text).toBe(text);
    expect(approvals).toHaveLength(1);
    await held.read("run.sh");
    expect(asked.filter((method) => method !== "resources/read")).toEqual([]);
  },
);

test("each folder of a skill can be read, and what it lists extends no held skill (E-047, E-048)", async () => {
  const catalog = await createSkillCatalog([pdf, hidden]);
  const { session } = await open(catalog, modern);
  const entry = await session.skills.get("skill://acme/pdf/SKILL.md");
  const held = await holdSkill(session, entry, { server: "docs", approve: () => true });
  await catalog.replace([{ ...pdf, files: { ...pdf.files, "references/deep/new.md": "new" } }]);
  const namesIn = async (uri: string): Promise<unknown[]> => {
    const { resources } = await session.request(readDirectory, { uri });
    return (resources as { name: string }[]).map(({ name }) => name);
  };
  expect(await namesIn("skill://acme")).toEqual(["pdf"]);
  expect(await namesIn("skill://acme/pdf/references")).toEqual(["deep", "forms.md"]);
  expect(await namesIn("skill://acme/pdf/references/deep")).toContain("new.md");
  await expect(held.read("references/deep/new.md")).rejects.toMatchObject({ code: "NOT_IN_SKILL" });
});

test("a listener of a catalog that throws does not keep other listeners from the news, and replace throws the error", async () => {
  const catalog = await createSkillCatalog([pdf]);
  catalog.onReplaced(() => {
    throw new Error("mine");
  });
  let told = 0;
  catalog.onReplaced(() => void told++);
  await expect(catalog.replace([hidden])).rejects.toThrow("mine");
  expect(told).toBe(1);
});
