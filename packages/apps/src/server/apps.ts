import { checkOptionNames, reportError } from "@tenon/base";
import { defineServerExtension, textResource, type Server, type ServerExtension } from "@tenon/mcp";

import { extension, viewType } from "../wire/names.ts";
import { hasApps } from "./has-apps.ts";
import { readToolView, type ToolView } from "./tool-option.ts";
import { readView, type ViewDefinition } from "./view.ts";

/** Options of {@link apps}. */
export interface AppsOptions {
  /** The views. Tools name them in the option `ui`. */
  readonly views: readonly ViewDefinition[];
  /**
   * Called when a client without views calls a tool that is for views only, once per tool: the
   * client shows the tool to its model. Its own errors are dropped. By default nothing happens.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Serves views, and links tools to them. Clients without views see ordinary tools with
 * text as their results.
 *
 * @example
 * server.use(apps({ views: [{ uri: "ui://weather/chart", html: "<!doctype html>…" }] }));
 * server.addTool({ name: "forecast", ui: "ui://weather/chart" }, () => "Sunny");
 *
 * @throws `McpError` `INVALID_DEFINITION` for a view that is not valid. `addTool` throws it for a
 *   tool whose view does not exist.
 * @source SEP-1865, R-709
 */
export function apps(options: AppsOptions): ServerExtension {
  checkOptionNames("apps", options, "views:array onWarning");
  const { views, onWarning } = options;
  if (!Array.isArray(views)) {
    throw new TypeError("apps needs views, an array of definitions.");
  }
  const checked = views.map((view) => ({ view, meta: { ui: readView(view) } }));
  const uris = new Set(views.map(({ uri }) => uri));
  return defineServerExtension({
    id: extension,
    setup: (server, host) => {
      checked.forEach(({ view, meta }) => {
        serveView(server, view, meta);
      });
      const warned = new Set<string>();
      host.addToolOption<string | ToolView>("ui", {
        check: (value, tool) => {
          readToolView(value, tool, uris);
        },
        list: (value) => ({ _meta: { ui: metaOf(typeof value === "string" ? { view: value } : value) } }),
        call: ({ tool: { name }, value, request, run }) => {
          const visibility = typeof value === "string" ? undefined : value.visibility;
          if (visibility?.includes("model") === false && !hasApps(request) && !warned.has(name)) {
            warned.add(name);
            const message = `The tool ${name} is for views, but a client without views has called it.`;
            reportError({ onError: () => onWarning?.(message) }, message);
          }
          return run();
        },
      });
    },
  });
}

function serveView(server: Server, view: ViewDefinition, meta: Record<string, unknown>): void {
  const { uri, name = uri.slice("ui://".length), title, description, html, cache } = view;
  server.addResource(
    { uri, name, title, description, mimeType: viewType, cache, _meta: meta },
    async (_, context) => {
      const text: unknown = typeof html === "string" ? html : await html(context);
      if (typeof text !== "string") {
        throw new TypeError(`html of the view ${uri} must return a string; got ${typeof text}.`);
      }
      return { ...textResource(uri, text, viewType), _meta: meta };
    },
  );
}

function metaOf({ view, visibility }: ToolView): object {
  return {
    ...(view === undefined ? {} : { resourceUri: view }),
    ...(visibility === undefined ? {} : { visibility }),
  };
}
