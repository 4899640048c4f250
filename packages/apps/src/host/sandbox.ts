import { directives, maxSources, sourcePattern } from "../wire/csp.ts";
import { sandboxNotifications } from "../wire/names.ts";
import { permissionFeatures } from "../wire/permissions.ts";
import type { LoadedView } from "./load-view.ts";
import { allowOf } from "./policy.ts";

/** The document of a sandbox proxy, and the headers to send with it. */
export interface SandboxProxy {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The attributes of the frame in which a host shows a sandbox proxy. */
export interface SandboxFrame {
  readonly src: string;
  readonly sandbox: string;
  readonly allow: string;
  readonly referrerpolicy: string;
}

/** Tokens of `sandbox` that a view may have in addition to `allow-scripts`. */
const extraTokens = ["allow-forms", "allow-modals", "allow-pointer-lock"];

/**
 * Makes the document between a host that is a web page and its views. Serve it from another origin
 * than the host, for views alone. It puts the view in a frame with an opaque origin, applies the
 * content security policy to it and to where it may navigate, and passes messages on.
 *
 * @param hostOrigin - The origin of the host: `https://chat.example.com`. The document talks to no
 *   other, and does nothing on the host's own origin.
 * @throws `TypeError` for a value that is not an origin.
 * @source SEP-1865
 */
export function sandboxProxy({ hostOrigin }: { readonly hostOrigin: string }): SandboxProxy {
  // It becomes part of a policy, and hosts of URLs may contain semicolons.
  const isSource = sourcePattern.test(hostOrigin) && !hostOrigin.includes("*");
  if (!isSource || !URL.canParse(hostOrigin) || new URL(hostOrigin).origin !== hostOrigin) {
    throw new TypeError(
      `hostOrigin must be an origin such as https://chat.example.com; got ${JSON.stringify(hostOrigin)}.`,
    );
  }
  const facts = {
    hostOrigin,
    directives,
    maxSources,
    pattern: sourcePattern.source,
    features: permissionFeatures,
    extraTokens,
    ...sandboxNotifications,
  };
  // A script ends at the first "</script", wherever it is.
  const script = `(${proxyScript})(${JSON.stringify(facts).replaceAll("<", "\\u003c")});`;
  return {
    html: `<!doctype html><meta charset="utf-8"><title>View</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style><body><script>${script}</script>`,
    headers: {
      "content-type": "text/html; charset=utf-8",
      // More would also apply to the view, whose policy is its own.
      "content-security-policy": `frame-ancestors ${hostOrigin}`,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  };
}

/**
 * Returns the attributes of the frame that shows the sandbox proxy.
 *
 * @param proxyUrl - The URL of the {@link sandboxProxy}.
 */
export function sandboxFrame(
  proxyUrl: string,
  { permissions }: Pick<LoadedView, "permissions">,
): SandboxFrame {
  return {
    src: proxyUrl,
    // The proxy needs its origin to receive messages. The view inside of it has an opaque one.
    sandbox: ["allow-scripts", "allow-same-origin", ...extraTokens].join(" "),
    allow: allowOf(permissions),
    referrerpolicy: "no-referrer",
  };
}

/**
 * The program of the proxy, as text: it runs on another origin, so it can use nothing from here. A
 * policy in a `meta` element of the proxy also applies to the frame of the view, which inherits it,
 * and to the navigation of this frame.
 */
const proxyScript = `({ hostOrigin, directives, maxSources, pattern, features, extraTokens, proxyReady, resourceReady }) => {
  if (parent === window || location.origin === hostOrigin) {
    throw new Error("Serve the sandbox proxy in a frame, from another origin than " + hostOrigin + ".");
  }
  let frame;
  const isSource = (value) => typeof value === "string" && new RegExp(pattern, "i").test(value);
  const policyOf = (csp) =>
    directives
      .map(([name, own, field]) => {
        const declared = field && Array.isArray(csp[field]) ? csp[field].filter(isSource).slice(0, maxSources) : [];
        return [name, ...(own === "'none'" && declared.length > 0 ? [] : [own]), ...declared].join(" ");
      })
      .join("; ");
  const load = ({ html, csp, permissions, sandbox }) => {
    if (typeof html !== "string") {
      return;
    }
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = policyOf(csp || {});
    document.head.append(policy);
    frame = document.createElement("iframe");
    const wanted = typeof sandbox === "string" ? sandbox.split(/\\s+/) : ["allow-forms"];
    frame.setAttribute("sandbox", ["allow-scripts", ...extraTokens.filter((token) => wanted.includes(token))].join(" "));
    const granted = Object.keys(features).filter((name) => Object.hasOwn(permissions || {}, name));
    frame.allow = granted.map((name) => features[name] + " *").join("; ");
    frame.srcdoc = html;
    document.body.append(frame);
  };
  const isOurs = (data) =>
    typeof data === "object" && data !== null && String(data.method).startsWith("ui/notifications/sandbox-");
  addEventListener("message", ({ source, origin, data }) => {
    if (source === parent && origin === hostOrigin) {
      if (!isOurs(data)) {
        frame?.contentWindow?.postMessage(data, "*");
      } else if (data.method === resourceReady && frame === undefined) {
        load(data.params || {});
      }
    } else if (frame !== undefined && source === frame.contentWindow && !isOurs(data)) {
      parent.postMessage(data, hostOrigin);
    }
  });
  parent.postMessage({ jsonrpc: "2.0", method: proxyReady, params: {} }, hostOrigin);
}`;
