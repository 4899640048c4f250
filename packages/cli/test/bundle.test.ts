import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { json, temporaryFolder, tenon } from "./support.ts";

const library = (name: string): string => JSON.stringify(new URL(`../../${name}`, import.meta.url).href);

/** A folder with a bundle whose server needs a variable and an argument. */
async function packed(): Promise<string> {
  const cwd = temporaryFolder();
  const facts = { name: "where", version: "1.0.0", description: "d", author: "Ada", license: "MIT" };
  writeFileSync(
    join(cwd, "package.json"),
    JSON.stringify({ ...facts, bin: "server.mjs", tenon: { package: "package.mjs" } }),
  );
  writeFileSync(
    join(cwd, "package.mjs"),
    `import { defineServerPackage } from ${library("ship/dist/index.js")};
    export const declared = defineServerPackage({
      env: { WHERE_KEY: { description: "The key", secret: true } },
      args: [{ name: "--shelf", description: "The shelf" }],
    });`,
  );
  writeFileSync(
    join(cwd, "server.mjs"),
    `import { Server } from ${library("mcp/dist/index.js")};
    import { StdioTransport } from ${library("transports-stdio/dist/index.js")};
    import { declared } from "./package.mjs";
    const { env, args } = declared.read();
    const server = new Server({ name: "where", version: "1.0.0" });
    server.addTool({ name: "where" }, () => [process.cwd(), env.WHERE_KEY, args.shelf].join(" "));
    await server.run(new StdioTransport());`,
  );
  await json(["ship", "pack", "--env", "WHERE_KEY=k", "--arg", "shelf=top", "--out", "where.mcpb"], { cwd });
  return cwd;
}

test("a bundle is a target: its server starts in a folder of its own, which is removed at the end", async () => {
  const cwd = await packed();
  const needy = await tenon(["list", "where.mcpb"], { cwd });
  expect(needy).toMatchObject({ code: 2, stdout: "" });
  expect(needy.stderr).toContain("\n  WHERE_KEY: The key\n  shelf: The shelf\n");
  expect(needy.stderr).toContain("--env WHERE_KEY=value --env shelf=value");

  const env = { WHERE_KEY: "from the environment" };
  const unasked = await tenon(["list", "where.mcpb", "--env", "shelf=low"], { cwd, env });
  expect(unasked.stderr).toContain("\n  WHERE_KEY: The key\n");
  const passed = ["--env", "shelf=low", "--env", "WHERE_KEY"];
  const called = await tenon(["call", "where.mcpb", "where", ...passed], { cwd, env });
  expect(called).toMatchObject({ code: 0, stderr: "" });
  const [folder = "", ...rest] = called.stdout.trim().split(" ");
  expect(rest.join(" ")).toBe("from the environment low");
  expect(folder).toContain("tenon-bundle-");
  expect(existsSync(folder)).toBe(false);

  const set = ["--env", "WHERE_KEY=given", "--env", "shelf=low"];
  expect((await tenon(["call", "where.mcpb", "where", ...set], { cwd, env })).stdout).toContain(" given low");
  // A connection that is kept would outlive the folder.
  expect(await tenon(["connect", "where.mcpb", ...set], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("where.mcpb cannot be kept"),
  });
});

test("a file that is not a bundle, and a bundle that does not exist, are named", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "bad.mcpb"), "x");
  const damaged = await tenon(["list", "bad.mcpb"], { cwd });
  expect(damaged).toMatchObject({ code: 1, stdout: "" });
  expect(damaged.stderr).toContain("bad.mcpb: The bundle cannot be read");
  expect((await tenon(["list", "none.mcpb"], { cwd })).stderr).toContain("There is no file");
});

test("a bundle without a manifest is named, with advice", async () => {
  const cwd = await packed();
  const bundle = readFileSync(join(cwd, "where.mcpb"), "latin1");
  writeFileSync(join(cwd, "bad.mcpb"), bundle.replaceAll("manifest.json", "manifest.text"), "latin1");
  const { code, stdout, stderr } = await tenon(["list", "bad.mcpb"], { cwd });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    "error: bad.mcpb: The manifest.json of the bundle cannot be used: there is none.\n" +
      "try: pack it with `tenon ship pack` or `mcpb pack`\n",
  );
});
