// An official view: it shows the result of its tool, calls another one and follows its host.
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";

const app = new App({ name: "official", version: "1.0.0" }, {});
app.ontoolinput = (params) => void app.sendLog({ level: "info", data: { input: params.arguments } });
app.ontoolresult = ({ content }) => void refresh(content);
app.onteardown = async () => {
  await app.sendLog({ level: "info", data: { end: true } });
  return {};
};
await app.connect(new PostMessageTransport(window.parent, window.parent));

async function refresh(result: unknown): Promise<void> {
  const refreshed = await app.callServerTool({ name: "refresh" });
  await app.sendLog({ level: "info", data: { result, refreshed: refreshed.content } });
}
