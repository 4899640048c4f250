import { expect, test } from "vitest";

import { publishedPackages, root } from "../src/packages.ts";
import { versionsOfSelves } from "../src/version/raise.ts";

test("all sources and manifests of a commit have the same version", () => {
  const [first] = publishedPackages();
  expect(new Set(versionsOfSelves(root))).toEqual(new Set([first?.manifest.version]));
});
