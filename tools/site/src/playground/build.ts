import { join } from "node:path";

import { rolldown } from "rolldown";

import { root } from "../place.ts";
import { programs } from "./programs.ts";

/** The files of the playground. */
export interface Playground {
  /** The document of the frame that runs programs. It needs no other file. */
  readonly frame: string;
  /** The page. */
  readonly page: string;
}

/** Builds the playground. */
export async function buildPlayground(): Promise<Playground> {
  const bundle = await rolldown({
    input: join(root, "tools/site/src/browser/stage.ts"),
    platform: "browser",
    tsconfig: false,
    logLevel: "warn",
    resolve: { conditionNames: ["browser", "import", "default"] },
  });
  const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code }] = output;
  return { frame: frameOf(code), page: pageOf() };
}

function frameOf(script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Messages of the program</title>
</head>
<body>
<div id="app"><p class="boot" role="status">Loading the inspector…</p></div>
<script>${script.replaceAll("</script", "<\\/script")}</script>
</body>
</html>
`;
}

function pageOf(): string {
  return `---
layout: page
sidebar: false
aside: false
title: Playground
---

<script setup>
const programs = ${JSON.stringify(programs()).replaceAll("<", "\\u003c")};
</script>

<Playground :programs="programs" />
`;
}
