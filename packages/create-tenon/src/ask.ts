import { createInterface, type Interface } from "node:readline/promises";

/** Requests input from the user. */
export interface Questions {
  text(question: string, usual: string): Promise<string>;
  choice(question: string, options: readonly (readonly [name: string, title: string])[]): Promise<string>;
  close(): void;
}

/** Requests input at the terminal of this process. Enter alone selects the default. */
export function askAtTerminal(): Questions {
  const terminal: Interface = createInterface(process.stdin, process.stderr);
  const text = async (question: string, usual: string): Promise<string> => {
    const answer = await terminal.question(`${question} (${usual}) `);
    return answer.trim() || usual;
  };
  return {
    text,
    async choice(question, options) {
      const rows = options.map(([name, title], at) => `  ${at + 1}  ${name.padEnd(10)} ${title}`);
      process.stderr.write(`${question}\n${rows.join("\n")}\n`);
      const answer = await text("Name or number", options[0]?.[0] ?? "");
      return options[Number(answer) - 1]?.[0] ?? answer;
    },
    close: () => terminal.close(),
  };
}
