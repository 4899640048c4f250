import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { Server } from "@tenon/mcp";
import { listen } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { fixture, json, self, temporaryFolder, tenon } from "./support.ts";

const run = promisify(execFile);

/** A folder with a package that is ready to be shipped. */
function packageFolder(changes: object = {}): string {
  const cwd = temporaryFolder();
  const facts = {
    name: "loud",
    version: "1.0.0",
    description: "A loud server",
    author: "Ada",
    license: "MIT",
    repository: "github:me/loud",
    mcpName: "io.github.me/loud",
    bin: "server.mjs",
    ...changes,
  };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(facts));
  writeFileSync(join(cwd, "server.mjs"), readFileSync(fixture("loud.mjs")));
  return cwd;
}

test("the installed program packs a server, and calls a tool of the packed copy", async () => {
  const cwd = packageFolder({ tenon: { package: "package.mjs" } });
  const library = new URL("../../ship/dist/index.js", import.meta.url).href;
  writeFileSync(
    join(cwd, "package.mjs"),
    `import { defineServerPackage } from ${JSON.stringify(library)};
    export const loud = defineServerPackage({ args: [{ name: "--shelf", description: "The shelf" }] });`,
  );
  writeFileSync(join(cwd, "start.mjs"), 'import { loud } from "./package.mjs"; loud.read();');
  const server = readFileSync(join(cwd, "server.mjs"), "utf8");
  writeFileSync(join(cwd, "server.mjs"), `import "./start.mjs";\n${server}`);
  const [node, bin] = self;
  const pack = ["ship", "pack", "--call", "echo", "--json"];
  await expect(run(node, [bin, ...pack], { cwd })).rejects.toMatchObject({
    stdout: expect.stringContaining("--shelf is missing"),
  });
  expect((await tenon([...pack, "--arg", "top"], { cwd })).stdout).toContain("--arg root=/srv");
  const { stdout, stderr } = await run(node, [bin, ...pack, "--arg", "--shelf=top"], { cwd });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    file: join(cwd, "loud-1.0.0.mcpb"),
    tools: 1,
    called: "echo",
    warnings: [],
  });
  expect(existsSync(join(cwd, "loud-1.0.0.mcpb"))).toBe(true);
});

test("an error of pack has its findings as JSON", async () => {
  const cwd = packageFolder({ description: undefined, author: undefined, bin: "none.mjs" });
  const { code, stdout } = await tenon(["ship", "pack", "--json"], { cwd });
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      message: expect.stringContaining("Cannot pack, because of 3 problems:"),
      data: {
        findings: [
          { path: "package.json/description" },
          { path: "package.json/author" },
          { path: "package.json/bin" },
        ],
      },
    },
  });
});

test("publish writes server.json, and needs the official publisher unless it is a rehearsal", async () => {
  const cwd = packageFolder();
  const rehearsal = await tenon(["ship", "publish", "--dry-run"], { cwd });
  expect(rehearsal).toMatchObject({ code: 0, stderr: "" });
  expect(rehearsal.stdout).toContain("mcp-publisher is not on the PATH");
  expect(rehearsal.stdout).toContain('"name": "io.github.me/loud"');
  expect(existsSync(join(cwd, "server.json"))).toBe(false);
  const written = await tenon(["ship", "publish", "--write-only"], { cwd });
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(written.stdout).toBe(`${join(cwd, "server.json")} was written, and is valid.\n`);
  expect(JSON.parse(readFileSync(join(cwd, "server.json"), "utf8"))).toMatchObject({
    name: "io.github.me/loud",
  });

  const without = await tenon(["ship", "publish"], { cwd });
  expect(without).toMatchObject({ code: 1, stdout: "" });
  expect(without.stderr).toContain("mcp-publisher login github");

  const publisher = join(cwd, "mcp-publisher");
  writeFileSync(
    publisher,
    `#!${process.execPath}\nconsole.log("sent", ...process.argv.slice(2)); process.exit(Number(process.env.FAILS ?? 0));\n`,
  );
  chmodSync(publisher, 0o755);
  const sent = await tenon(["ship", "publish"], { cwd, env: { PATH: cwd } });
  expect(sent).toMatchObject({ code: 0, stderr: "sent publish\n" });
  expect(sent.stdout).toContain("io.github.me/loud 1.0.0 was published");
  expect(await tenon(["ship", "publish"], { cwd, env: { PATH: cwd, FAILS: "3" } })).toMatchObject({
    code: 1,
  });
});

