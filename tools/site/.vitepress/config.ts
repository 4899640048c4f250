import { readFileSync } from "node:fs";
import { join } from "node:path";

import { defineConfig } from "vitepress";

import { apiGroups } from "../src/api-pages.ts";
import { groupBelow, guideGroups } from "../src/navigation.ts";
import { origin, root } from "../src/place.ts";
import { sources } from "../src/sources.ts";

/** Whether only a few guides are built, for tests. */
const isPart = process.env["TENON_SITE"] === "sample";
const pages = sources(root);
const { version } = JSON.parse(readFileSync(join(root, "packages/sdk/package.json"), "utf8")) as {
  readonly version: string;
};
const index = readFileSync(join(root, "docs/README.md"), "utf8");

export default defineConfig({
  title: "Tenon",
  description: "Model Context Protocol servers, clients and hosts in TypeScript",
  lang: "en",
  srcDir: "content",
  cleanUrls: true,
  lastUpdated: false,
  sitemap: { hostname: origin },
  head: [
    ["link", { rel: "icon", href: "/icon.svg", type: "image/svg+xml" }],
    ["meta", { name: "theme-color", content: "#3a48c9" }],
  ],
  // A part of the site has links to the rest of it.
  ignoreDeadLinks: isPart,
  srcExclude: [
    "public/**",
    ...(isPart ? ["{api,examples,packages,project}/**", "guide/!(index|tools|migrating|inspector).md"] : []),
  ],
  markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  themeConfig: {
    logo: "/icon.svg",
    search: {
      provider: "local",
      options: {
        // The index of all signatures would be eight times as long as that of the guides.
        _render: (source, env, markdown) =>
          env.relativePath.startsWith("api/") ? "" : markdown.render(source, env),
      },
    },
    // A name of a control contains its text.
    notFound: { linkLabel: "Take me home" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/", activeMatch: "^/guide/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
      { text: "Packages", link: "/packages/sdk", activeMatch: "^/packages/" },
      { text: "Playground", link: "/playground" },
      { text: "Examples", link: "/examples/quickstart", activeMatch: "^/examples/" },
      {
        text: version,
        items: [
          { text: "Versions and support", link: "/project/versioning" },
          { text: "Conformance", link: "/project/conformance" },
          { text: "Speed", link: "/project/bench" },
          { text: "Releases", link: "https://github.com/tenon-mcp/tenon/releases" },
        ],
      },
    ],
    sidebar: {
      "/guide/": guideGroups(index, pages),
      "/packages/": [groupBelow("packages/", "Packages", pages)],
      "/examples/": [groupBelow("examples/", "Examples", pages)],
      "/project/": [groupBelow("project/", "Project", pages)],
      "/api/": apiGroups(),
    },
    socialLinks: [{ icon: "github", link: "https://github.com/tenon-mcp/tenon" }],
    editLink: {
      pattern: ({ frontmatter }) =>
        `https://github.com/tenon-mcp/tenon/edit/main/${String(frontmatter["source"] ?? "README.md")}`,
      text: "Change this page",
    },
    footer: { message: "MIT licensed." },
  },
});
