// Answers every line with the same text, so that nothing but the way of the message takes time.
const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}\n';
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  process.stdout.write(answer.repeat(lines.length));
});
