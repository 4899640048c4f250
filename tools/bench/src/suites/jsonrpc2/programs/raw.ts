import { add } from "../work.ts";

/** Nothing but a loop: split lines, parse, answer. */
const decoration = JSON.parse(process.argv[2] ?? "{}") as object;
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const { id, params } = JSON.parse(line) as { id: number; params: unknown };
    answers += `${JSON.stringify({ jsonrpc: "2.0", id, result: { ...add(params), ...decoration } })}\n`;
  }
  process.stdout.write(answers);
});
