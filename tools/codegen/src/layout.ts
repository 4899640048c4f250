const maxWidth = 110;

/**
 * Lays out declarations that come one member per line, without indentation: two spaces per level, a
 * semicolon after each member, long unions one alternative per line, a blank line between
 * declarations. A formatter proper takes as long as the rest of the generator together, for a
 * grammar this small.
 */
export function layOut(text: string): string {
  const out: string[] = [];
  let depth = 0;
  let inComment = false;
  for (const raw of text.replaceAll(/\{\s*\n\s*\}/g, "{}").split("\n")) {
    const line = raw.trim();
    if (line === "") {
      continue;
    }
    const opensComment = line.startsWith("/**");
    if (inComment || opensComment) {
      if (depth === 0 && opensComment && out.length > 0) {
        out.push("");
      }
      out.push(indent(depth) + (inComment ? ` ${line}` : line));
      inComment = !line.endsWith("*/");
      continue;
    }
    if (depth === 0 && out.length > 0 && out.at(-1)?.endsWith("*/") !== true) {
      out.push("");
    }
    if (line.startsWith("}")) {
      depth -= 1;
    }
    out.push(...member(line, depth));
    if (line.endsWith("{")) {
      depth += 1;
    }
  }
  return `${out.join("\n")}\n`;
}

function member(line: string, depth: number): string[] {
  if (line.endsWith("{")) {
    return [indent(depth) + line];
  }
  if (line === "}" && depth === 0) {
    return [line];
  }
  const plain = withoutParentheses(line);
  if (indent(depth).length + plain.length < maxWidth) {
    return [`${indent(depth)}${plain};`];
  }
  const [head, type] = split(plain);
  const alternatives = type.split(/ \| (?![^(]*\))/);
  if (alternatives.length < 2 || type.includes("{")) {
    return [`${indent(depth)}${plain};`];
  }
  return [
    indent(depth) + head,
    ...alternatives.map(
      (each, index) => `${indent(depth + 1)}| ${each}${index === alternatives.length - 1 ? ";" : ""}`,
    ),
  ];
}

/** `a: (B | C)` as `a: B | C`: without the parentheses that hold the whole type. */
function withoutParentheses(line: string): string {
  const [head, type] = split(line);
  if (!type.startsWith("(") || closing(type) !== type.length - 1) {
    return line;
  }
  return `${head} ${type.slice(1, -1)}`;
}

/** Where the parenthesis at the start of `type` closes. */
function closing(type: string): number {
  let open = 0;
  for (let index = 0; index < type.length; index += 1) {
    if (type[index] === "(") {
      open += 1;
    }
    if (type[index] === ")") {
      open -= 1;
    }
    if (open === 0) {
      return index;
    }
  }
  return -1;
}

/** A member or alias as name and type; the name keeps its `:` or `=`. */
function split(line: string): [head: string, type: string] {
  const at = /^(?:export type \w+ =|"[^"]*"\??:|\[k: string\]:|[\w$]+\??:)/.exec(line)?.[0].length ?? 0;
  return [line.slice(0, at), line.slice(at).trim()];
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}
