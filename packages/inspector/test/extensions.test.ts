import { networkInterfaces } from "node:os";

import { apps } from "@tenon/apps/server";
import { startInspector } from "@tenon/inspector/node";
import { RpcError, wrapTransport } from "@tenon/jsonrpc2";
import { Server } from "@tenon/mcp";
import { createSkillCatalog, skills } from "@tenon/skills/server";
import { bothEras } from "@tenon/test-support";
import { chromiumPath, startChromium } from "@tenon/test-support/chromium";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import type { SkillFileReport, SkillList, ViewReport } from "../src/wire/verdict.ts";
import { logIn, type FakeBrowser } from "./support/browser.ts";
import { demoServer } from "./support/demo-server.ts";
import { mapView } from "./support/map-view.ts";
import { openInspector } from "./support/open.ts";

const manifest = "---\nname: pdf\ndescription: Reads PDF files\n---\n\n# PDF\n";

async function withSkills(revision: (typeof bothEras)[number], tampers: boolean): Promise<FakeBrowser> {
  const server = new Server({ name: "skilled", version: "1.0.0" });
  server.use(skills(await createSkillCatalog([{ path: "pdf", files: { "SKILL.md": manifest } }])));
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const transport = wrapTransport(here, {
    onRead: (incoming) =>
      tampers
        ? (JSON.parse(JSON.stringify(incoming).replaceAll("# PDF", "# XYZ")) as typeof incoming)
        : incoming,
  });
  const browser = await logIn({
    source: { kind: "live", label: "memory", transport, client: { revisions: [revision] } },
  });
  await browser.state(({ source }) => source.phase === "open");
  return browser;
}

test.each(bothEras)(
  "the skills of a server are listed, read and compared with their digests (%s)",
  async (revision) => {
    const browser = await withSkills(revision, false);
    const list = (await browser.act({ do: "skills" })) as SkillList;
    expect(list).toMatchObject({ skills: [{ frontmatter: { name: "pdf" } }], problems: [] });
    const { uri } = list.skills[0] as { uri: string };
    const file = (await browser.act({ do: "skill", uri })) as SkillFileReport;
    expect(file).toMatchObject({
      text: manifest,
      verdict: { verdict: "ok" },
      digest: expect.stringMatching(/^sha256:/),
    });
    await expect(browser.act({ do: "skill", uri, path: "other.md" })).rejects.toThrow("other.md");
    await browser.inspector.close();
  },
);

test.each(bothEras)(
  "a file that was changed on its way is not shown, and its digests are (%s)",
  async (revision) => {
    const browser = await withSkills(revision, true);
    const { skills: found } = (await browser.act({ do: "skills" })) as SkillList;
    const file = (await browser.act({
      do: "skill",
      uri: (found[0] as { uri: string }).uri,
    })) as SkillFileReport;
    expect(file.verdict).toMatchObject({
      verdict: "problem",
      found: expect.stringContaining("must have the digest sha256:"),
    });
    expect(file.text).toBeUndefined();
    await browser.inspector.close();
  },
);

test("a view is loaded with its policy, and a view sends no other request than those of views", async () => {
  const [here, there] = createInMemoryTransports();
  await (await demoServer()).connect(there);
  const browser = await logIn({ source: { kind: "live", label: "memory", transport: here } });
  await browser.state(({ source }) => source.phase === "open");
  const view = (await browser.act({ do: "view", uri: "ui://weather/map" })) as ViewReport;
  expect(view.policy).toContain("connect-src https://tiles.example");
  expect(view.html).toContain("Weather map");
  await expect(browser.act({ do: "view", uri: "weather://stations" })).rejects.toThrow("must name a view");
  await expect(browser.act({ do: "request", method: "prompts/get", params: {} })).rejects.toThrow(
    "Expected one of",
  );
  const result = await browser.act({ do: "request", method: "tools/call", params: { name: "refresh" } });
  expect(result).toMatchObject({ content: [{ text: "It rains." }] });
  await browser.inspector.close();
});

