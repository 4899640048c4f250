import { connect } from "./connect.ts";

const [url = "http://127.0.0.1:3000/mcp", title = "Buy milk"] = process.argv.slice(2);
const { session, authorized } = await connect(url);
// The login was for reading. Adding a note asks the user for one more scope.
await authorized(() => session.callTool({ name: "add_note", arguments: { title } }));
const { content } = await session.callTool({ name: "list_notes", arguments: {} });
process.stdout.write(`${JSON.stringify(content)}\n`);
await session.close();
