import { firstModern, latestLegacy, revisions } from "@tenon/protocol";
import { expect, test } from "vitest";

import { downConvertCapabilities, lackingCapabilities } from "../src/feature/interaction/capability.ts";
import { rulesOf } from "../src/revisions/index.ts";
import type { RevisionRules } from "../src/revisions/rules.ts";

const rules = rulesOf(firstModern);

/** The rules of a revision in which speech is a part of sampling, and text its implied part. */
const speaking: RevisionRules = {
  ...rules,
  clientCapabilities: { ...rules.clientCapabilities, sampling: new Set(["text", "speech"]) },
  requiredParts: {
    ...rules.requiredParts,
    "sampling/createMessage": [
      { path: "sampling.speech", member: "voice" },
      { path: "sampling.speech", member: "output", value: "audio" },
      { path: "sampling.text" },
    ],
  },
  impliedParts: { ...rules.impliedParts, sampling: "text" },
};

/** What a client lacks for `sampling/createMessage`, by the rules of that revision. */
const lacking = (sampling: object | undefined, params: object): unknown =>
  lackingCapabilities(
    sampling === undefined ? {} : { sampling },
    { method: "sampling/createMessage", params },
    speaking,
  );

test("the tables of a revision say which part of a capability a request to a client needs", () => {
  expect(lacking({ text: {} }, { voice: "ada" })).toEqual({ sampling: { speech: {} } });
  expect(lacking({ text: {} }, { output: "audio" })).toEqual({ sampling: { speech: {} } });
  expect(lacking({ text: {} }, { output: "text" })).toBeUndefined();
  expect(lacking({ speech: {} }, { voice: "ada" })).toBeUndefined();
  expect(lacking(undefined, {})).toEqual({ sampling: { text: {} } });
});

test("a capability without parts means its implied part alone, and that part is not meant beside others", () => {
  expect(lacking({}, {})).toBeUndefined();
  expect(lacking({}, { voice: "ada" })).toEqual({ sampling: { speech: {} } });
  expect(lacking({ speech: {} }, {})).toEqual({ sampling: { text: {} } });
});

test("a revision without a part drops the capability if it would then mean its implied part", () => {
  const mute = { ...speaking, clientCapabilities: { sampling: new Set(["text"]) } };
  expect(downConvertCapabilities({ sampling: { speech: {} } } as object, mute)).toEqual({});
  expect(downConvertCapabilities({ sampling: { speech: {}, text: {} } } as object, mute)).toEqual({
    sampling: { text: {} },
  });
  expect(downConvertCapabilities({ sampling: {} }, mute)).toEqual({ sampling: {} });
});

test("capabilities that no revision lists are kept in every revision", () => {
  for (const revision of revisions) {
    expect(downConvertCapabilities({ experimental: { x: {} } }, rulesOf(revision))).toEqual({
      experimental: { x: {} },
    });
  }
  const elicitation = { elicitation: { url: {} } };
  expect(downConvertCapabilities(elicitation, rulesOf(latestLegacy))).toEqual(elicitation);
});