test("the page may frame the sandbox and nothing else", async () => {
  const source = { kind: "tap", label: "host" } as const;
  const browser = await logIn({ source, sandbox: "http://127.0.0.1:5000/" });
  const policy = async (path: string): Promise<string | null> =>
    (await browser.send(path)).headers.get("content-security-policy");
  expect(await policy("")).toMatch(/; frame-src http:\/\/127\.0\.0\.1:5000$/);
  await browser.inspector.close();
  const without = await logIn({ source });
  expect((await without.send("")).headers.get("content-security-policy")).not.toContain("frame-src");
  await without.inspector.close();
});

test("an inspector at an address of IPv6 has no sandbox, and any other has one", async () => {
  const source = { kind: "tap", label: "host" } as const;
  const policyAt = async (host: "127.0.0.1" | "::1"): Promise<string | null> => {
    await using started = await startInspector({ source, host });
    return (await fetch(started.url)).headers.get("content-security-policy");
  };
  expect(await policyAt("127.0.0.1")).toContain("frame-src http://127.0.0.1:");
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === "::1"),
  );
  if (hasIpv6) {
    expect(await policyAt("::1")).not.toContain("frame-src");
  }
});

test.skipIf(chromiumPath === undefined)(
  "a view runs in a sandbox on another origin, calls its server, and reaches nothing else (skipped without Chromium)",
  async () => {
    await using browser = await startChromium();
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await page.getByRole("button", { name: "Apps" }).click();
    await page.getByRole("button", { name: "Call the tool and show the view" }).click();
    const view = page.frameLocator("iframe[title='View of map']").frameLocator("iframe");
    await view.getByText("City: Oslo").waitFor();
    await view.getByText("The sky over Oslo is clear.").waitFor();
    await view.getByRole("button", { name: "Ask again" }).click();
    await view.getByText("It rains.").waitFor();
    const log = page.getByRole("log", { name: "What the view did" });
    await log.getByText("tools/call, done").waitFor();
    await log.getByText('{"reached":"blocked","top":"blocked"}').waitFor();
    const frames = page
      .frames()
      .map((frame) => new URL(frame.url() === "about:srcdoc" ? "about:srcdoc" : frame.url()).origin);
    expect(new Set(frames).size).toBe(3);
    await page.getByRole("button", { name: "End the view" }).click();
    await page.locator("iframe").waitFor({ state: "detached" });
    // Chromium reports each request that the policy of the view has blocked.
    expect(errors.filter((text) => !text.includes("evil.example"))).toEqual([]);
  },
);

test.skipIf(chromiumPath === undefined)(
  "a view whose tool fails is told, and stays until the person ends it (skipped without Chromium)",
  async () => {
    const server = new Server({ name: "weather", version: "1.0.0" });
    const html = mapView.replace(
      "} else if (data.id !== undefined) {",
      `} else if (data.method === "ui/notifications/tool-cancelled") {
        show("result", "Cancelled: " + data.params.reason);
      } else if (data.id !== undefined) {`,
    );
    server.use(apps({ views: [{ uri: "ui://weather/map", html }] }));
    server.addTool({ name: "map", ui: "ui://weather/map" }, () => {
      throw new RpcError(-32_000, "There is no map.");
    });
    await using browser = await startChromium();
    await using opened = await openInspector(browser, server);
    const { page } = opened;
    await page.getByRole("button", { name: "Apps" }).click();
    await page.getByRole("button", { name: "Call the tool and show the view" }).click();
    const view = page.frameLocator("iframe[title='View of map']").frameLocator("iframe");
    await view.getByText(/^Cancelled: .*There is no map\./).waitFor();
    await page.getByRole("button", { name: "End the view" }).click();
    await page.locator("iframe").waitFor({ state: "detached" });
  },
);

test.skipIf(chromiumPath === undefined)(
  "the page lists skills and shows the verdict of a file (skipped without Chromium)",
  async () => {
    await using browser = await startChromium();
    await using opened = await openInspector(browser, await demoServer());
    const { page, errors } = opened;
    await page.keyboard.press("0");
    await page.getByRole("button", { name: /^Read references\/sizes\.md/ }).click();
    await page.getByText("A child needs 70 cm.").waitFor();
    await page.getByText(/^Size and digest are as listed: sha256:/).waitFor();
    expect(errors).toEqual([]);
  },
);
