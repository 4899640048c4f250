import { expect, test } from "vitest";

import { isSource } from "../src/dev/watch-files.ts";
import { hasColor } from "../src/output/color.ts";
import { resourceText } from "../src/output/content.ts";
import { describeError } from "../src/output/error.ts";
import { visible, visibleJson } from "../src/output/escape.ts";
import { createProgressLine } from "../src/output/progress.ts";
import { parametersOf, typeOf } from "../src/output/signature.ts";
import { table } from "../src/output/table.ts";
import { cutTo, widthOf, wrap } from "../src/output/width.ts";
import { showProgress } from "../src/session/progress.ts";
import { Interrupted } from "../src/shell.ts";
import { fixture, tenon } from "./support.ts";

const notes = fixture("notes.mjs");
const escape = "\u001b[";

test.each([
  [["--color", "always"], { NO_COLOR: "1" }, false, true],
  [["--color", "never"], { FORCE_COLOR: "1" }, true, false],
  [[], { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  [[], { FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  [[], { FORCE_COLOR: "0" }, true, false],
  [[], { TERM: "dumb" }, true, false],
  [[], {}, true, true],
  [[], {}, false, false],
])("with %j, %j and a terminal: %s, the color is %s", async (flags, env, isTTY, expected) => {
  const { stdout } = await tenon(["tools", notes, ...flags], { env, isTTY });
  expect(stdout.includes(escape)).toBe(expected);
});

test("auto leaves the choice to the environment", () => {
  expect(hasColor("auto", { NO_COLOR: "1" }, { isTTY: true, write() {} })).toBe(false);
  expect(hasColor("auto", { NO_COLOR: "" }, { isTTY: true, write() {} })).toBe(true);
});

test("what a terminal obeys is shown, also in JSON, which means the same", () => {
  const hostile = "a\u001b]0;title\u0007\u009b2J\u202eb\u2028\r\nc\td";
  expect(visible(hostile)).toBe("a\\x1b]0;title\\x07\\x9b2J\\u202eb\\u2028\nc\td");
  expect(JSON.parse(visibleJson({ hostile }))).toEqual({ hostile });
  // eslint-disable-next-line no-control-regex -- what a terminal obeys
  expect(visibleJson({ hostile }, 2)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
});

test("signatures show required parameters first, references, unions and constants", () => {
  const schema = {
    type: "object",
    properties: {
      mode: { enum: ["fast", "slow"] },
      node: { $ref: "#/$defs/node" },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      list: { type: "array", items: { type: ["string", "null"] } },
      fixed: { const: 3 },
      open: true,
    },
    required: ["node"],
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  };
  expect(parametersOf(schema)).toBe(
    '(node: { next?: … }, mode?: "fast" | "slow", either?: string | null, list?: (string | null)[], fixed?: 3, open?: any)',
  );
  expect(typeOf({ $ref: "#/$defs/missing" })).toBe("any");
});

test("names are never cut, and texts are, by columns and not by characters", () => {
  expect(widthOf("日本")).toBe(4);
  expect(widthOf(`${escape}1mbold${escape}22m`)).toBe(4);
  expect(cutTo("日本語", 5)).toBe("日本…");
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  const address = "https://example.com/a/very/long/address";
  const lines = table([[address, "text", "a description of it"]], { width: 44 });
  expect(lines[0]).toContain(address);
  expect(lines.slice(1).every((line) => widthOf(line) <= 44)).toBe(true);
});

test.each([
  [0, "Connecting to a server …"],
  [10, "Connecti…"],
])("the progress line fits a terminal of %d columns; 0 means that its size is unknown", (columns, shown) => {
  const written: unknown[] = [];
  const line = createProgressLine({ isTTY: true, columns, write: (text) => written.push(text) });
  line.show("Connecting to a server …");
  expect(written).toEqual([`\r\u001b[K${shown}`]);
});

test("progress without a terminal is printed as lines, one per second, and not for short calls", () => {
  const lines: string[] = [];
  let time = 0;
  const show = showProgress(
    { hasProgressLine: false, progress: () => {}, note: (line) => void lines.push(line) },
    "index",
    () => time,
  );
  for (; time < 3000; time += 100) {
    show({ progressToken: 1, progress: time, total: 10_000, message: "files\n" });
  }
  expect(lines).toEqual(["index 1000/10000 10 % files", "index 2000/10000 20 % files"]);
});

test("an interruption stays one if the connection can then not be closed", () => {
  const failed = Object.assign(new Error("The connection cannot be closed."), {
    name: "SuppressedError",
    suppressed: new Interrupted(),
  });
  expect(describeError(failed).kind).toBe("interrupted");
});

test.each([
  [
    'The call of "ping" timed out: no response or progress for 5 ms (timeoutMs). Increase it, or have the receiver report progress.',
    'The call of "ping" timed out: no response or progress for 5 ms.',
  ],
  [
    "x timed out: no response within the total timeout (totalTimeoutMs). Increase it.",
    "x timed out: no response within the total timeout.",
  ],
  [
    "The response exceeds the limit of 9 (maxMessageBytes). Increase limits.maxMessageBytes, or request less at a time.",
    "The response exceeds the limit of 9.",
  ],
  [
    'prompts/list requires the capability prompts, which the server has not declared. To send it anyway, set strictness: "lenient".',
    "prompts/list requires the capability prompts, which the server has not declared.",
  ],
  [
    "The server's list of tools has more than 5 pages (maxPages).",
    "The server's list of tools has more than 5 pages.",
  ],
  [
    "The MCP server requires authorization. Call login() to ask the user for it.",
    "The MCP server requires authorization.",
  ],
])("a message for people names no option or function of a library: %s", (message, said) => {
  expect(describeError(new Error(message)).message).toBe(said);
});

test("the size of binary contents is that of its bytes", () => {
  const sizes = [0, 1, 2, 3, 70].map((length) =>
    resourceText({ uri: "x:1", mimeType: "a/b", blob: Buffer.alloc(length).toString("base64") }),
  );
  expect(sizes).toEqual([0, 1, 2, 3, 70].map((length) => `[a/b x:1, ${length} bytes]`));
});

test("dev restarts for files of a program, and for none that a server writes", () => {
  const names = [
    "a.ts",
    "lib/b.mjs",
    "c.jsx",
    ".env",
    "data.json",
    "server.log",
    "node_modules/x/y.js",
    "a.db",
  ];
  expect(names.filter(isSource)).toEqual(["a.ts", "lib/b.mjs", "c.jsx", ".env"]);
});
