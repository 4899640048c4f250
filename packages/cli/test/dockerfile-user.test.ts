import { expect, test } from "vitest";

import { dockerfileUser } from "../src/ship/dockerfile-user.ts";

test.each([
  ["FROM node AS b\nUSER node\nFROM node\nCOPY --from=b /a /a", undefined],
  ["FROM node\nUSER root\nUSER node", "node"],
  ["FROM node\nUSER node\nUSER root", "root"],
  ["FROM --platform=linux/amd64 node AS Base\nUSER 1000:1000\nFROM x\nFROM base\nRUN a", "1000:1000"],
  ["FROM node AS b\nUSER node\nFROM b as c\nUSER 0:1000\nFROM c", "0:1000"],
  ["FROM node\nRUN a \\\n# note\nUSER node", undefined],
  ["FROM node\nRUN cat <<EOF > a\nUSER node\nEOF", undefined],
  ["FROM node\r\nRUN cat <<-'EOF' > a\r\nUSER root\r\n\tEOF\r\nuser \"node\"\r\n", "node"],
  ["FROM golang AS b\nFROM gcr.io/distroless/static-debian12:nonroot\nCOPY --from=b /a /a", "nonroot"],
  ["FROM gcr.io/distroless/nodejs22-debian12:debug-nonroot\nUSER 0", "0"],
  ["FROM node AS nonroot\nFROM nonroot", undefined],
])("the user of an image is the user of its last stage: %j has %s", (text, user) => {
  expect(dockerfileUser(text)).toBe(user);
});
