import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Manager } from "@tenon/sdk/host";
import { nodeTransports } from "@tenon/sdk/host/node";
import { skillClient } from "@tenon/sdk/skills/client";
import { listSkills } from "@tenon/sdk/skills/host";
import { expect, onTestFinished, test } from "vitest";

import { useSkill } from "../src/use-skill.ts";

test("a host lists the skills of a folder, loads an approved one, and sees changes of the folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-skills-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(import.meta.dirname, "../skills"), folder, { recursive: true });
  const args = [join(import.meta.dirname, "../dist/server.js"), folder];
  const manager = new Manager({
    servers: { handbook: { type: "stdio", command: process.execPath, args } },
    transports: nodeTransports(),
  });
  onTestFinished(() => manager.close());
  manager.use(skillClient());
  await manager.connectAll();

  const shown: string[] = [];
  const show = (line: string): void => void shown.push(line);
  await expect(useSkill(manager, { show, approve: () => false })).rejects.toMatchObject({
    code: "NOT_APPROVED",
  });
  expect(shown).toEqual([
    expect.stringMatching(/^handbook: refunds – How to refund/),
    expect.stringMatching(/^handbook: release-notes – /),
  ]);
  const approved: string[] = [];
  await useSkill(manager, {
    show,
    approve: ({ server, fingerprint }) => approved.push(`${server} ${fingerprint}`) === 1,
  });
  expect(approved).toEqual([expect.stringMatching(/^handbook sha256:/)]);
  expect(shown.at(-1)).toMatch(/^From the server handbook:\n---\nname: refunds[^]*we have refunded/);

  await writeFile(join(folder, "refunds/references/new.md"), "new");
  const files = async (): Promise<unknown> => {
    const first = await listSkills(manager).next();
    return first.value?.skill.resources.length;
  };
  await expect.poll(files).toBe(3);
});
