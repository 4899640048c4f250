/** @jsxImportSource react */
/** @jsxRuntime automatic */
import {
  useCall,
  useLogin,
  usePrompt,
  usePrompts,
  useResource,
  useResources,
  useResourceTemplates,
  useServer,
  useTools,
  type LoginProvider,
} from "@tenon/react";
import { StrictMode, useState, type ReactElement, type ReactNode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";

import type { PageProbe, ProbeProps, Seen } from "../probe.ts";
import { Account } from "./account.tsx";
import { RedirectedAccount } from "./redirect.tsx";
import { Menu, ShopProvider } from "./shared.tsx";
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

/**
 * A provider whose authorization server has another origin, and asks no questions. Tests set in
 * `localStorage` what goes wrong.
 */
function createProvider(server: string): LoginProvider & { readonly finished: string[] } {
  let logins = 0;
  const finished: string[] = [];
  return {
    finished,
    async begin() {
      const state = `${++logins}`;
      if (localStorage["holds"] !== undefined) {
        await new Promise((resolve) => addEventListener("resume", resolve, { once: true }));
      }
      const search = new URLSearchParams({ state, back: parameters.get("back") ?? "/callback" });
      return { url: { href: localStorage["href"] ?? `${server}/authorize?${search}` }, state };
    },
    async finish({ searchParams }) {
      finished.push(`${searchParams.get("code")} ${searchParams.get("state")}`);
      if (searchParams.has("error")) {
        throw new Error(`Login failed: ${searchParams.get("error")}.`);
      }
    },
  };
}

/** Logs in by a click, and shows the state of the login. */
function LoginPage({ provider }: { readonly provider: LoginProvider }): ReactElement {
  const [done, setDone] = useState(0);
  const onDone = (): void => {
    setDone((before) => before + 1);
    if (localStorage["throws"] !== undefined) {
      throw new Error("The page is broken.");
    }
  };
  const login = useLogin(provider, onDone, { redirect: parameters.has("back") });
  return (
    <main>
      <button onClick={() => void login.start()}>Log in</button>
      <button onClick={login.cancel}>Cancel</button>
      <output>
        {login.status}, {done} done{login.error instanceof Error && `: ${login.error.message}`}
      </output>
    </main>
  );
}

const parameters = new URL(location.href).searchParams;
const url = parameters.get("shop");
const container = document.body.appendChild(document.createElement("div"));
const root = createRoot(container);
const render = (page: ReactElement | null): void => root.render(<StrictMode>{page}</StrictMode>);
if (url !== null) {
  render(<Shop url={url} />);
}
if (document.body.dataset["endpoint"] !== undefined) {
  render(location.pathname === "/redirect" ? <RedirectedAccount /> : <Account />);
}
const rendered = document.querySelector("main");
if (rendered !== null) {
  const page = (
    <StrictMode>
      <ShopProvider>
        <Menu />
      </ShopProvider>
    </StrictMode>
  );
  hydrateRoot(rendered, page, { onRecoverableError: reportError });
}
const provider = createProvider(parameters.get("login") ?? "");
if (parameters.has("login")) {
  render(<LoginPage provider={provider} />);
}
window.probe = {
  finished: provider.finished,
  clear: () => void seen.splice(0),
  count: (condition) => seen.filter(condition).length,
  last: () => seen[seen.length - 1] as Seen,
  show: (props) => render(props && <Probe {...props} />),
};
