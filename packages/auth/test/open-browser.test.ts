import { chmod, copyFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { openBrowser, openBrowserByFile } from "@tenon/auth/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { temporaryDirectory } from "./folder.ts";

// The program of Linux is looked up on PATH, where a test can put its own.
const onLinux = test.runIf(process.platform === "linux");

beforeEach(() => {
  vi.stubEnv("DISPLAY", ":0");
  vi.stubEnv("SSH_CONNECTION", undefined);
  vi.stubEnv("SSH_TTY", undefined);
  vi.stubEnv("BROWSER", undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function recordingBrowser(exitCode = 0): Promise<{ opened(): Promise<string> } & AsyncDisposable> {
  const folder = await temporaryDirectory();
  const program = join(folder.path, "xdg-open");
  const log = join(folder.path, "log");
  await writeFile(log, "");
  await writeFile(program, `#!/bin/sh\nprintf '%s|' "$#" "$@" >> '${log}'\nexit ${exitCode}\n`);
  await chmod(program, 0o755);
  vi.stubEnv("PATH", `${folder.path}:${process.env["PATH"]}`);
  return { opened: () => readFile(log, "utf8"), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

onLinux("a page is opened by a program with one argument, without a shell", async () => {
  await using browser = await recordingBrowser();
  await openBrowser("https://as.example/authorize?a=$(touch%20x)&b=;c&scope=a%20b");
  expect(await browser.opened()).toBe("1|https://as.example/authorize?a=$(touch%20x)&b=;c&scope=a%20b|");
});

onLinux("http is allowed on this machine", async () => {
  await using browser = await recordingBrowser();
  await openBrowser(new URL("http://127.0.0.1:8080/authorize"));
  expect(await browser.opened()).toBe("1|http://127.0.0.1:8080/authorize|");
});

onLinux("a URL with a secret is no argument of a program: a file of this user leads to it", async () => {
  await using browser = await recordingBrowser();
  await using folder = await temporaryDirectory();
  const redirectFile = join(folder.path, "page.html");
  await openBrowserByFile("http://127.0.0.1:8080/?code=s3cret&x=1", redirectFile);
  expect(await browser.opened()).toBe(`1|file://${redirectFile}|`);
  expect((await stat(redirectFile)).mode & 0o777).toBe(0o600);
  expect(await readFile(redirectFile, "utf8")).toContain(
    'content="0;url=http://127.0.0.1:8080/?code=s3cret&amp;x=1"',
  );
  // Nothing is written into a file, or through a link, that somebody else has put there.
  const planted = openBrowserByFile("http://127.0.0.1:8080/?code=other", redirectFile);
  await expect(planted).rejects.toMatchObject({ code: "EEXIST" });
  expect(await browser.opened()).toBe(`1|file://${redirectFile}|`);
});

onLinux.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "ms-msdt:/id",
  "vscode://x/y",
  "\\\\evil\\share",
  "//evil.example",
  "http://as.example/authorize",
  "http://127.0.0.1.evil.example/",
  "https://user:password@as.example/",
  "https://as.example/\r\nx",
  "https://as.example/\tx",
  'https://as.example/"x',
  "https://as.example/'x",
  "https://as.example/`x`",
  " https://as.example/",
  "-psn",
  `https://as.example/${"x".repeat(9000)}`,
])("A-013: %j is never opened", async (url) => {
  await using browser = await recordingBrowser();
  await expect(openBrowser(url)).rejects.toMatchObject({ code: "INSECURE_URL" });
  expect(await browser.opened()).toBe("");
});

onLinux("a name in other letters is shown to the browser as it is resolved", async () => {
  await using browser = await recordingBrowser();
  await openBrowser("https://аs.example/");
  expect(await browser.opened()).toMatch(/^1\|https:\/\/xn--/);
});

onLinux.each([
  ["without a display", { DISPLAY: undefined, WAYLAND_DISPLAY: undefined }],
  ["over SSH", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }],
])("no browser is started %s", async (_, env) => {
  await using browser = await recordingBrowser();
  for (const [name, value] of Object.entries(env)) {
    vi.stubEnv(name, value);
  }
  await expect(openBrowser("https://as.example/")).rejects.toMatchObject({ code: "NEEDS_USER" });
  expect(await browser.opened()).toBe("");
});

onLinux("a browser that cannot be started is reported", async () => {
  await using _ = await recordingBrowser(3);
  await expect(openBrowser("https://as.example/")).rejects.toMatchObject({ code: "NEEDS_USER" });
  vi.stubEnv("PATH", "/nonexistent");
  await expect(openBrowser("https://as.example/")).rejects.toMatchObject({ code: "NEEDS_USER" });
});

onLinux("a variable BROWSER without a program names none", async () => {
  await using browser = await recordingBrowser();
  vi.stubEnv("DISPLAY", ":0");
  vi.stubEnv("BROWSER", '""');
  await openBrowser("https://as.example/");
  expect(await browser.opened()).toBe("1|https://as.example/|");
});

onLinux.each([
  ["of a path with spaces", "%f", "1|https://as.example/|"],
  ["of a quoted path, with arguments", `"%f" -new '%s#a b' &`, "2|-new|https://as.example/#a b|"],
])("the variable BROWSER names the program %s", async (_, command, expected) => {
  await using browser = await recordingBrowser();
  await using folder = await temporaryDirectory();
  const [bin = ""] = (process.env["PATH"] ?? "").split(":");
  const program = join(folder.path, "my browser");
  await copyFile(join(bin, "xdg-open"), program);
  vi.stubEnv("BROWSER", `no-such-browser:${command.replace("%f", program)}`);
  await openBrowser("https://as.example/");
  expect(await browser.opened()).toBe(expected);
});

onLinux.each([
  ["as its last argument", "no-such-browser:%s/xdg-open -new", "2|-new|https://as.example/?a=%20$&|"],
  ["in its place", "%s/xdg-open --url=%%s -new", "2|--url=https://as.example/?a=%20$&|-new|"],
])(
  "without a display, the program of the variable BROWSER gets the page %s",
  async (_, command, expected) => {
    await using browser = await recordingBrowser();
    vi.stubEnv("DISPLAY", undefined);
    vi.stubEnv("WAYLAND_DISPLAY", undefined);
    const [folder = ""] = (process.env["PATH"] ?? "").split(":");
    vi.stubEnv("BROWSER", command.replace("%s/", `${folder}/`).replace("%%s", "%s"));
    await openBrowser("https://as.example/?a=%20$&");
    expect(await browser.opened()).toBe(expected);
  },
);
