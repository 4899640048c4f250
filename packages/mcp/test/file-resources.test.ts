import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Client, Server, type ClientOptions, type ClientSession } from "@tenon/mcp";
import { fileResourceHandler, type FileResourceOptions } from "@tenon/mcp/file-resources";
import type { Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

/** A folder `public` with files, a secret beside it, and a session with a server that serves it. */
interface Site extends AsyncDisposable {
  readonly root: string;
  readonly session: ClientSession;
  read(uri: string): Promise<unknown>;
}

async function openSite(
  options: Partial<FileResourceOptions> = {},
  client: ClientOptions = {},
  revision: Revision = modernRevision,
): Promise<Site> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "tenon-")));
  const dir = join(root, "public");
  await mkdir(join(dir, "sub folder"), { recursive: true });
  await writeFile(join(root, "secret.txt"), "secret");
  await writeFile(join(dir, "puppies.txt"), "woof");
  await writeFile(join(dir, "sub folder", "größe.md"), "# Größe");
  await writeFile(join(dir, "bytes.bin"), new Uint8Array([0, 255]));
  await writeFile(join(dir, "latin.txt"), new Uint8Array([0xe4]));
  await writeFile(join(dir, "page.CUSTOM"), "x");
  await writeFile(join(dir, "empty"), "");
  await symlink("puppies.txt", join(dir, "inside-link"));
  await symlink("../secret.txt", join(dir, "outside-link"));
  await symlink("..", join(dir, "outside-folder"));
  await symlink("loop", join(dir, "loop"));
  const makePipe = "mkfifo";
  execFileSync(makePipe, [join(dir, "pipe")]);
  const server = new Server({ name: "files", version: "1" });
  server.addResourceTemplate(
    { uriTemplate: "{+all}", name: "files" },
    fileResourceHandler({ dir, ...options }),
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "c", version: "1" }, { revisions: [revision], ...client }).connect(
    here,
  );
  return {
    root,
    session,
    read: async (uri) => (await session.readResource({ uri })).contents[0],
    async [Symbol.asyncDispose]() {
      await session.close();
      await rm(root, { recursive: true });
    },
  };
}

test.skipIf(process.platform === "win32")(
  "files are served by their path in the folder (S-159)",
  async () => {
    await using site = await openSite({ mimeTypes: { custom: "text/custom" } });
    expect(await site.read("file:///puppies.txt")).toEqual({
      uri: "file:///puppies.txt",
      text: "woof",
      mimeType: "text/plain",
    });
    expect(await site.read("file://localhost/sub%20folder/gr%C3%B6%C3%9Fe.md")).toMatchObject({
      text: "# Größe",
      mimeType: "text/markdown",
    });
    expect(await site.read("file:///bytes.bin")).toEqual({ uri: "file:///bytes.bin", blob: "AP8=" });
    expect(await site.read("file:///latin.txt")).toMatchObject({ blob: "5A==", mimeType: "text/plain" });
    expect(await site.read("file:///page.CUSTOM")).toMatchObject({ mimeType: "text/custom" });
    expect(await site.read("file:///empty")).toEqual({ uri: "file:///empty", text: "" });
    expect(await site.read("file:///inside-link")).toMatchObject({ text: "woof" });
  },
);

test("dot segments within the directory are resolved, as by every URL parser", async () => {
  await using site = await openSite({});
  for (const uri of [
    "file:///./puppies.txt",
    "file:///sub%20folder/%2e%2e/puppies.txt",
    "FILE:/puppies.txt",
  ]) {
    expect(await site.read(uri)).toMatchObject({ uri: "file:///puppies.txt", text: "woof" });
  }
});

const refused = [
  "file:///../secret.txt",
  "file:///sub%20folder/../../secret.txt",
  "file:///%2e%2e/secret.txt",
  "file:///%2E%2E%2Fsecret.txt",
  "file:///..%2fsecret.txt",
  "file:///..%5csecret.txt",
  "file:///..\\secret.txt",
  "file:///%252e%252e/secret.txt",
  "file:////etc/passwd",
  "file:///%2fetc%2fpasswd",
  "file:///puppies.txt/",
  "file:///puppies.txt/x",
  "file:///puppies.txt%00.png",
  "file:///puppies.txt?x",
  "file:///puppies.txt#x",
  "file:///%ff",
  "file:///%",
  "file://example.com/puppies.txt",
  "http:///puppies.txt",
  "/puppies.txt",
  "file:///",
  "file:///sub%20folder",
  "file:///outside-link",
  "file:///outside-folder/secret.txt",
  "file:///outside-folder/public/puppies.txt/../../secret.txt",
  "file:///loop",
  "file:///pipe",
  "file:///NUL",
  "file:///nul.txt",
  "file:///COM1",
  "file:///sub%20folder/aux.md",
  "file:///nothing.txt",
];

