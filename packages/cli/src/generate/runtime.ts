/**
 * The part of a generated program that is the same for every server. It needs the constants `info`,
 * `commands` and `definitions`, and the function `transportWith`.
 */
export const runtime: string = String.raw`
class Usage extends Error {}

/** Text of the server, with characters that a terminal would obey as escapes. */
function visible(text) {
  return text.replace(
    /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    (character) => "\\u" + character.codePointAt(0).toString(16).padStart(4, "0"),
  );
}

/** The server would receive null for an infinite number, and a rounded one for more than 53 bits. */
function parseJson(text) {
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const long = numbers.match(/\d{16,308}/g) ?? [];
  const rounded = new Set(long.filter((digits) => BigInt(digits) !== BigInt(Number(digits))).map(Number));
  return JSON.parse(text, (_, value) => {
    if (typeof value === "number" && (Math.abs(value) === Infinity || rounded.has(Math.abs(value)))) {
      throw new RangeError(
        "Number cannot be sent exactly: JavaScript would round it. If the server accepts a string, put the number in quotes.",
      );
    }
    return value;
  });
}

function valueOf({ flag, kind, choices }, text) {
  const wrong = (expected, why = "") =>
    new Usage("--" + flag + " takes " + expected + "; got " + JSON.stringify(text) + "." + why);
  if (choices !== undefined && !choices.includes(text)) {
    throw wrong(choices.join(", "));
  }
  if (kind === "string") {
    return text;
  }
  let value;
  try {
    value = parseJson(text);
  } catch (error) {
    const expected = kind === "json" ? "JSON" : kind === "integer" ? "a whole number" : "a " + kind;
    throw wrong(expected, error instanceof RangeError ? " " + error.message : "");
  }
  if (kind === "integer" ? !Number.isInteger(value) : kind !== "json" && typeof value !== kind) {
    throw wrong(kind === "integer" ? "a whole number" : "a " + kind);
  }
  return value;
}

/** The flag that sets a switch to false, unless another option has its name. */
function oppositeOf({ flag, kind, isList }, options) {
  const name = "no-" + flag;
  return kind === "boolean" && !isList && !options.some((each) => each.flag === name) ? name : undefined;
}

/** Reads the words after the name of a command. */
function parse({ options }, words) {
  const types = {
    help: { type: "boolean", short: "h" },
    header: { type: "string", multiple: true },
    input: { type: "string" },
    json: { type: "boolean" },
  };
  for (const { flag, kind, isList } of options) {
    const isSwitch = kind === "boolean" && !isList;
    types[flag] = isSwitch ? { type: "boolean" } : { type: "string", multiple: isList };
  }
  for (const option of options) {
    const opposite = oppositeOf(option, options);
    if (opposite !== undefined) {
      types[opposite] = { type: "boolean" };
    }
  }
  try {
    return parseArgs({ args: words, options: types, allowPositionals: false }).values;
  } catch (error) {
    throw new Usage(error.message);
  }
}

async function argumentsOf({ options }, values) {
  let text = values.input;
  if (text === "-") {
    text = "";
    for await (const chunk of process.stdin.setEncoding("utf8")) {
      text += chunk;
    }
  }
  const args = text === undefined ? {} : valueOf({ flag: "input", kind: "json" }, text);
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new Usage("--input takes a JSON object.");
  }
  const missing = [];
  for (const option of options) {
    const given = values[oppositeOf(option, options) ?? ""] === true ? false : values[option.flag];
    if (given !== undefined) {
      const value =
        typeof given === "boolean"
          ? given
          : option.isList
            ? given.map((each) => valueOf(option, each))
            : valueOf(option, given);
      Object.defineProperty(args, option.name, { value, enumerable: true, configurable: true, writable: true });
    } else if (option.isRequired && !Object.hasOwn(args, option.name)) {
      missing.push("--" + option.flag);
    }
  }
  if (missing.length > 0) {
    throw new Usage("Missing: " + missing.join(", ") + ".");
  }
  return args;
}

function helpOf({ command, tool, options }) {
  const { description = "" } = definitions.find((each) => each.name === tool) ?? {};
  const rows = options.map(({ flag, kind, choices, isList, isRequired, description: text }) => {
    const value = kind === "boolean" && !isList ? "" : " <" + (choices?.join("|") ?? kind) + ">";
    const marks = (isRequired ? " (required)" : "") + (isList ? " (may be repeated)" : "");
    return ["--" + flag + value, (text + marks).trim()];
  });
  rows.push(["--input <JSON>", "all arguments, or - to read them"], ["--json", "print the result as JSON"]);
  return visible([info.name + " " + command + " [options]", description, "", ...aligned(rows)].join("\n") + "\n");
}

/** Rows of two columns, of which the first is at most 30 wide. */
function aligned(rows) {
  const width = Math.max(...rows.map(([first]) => (first.length <= 30 ? first.length : 0)));
  return rows.map(([first, second]) => {
    const gap = first.length > width ? "\n  " + " ".repeat(width + 2) : " ".repeat(width + 2 - first.length);
    return second === "" ? "  " + first : "  " + first + gap + second;
  });
}

function mainHelp() {
  const rows = commands.map(({ command, tool }) => {
    const { description = "" } = definitions.find((each) => each.name === tool) ?? {};
    return [command, description.split("\n")[0]];
  });
  return visible([info.name + " " + info.version, "", ...aligned(rows), "", info.name + " <command> --help"].join("\n") + "\n");
}

function textOf(block) {
  switch (block.type) {
    case "text":
      return visible(block.text);
    case "resource_link":
      return visible("[" + block.name + ": " + block.uri + "]");
    default:
      return visible("[" + [block.type, block.mimeType ?? block.resource?.uri].filter(Boolean).join(" ") + "]");
  }
}

function headersOf(lines = []) {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) {
        throw new Usage('--header takes "name: value".');
      }
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** Returns the exit code: 0 ok, 1 the tool reports an error, 2 wrong usage, 3 no result. */
async function main([name = "--help", ...words]) {
  if (name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(mainHelp());
    return 0;
  }
  if (name === "--version") {
    process.stdout.write(visible(info.version + "\n"));
    return 0;
  }
  const command = commands.find((each) => each.command === name) ?? commands.find((each) => each.tool === name);
  if (command === undefined) {
    throw new Usage("There is no command " + JSON.stringify(name) + ".");
  }
  const values = parse(command, words);
  if (values.help) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  const args = await argumentsOf(command, values);
  const client = new Client({ name: info.name + "-cli", version: info.version });
  const session = await client.connect(transportWith(headersOf(values.header)));
  try {
    const result = await session.callTool({ name: command.tool, arguments: args });
    const text = result.content.map(textOf).join("\n");
    const shown = text === "" && result.structuredContent !== undefined ? result.structuredContent : undefined;
    process.stdout.write(
      values.json || shown !== undefined ? visible(JSON.stringify(values.json ? result : shown, undefined, 2)) + "\n" : text + "\n",
    );
    return result.isError === true ? 1 : 0;
  } finally {
    await session.close();
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    const isUsage = error instanceof Usage;
    process.stderr.write(visible("error: " + error.message + (isUsage ? " Try --help." : "")) + "\n");
    process.exitCode = isUsage ? 2 : 3;
  },
);
`;
