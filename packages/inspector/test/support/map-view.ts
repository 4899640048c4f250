/**
 * A view that is written without a library: it shakes hands, shows the input and the result, calls
 * a tool of its server, and tries to reach what it may not reach.
 */
export const mapView = `<!doctype html>
<meta charset="utf-8">
<title>Weather map</title>
<style>
  body { margin: 0; padding: 16px; font: 15px system-ui, sans-serif; background: #e8f3fb; color: #14324a; }
  svg { display: block; width: 100%; height: 120px; margin-bottom: 8px; }
  button { font: inherit; }
</style>
<body>
<svg viewBox="0 0 400 120" aria-hidden="true">
  <path d="M0 120 L70 60 L130 96 L210 30 L300 88 L400 46 V120 Z" fill="#9cc3a5"/>
  <circle cx="330" cy="34" r="18" fill="#f6c84c"/>
</svg>
<p id="input"></p>
<p id="result"></p>
<button id="refresh">Ask again</button>
<script>
  let count = 0;
  const open = new Map();
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = (method, params) =>
    new Promise((resolve) => {
      count++;
      open.set(count, resolve);
      send({ id: count, method, params });
    });
  const show = (id, text) => { document.getElementById(id).textContent = text; };
  addEventListener("message", ({ data }) => {
    if (data.id !== undefined && data.method === undefined) {
      open.get(data.id)?.(data);
    } else if (data.method === "ui/notifications/tool-input") {
      show("input", "City: " + data.params.arguments.city);
    } else if (data.method === "ui/notifications/tool-result") {
      show("result", data.params.content[0].text);
    } else if (data.id !== undefined) {
      send({ id: data.id, result: {} });
    }
  });
  document.getElementById("refresh").addEventListener("click", async () => {
    const { result } = await request("tools/call", { name: "refresh", arguments: {} });
    show("result", result.content[0].text);
    const reached = await fetch("https://evil.example/").then(() => "reached", () => "blocked");
    let top = "blocked";
    try { top = String(parent.document); } catch {}
    send({ method: "notifications/message", params: { level: "info", data: { reached, top } } });
  });
  request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "weather-map", version: "1.0.0" },
    appCapabilities: {},
  }).then(() => send({ method: "ui/notifications/initialized", params: {} }));
</script>
`;