test.skipIf(process.platform === "win32").each(refused)(
  "%s is answered as if there were nothing (S-160, R-521)",
  async (uri) => {
    await using site = await openSite();
    await expect(site.read(uri)).rejects.toMatchObject({
      code: -32602,
      message: `Resource not found: ${uri}`,
      data: { uri },
    });
  },
);

test.skipIf(process.platform === "win32")(
  "a link out of the folder into the folder is no way in",
  async () => {
    await using site = await openSite();
    expect(await site.read("file:///outside-folder/public/puppies.txt")).toMatchObject({ text: "woof" });
  },
);

test.skipIf(process.platform === "win32")("files that are too large are refused, and say so", async () => {
  await using site = await openSite({ limits: { maxFileBytes: 4 } });
  expect(await site.read("file:///puppies.txt")).toMatchObject({ text: "woof" });
  await using small = await openSite({ limits: { maxFileBytes: 3 } });
  await expect(small.read("file:///puppies.txt")).rejects.toMatchObject({
    code: -32602,
    message: "Resource exceeds the limit of 3 bytes",
  });
});

test("a limit that is not in limits is rejected", () => {
  const options = { dir: ".", maxFileBytes: 3 };
  expect(() => fileResourceHandler(options)).toThrow(
    'fileResourceHandler has no option "maxFileBytes". It is a limit: write limits: { maxFileBytes: … }.',
  );
});

test.skipIf(process.platform === "win32").each(bothEras)(
  "in %s nothing outside of the roots of the client is served (S-161)",
  async (revision) => {
    await using site = await openSite({}, { roots: [] }, revision);
    const notFound = { message: expect.stringMatching(/^Resource not found: file:/) as string };
    await expect(site.read("file:///puppies.txt")).rejects.toMatchObject(notFound);
    site.session.client.addRoots({ uri: pathToFileURL(join(site.root, "public", "sub folder")).href });
    await site.session.ping();
    await expect(site.read("file:///puppies.txt")).rejects.toMatchObject(notFound);
    expect(await site.read("file:///sub%20folder/gr%C3%B6%C3%9Fe.md")).toMatchObject({ text: "# Größe" });
    site.session.client.addRoots({ uri: `${pathToFileURL(site.root).href}/` });
    await site.session.ping();
    expect(await site.read("file:///puppies.txt")).toMatchObject({ text: "woof" });
    await expect(site.read("file:///outside-link")).rejects.toMatchObject(notFound);
    site.session.client.setRoots([{ uri: "file:///no/such/folder" }, { uri: "file:///%00" }]);
    await site.session.ping();
    await expect(site.read("file:///puppies.txt")).rejects.toMatchObject(notFound);
    site.session.client.setRoots([{ uri: "file:///" }]);
    await site.session.ping();
    expect(await site.read("file:///puppies.txt")).toMatchObject({ text: "woof" });
    await expect(site.read("file:///outside-link")).rejects.toMatchObject(notFound);
  },
);

test.skipIf(process.platform === "win32")(
  "a folder that is not there is the server's fault, not the client's",
  async () => {
    await using site = await openSite({ dir: "/no/such/folder" });
    await expect(site.read("file:///puppies.txt")).rejects.toMatchObject({
      code: -32603,
      message: "Internal error",
    });
  },
);

test.skipIf(process.platform === "win32")(
  "paths that are too long or too deep are as if there were nothing",
  async () => {
    await using site = await openSite();
    for (const uri of [`file:///${"a/".repeat(300)}x`, `file:///${"a".repeat(1500)}`]) {
      await expect(site.read(uri)).rejects.toMatchObject({
        code: -32602,
        message: `Resource not found: ${uri.slice(0, 200)}…`,
        data: { uri },
      });
    }
  },
);
