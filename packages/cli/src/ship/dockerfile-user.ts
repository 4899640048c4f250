/**
 * The user of the image that a Dockerfile makes, which its last stage determines. A stage that
 * begins with another stage has its user, and an image called `nonroot` has that user. `undefined`
 * if the Dockerfile names none.
 */
export function dockerfileUser(text: string): string | undefined {
  const users = new Map<string, string | undefined>();
  let name = "";
  let user: string | undefined;
  for (const line of instructionsOf(text)) {
    const [, word = "", rest = ""] = /^\s*(\w+)\s+(.*?)\s*$/.exec(line) ?? [];
    switch (word.toUpperCase()) {
      case "FROM": {
        const [, base = "", alias = ""] =
          /^(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?/i.exec(rest.toLowerCase()) ?? [];
        // Images without a shell have a variant of this name, whose user is not root.
        user = users.has(base) ? users.get(base) : /[:-]nonroot\b/.test(base) ? "nonroot" : undefined;
        name = alias;
        break;
      }
      case "USER":
        user = rest.replaceAll(/["']/g, "");
        break;
      default:
    }
    users.set(name, user);
  }
  return user;
}

/** One line per instruction, without comments and heredocs. */
function instructionsOf(text: string): readonly string[] {
  const instructions: string[] = [];
  /** The marks at which open heredocs end. */
  let ends: readonly string[] = [];
  let begun = "";
  for (const line of text.split(/\r?\n/)) {
    const [end] = ends;
    if (end !== undefined) {
      ends = line.trimStart() === end ? ends.slice(1) : ends;
    } else if (!/^\s*(?:#|$)/.test(line)) {
      const isOpen = /\\\s*$/.test(line);
      begun += isOpen ? line.replace(/\\\s*$/, " ") : line;
      if (!isOpen) {
        ends = /^\s*(?:RUN|COPY|ADD)\s/i.test(begun)
          ? [...begun.matchAll(/<<-?(["']?)(\w+)\1/g)].map(([, , word = ""]) => word)
          : [];
        instructions.push(begun);
        begun = "";
      }
    }
  }
  return instructions;
}