test("publish reports all problems and writes nothing", async () => {
  const cwd = packageFolder({ mcpName: undefined, version: "^1" });
  const { code, stdout } = await tenon(["ship", "publish"], { cwd });
  expect(code).toBe(1);
  for (const path of ["package.json/mcpName", "server.json/version", "server.json/packages/0/version"]) {
    expect(stdout).toContain(`error ${path}: `);
  }
  // What follows from a missing name is not reported again.
  expect(stdout).not.toContain("server.json/name");
  expect(existsSync(join(cwd, "server.json"))).toBe(false);
});

test("card reads the card of a server, and names what is wrong with it", async () => {
  const http = createServer((_, response) => response.end(JSON.stringify({ name: "x", version: "1" })));
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const { code, stdout } = await tenon(["ship", "card", url]);
  expect(code).toBe(1);
  expect(stdout).toContain("error /name: ");
  expect(stdout).toContain("error header Content-Type: ");
  expect((await tenon(["ship", "card", "server.js"])).code).toBe(2);
});

test("card sends the headers of the options to this server only, in their time, by their proxy", async () => {
  const paths: string[] = [];
  const http = createServer((request, response) => {
    paths.push(`${request.url ?? ""} ${request.headers.authorization ?? "without"}`);
    if (request.url === "/slow/server-card") {
      return;
    }
    response.writeHead(302, { Location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const headed = await tenon(["ship", "card", `${origin}/mcp`, "--header", "Authorization: Bearer s3cret"]);
  expect(headed.stderr).toContain("the status is 302");
  expect(paths).toEqual(["/mcp/server-card Bearer s3cret"]);
  const late = await tenon(["ship", "card", `${origin}/slow`, "--timeout", "50ms"]);
  expect(late.code).toBe(6);
  const proxied = await tenon(["ship", "card", "http://notes.invalid/mcp", "--proxy", origin]);
  expect(proxied.stderr).toContain("the status is 302");
  expect(paths.at(-1)).toBe("http://notes.invalid/mcp/server-card without");
});

test("values that no card and no image can have are errors of usage", async () => {
  const server = new Server({ name: "notes", version: "1" });
  const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  onTestFinished(() => listening.close());
  for (const [argv, reason] of [
    [["card", listening.url.href, "--name", "notes"], "name must be like com.example/notes"],
    [
      ["card", listening.url.href, "--name", "a.b/notes", "--description", "x".repeat(101)],
      "1 to 100 characters",
    ],
    [["image", "--port", "65536"], "--port takes a whole number from 1 to 65535"],
  ] as const) {
    const { code, stderr } = await tenon(["ship", ...argv], { cwd: packageFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(stderr).not.toContain(" at ");
  }
});

test("image writes its files once", async () => {
  const cwd = packageFolder();
  expect(await json(["ship", "image", "--dry-run"], { cwd })).toMatchObject({ written: false });
  expect(existsSync(join(cwd, "Dockerfile"))).toBe(false);
  expect((await tenon(["ship", "image", "--port", "3000"], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, "Dockerfile"), "utf8")).toContain("USER 65534");
  const again = await tenon(["ship", "image"], { cwd });
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("--force");
  writeFileSync(join(cwd, ".dockerignore"), "*\n");
  const blocked = await tenon(["ship", "image", "--force"], { cwd });
  expect(blocked).toMatchObject({ code: 1, stderr: "" });
  expect(blocked.stdout).toContain("error .dockerignore: keeps package.json out of the build");
  expect(readFileSync(join(cwd, "Dockerfile"), "utf8")).toContain("EXPOSE 3000");
});

test("--check runs all of it, writes nothing, and names what is missing", async () => {
  const cwd = packageFolder();
  await tenon(["ship", "publish", "--write-only"], { cwd });
  await tenon(["ship", "image"], { cwd });
  expect(await json(["ship", "--check"], { cwd })).toMatchObject({
    passed: true,
    checks: [
      { name: "package", status: "ok" },
      { name: "registry", status: "ok" },
      { name: "bundle", status: "ok" },
      { name: "image", status: "ok" },
    ],
  });
  expect(existsSync(join(cwd, "loud-1.0.0.mcpb"))).toBe(false);
  writeFileSync(
    join(cwd, "package.json"),
    readFileSync(join(cwd, "package.json"), "utf8").replace("1.0.0", "1.1.0"),
  );
  const { code, stdout } = await tenon(["ship", "--check", "--skip", "bundle"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/skipped +bundle +--skip bundle/);
  expect(stdout).toContain("error server.json: differs from the package: run");
  const other = temporaryFolder();
  writeFileSync(join(other, "Dockerfile"), "FROM node AS b\nUSER node\nFROM node\nCOPY --from=b /a /a");
  const unsafe = await tenon(["ship", "--check"], { cwd: other });
  expect(unsafe.code).toBe(1);
  expect(unsafe.stdout).toContain("error Dockerfile: the user of the last stage must not be root");
  expect((await tenon(["ship"], { cwd })).stderr).toContain("tenon ship --help");
  expect((await tenon(["ship", "--check", "--skip", "bundles"], { cwd })).code).toBe(2);
  expect(await tenon(["ship", "--check"], { cwd: temporaryFolder() })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is nothing to check in "),
  });
  // A server over HTTP has no program that a host starts.
  const remote = packageFolder({ bin: undefined });
  await tenon(["ship", "publish", "--write-only"], { cwd: remote });
  expect(await json(["ship", "--check"], { cwd: remote })).toMatchObject({
    passed: true,
    checks: [{ status: "ok" }, { status: "ok" }, { name: "bundle", status: "skipped" }, {}],
  });
});

test("--check skips what the package is not meant for, and packs what its options name", async () => {
  const cwd = packageFolder({ mcpName: undefined, private: true, bin: { a: "other.mjs", b: "server.mjs" } });
  const several = await tenon(["ship", "--check"], { cwd });
  expect(several.code).toBe(1);
  expect(several.stdout).toMatch(
    /skipped +registry +there is no server.json, and package.json has no mcpName/,
  );
  expect(several.stdout).toMatch(/failed +bundle +There are several programs/);
  const checked = await json(["ship", "--check", "--entry", "server.mjs", "--call", "echo"], { cwd });
  expect(checked).toMatchObject({
    passed: true,
    checks: [{}, { status: "skipped" }, { status: "ok", detail: expect.stringContaining("(echo)") }, {}],
  });
  const including = await tenon(["ship", "--check", "--entry", "server.mjs", "--include", "none"], { cwd });
  expect(including.stdout).toContain('"none" is not a file or folder of the package');
});

test("--check takes a server in another language as it is", async () => {
  const cwd = packageFolder();
  await tenon(["ship", "publish", "--write-only"], { cwd });
  const other = temporaryFolder();
  writeFileSync(join(other, "server.json"), readFileSync(join(cwd, "server.json")));
  writeFileSync(join(other, "Dockerfile"), "FROM python:3.13-slim\nUSER 65534:65534\n");
  expect(await json(["ship", "--check"], { cwd: other })).toMatchObject({
    passed: true,
    checks: [
      { name: "package", status: "skipped" },
      { name: "registry", status: "ok" },
      { name: "bundle", status: "skipped" },
      { name: "image", status: "ok" },
    ],
  });
  rmSync(join(other, "server.json"));
  expect(await json(["ship", "--check"], { cwd: other })).toMatchObject({ passed: true });
});

test("a server that crashes is a failed check with its error", async () => {
  const cwd = packageFolder({ mcpName: undefined });
  writeFileSync(join(cwd, "server.mjs"), "throw new TypeError('no database');");
  const { code, stdout } = await tenon(["ship", "--check", "--json"], { cwd });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    passed: false,
    checks: [{}, {}, { status: "failed", detail: expect.stringContaining("TypeError: no database") }, {}],
  });
});
