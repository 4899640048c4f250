/** @jsxImportSource react */
/** @jsxRuntime automatic */
import {
  useCall,
  usePrompt,
  usePrompts,
  useResource,
  useResources,
  useResourceTemplates,
  useServer,
  useTools,
} from "@tenon/react";
import { StrictMode, type ReactElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

import type { PageProbe, ProbeProps, Seen } from "../probe.ts";
import { Shop } from "./shop.tsx";

declare global {
  interface Window {
    probe?: PageProbe;
  }
}

const seen: Seen[] = [];

/** Uses each hook, and shows what they return to the test. */
function Probe({ url, revision, uri, prompt, topic, watch, name = "probe" }: ProbeProps): ReactNode {
  const server = useServer(url, {
    info: { name, version: "1.0.0" },
    inputs: ["form", "url"],
    client: { revisions: [revision as never] },
  });
  const state: Seen = {
    server,
    tools: useTools(server),
    prompts: usePrompts(server),
    resources: useResources(server),
    templates: useResourceTemplates(server),
    resource: useResource(server, uri, { watch }),
    prompt: usePrompt(server, prompt, topic === undefined ? undefined : { topic }),
    call: useCall(server, "work"),
    other: useCall(server, "ask"),
  };
  seen.push(state);
  return null;
}

const url = new URL(location.href).searchParams.get("shop");
const container = document.body.appendChild(document.createElement("div"));
const root = createRoot(container);
const render = (page: ReactElement | null): void => root.render(<StrictMode>{page}</StrictMode>);
if (url !== null) {
  render(<Shop url={url} />);
}
window.probe = {
  clear: () => void seen.splice(0),
  count: (condition) => seen.filter(condition).length,
  last: () => seen[seen.length - 1] as Seen,
  show: (props) => render(props && <Probe {...props} />),
};
