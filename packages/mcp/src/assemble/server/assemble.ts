import { errorSink, systemClock } from "@tenon/base";
import type { Implementation } from "@tenon/protocol";

import { limitsOf } from "../../base/limits.ts";
import { toleranceOf } from "../../base/strictness.ts";
import type { ServerCacheHints } from "../../feature/cache/define.ts";
import { checkHints, hintsFor, type FullCacheHints } from "../../feature/cache/server.ts";
import { completionFeature } from "../../feature/completion/server.ts";
import { Extensions } from "../../feature/extensions/registry.ts";
import { answering } from "../../feature/interaction/server.ts";
import { interactionService } from "../../feature/interaction/server/options.ts";
import { livenessFeature } from "../../feature/liveness/server.ts";
import { LoggingFeature } from "../../feature/logging/server.ts";
import { PromptsFeature } from "../../feature/prompts/server.ts";
import { ResourcesFeature } from "../../feature/resources/server.ts";
import { rootsFeature } from "../../feature/roots/server.ts";
import { subscriptionsFeature } from "../../feature/subscriptions/server.ts";
import type { ExtensionFields } from "../../feature/subscriptions/server/extension-fields.ts";
import type { Listen } from "../../feature/subscriptions/server/listens.ts";
import { Publisher } from "../../feature/subscriptions/server/publish.ts";
import { ToolsFeature } from "../../feature/tools/server.ts";
import { insteadOfUnsent } from "../../feature/tools/server/tool-error.ts";
import { declarationOf } from "../../request/capabilities.ts";
import { checkImplementation } from "../../request/implementation.ts";
import { MiddlewareStack } from "../../request/middleware.ts";
import {
  loadFeatures,
  serverMethods,
  type FeatureSetup,
  type ServerFeature,
} from "../../request/server/feature.ts";
import { serverLimits } from "../../request/server/limits.ts";
import type { InnerServerRequest, ServerRequest } from "../../request/server/request.ts";
import type { InnerServerSession, ServerSession } from "../../request/server/session.ts";
import { spokenRevisions, type SpokenRevisions } from "../../revisions/index.ts";
import { keepAliveOf, keepingAlive } from "../../session/keep-alive.ts";
import type { ServerDefinition } from "../../session/server/definition.ts";
import { reportUnsent } from "../../session/server/report-unsent.ts";
import { knowing, timing } from "../../session/server/serve.ts";
import { dispatchByMethod } from "../dispatch.ts";
import { checkOptionNames } from "../option-names.ts";
import { serverOptionNames, type ServerOptions } from "./options.ts";

/** The parts of a server: its features with an API, and the parts that its sessions share. */
export interface ServerParts {
  readonly definition: ServerDefinition;
  readonly options: ServerOptions;
  readonly tools: ToolsFeature;
  readonly prompts: PromptsFeature;
  readonly resources: ResourcesFeature;
  readonly publisher: Publisher;
  readonly extensionFields: ExtensionFields;
  /** Adds caching hints to the results of a method of an extension. */
  hint(method: string): void;
  /** Loads the code of the features in use; `undefined` if it is loaded. */
  load(): Promise<unknown> | undefined;
}

/**
 * Puts a server together.
 *
 * @throws `McpError` `INVALID_DEFINITION` for options that make no sense.
 */
export function assembleServer(
  info: Implementation,
  options: ServerOptions,
  sessions: Iterable<InnerServerSession>,
  owner: object,
): ServerParts {
  checkImplementation(info);
  checkOptionNames("new Server", options, serverOptionNames, serverLimits);
  checkOptionNames(
    "interaction",
    options.interaction ?? {},
    "stateKeys principal allowUnsealedState",
    serverLimits,
  );
  checkOptionNames("cache", options.cache ?? {}, "ttlMs cacheScope methods");
  const limits = limitsOf(options.limits, serverLimits);
  const { instructions, clock = systemClock } = options;
  const onError = errorSink(options.onError);
  const revisions = spokenRevisions(options.revisions);
  const listens = new Set<Listen>();
  const extensionFields: ExtensionFields = { fields: new Map(), listening: new Map() };
  const publisher = new Publisher({
    sessions: () => sessions,
    listens,
    listChangedDelayMs: limits.listChangedDelayMs,
    onChange: options.onChange,
    clock,
    onError,
  });
  const setup: FeatureSetup = {
    declared: options.capabilities ?? {},
    pageSize: limits.pageSize,
    clock,
    onError,
    listChanged: (method) => {
      publisher.listChanged(method);
    },
  };
  const tools = new ToolsFeature(setup);
  const prompts = new PromptsFeature(setup);
  const resources = new ResourcesFeature(setup);
  const logging = new LoggingFeature({
    options: loggingOf(options),
    intervalMs: limits.logIntervalMs,
    clock,
    onError,
  });
  const { onSubscribe, onUnsubscribe } = options;
  const extensions = new Extensions<InnerServerRequest>(options.extensions);
  const keepAlive = keepAliveOf(options.keepAlive);
  const features: readonly ServerFeature[] = [
    livenessFeature({ revisions, instructions, capabilities: (rules) => declaration.capabilities(rules) }),
    tools,
    prompts,
    resources,
    completionFeature(setup, prompts, resources, options.onComplete),
    logging,
    extensions,
    rootsFeature(options.onRootsListChanged),
    subscriptionsFeature({
      maxSubscriptions: limits.maxSubscriptions,
      onError,
      running: listens,
      extensionFields,
      declares: (path) => declaration.declares(path),
      onSubscribe,
      onUnsubscribe,
    }),
    { load: () => (keepAlive === undefined ? undefined : keepingAlive.load()) },
    { load: () => (resources.isOffered() ? knowing.load() : undefined) },
    { load: () => (limits.handlerTimeoutMs < Infinity || tools.isTimed ? timing.load() : undefined) },
  ];
  const declaration = declarationOf(features);
  const methods = serverMethods(features);
  const defaults = options.cache ?? {};
  const hints = allHints(defaults, revisions);
  const interactions = interactionService(options.interaction ?? {}, limits, onError, info.name);
  const definition: ServerDefinition = {
    owner,
    info,
    instructions,
    revisions,
    methods,
    hooks: new Map(),
    middleware: new MiddlewareStack<ServerRequest, InnerServerRequest, ServerSession | undefined>(
      answering(dispatchByMethod(methods, extensions)),
    ),
    interactions,
    addedUri: (canonical) => resources.resources.get(canonical)?.resource.uri,
    extensions,
    hints,
    logging,
    limits,
    tools,
    clock,
    keepAlive,
    onError,
    declaration,
    onUnsent: reportUnsent(onError, insteadOfUnsent),
    tolerate: toleranceOf(options.strictness, onError),
  };
  return {
    definition,
    options,
    tools,
    prompts,
    resources,
    publisher,
    extensionFields,
    hint: (method) => hints.set(method, hintsFor(defaults, method)),
    load: () => loadFeatures(features),
  };
}

function loggingOf({ logging }: ServerOptions): Exclude<ServerOptions["logging"], boolean> {
  if (typeof logging === "boolean") {
    return logging ? {} : undefined;
  }
  checkOptionNames("logging", logging ?? {}, "name level", serverLimits);
  return logging;
}

function allHints(hints: ServerCacheHints, { modern }: SpokenRevisions): Map<string, FullCacheHints> {
  checkHints(hints, "the server");
  for (const [method, own] of Object.entries(hints.methods ?? {})) {
    checkHints(own, method);
  }
  const all = modern.flatMap(({ methods }) => Object.entries(methods));
  const cacheable = all.filter(([, info]) => info.cacheable === true);
  return new Map(cacheable.map(([method]) => [method, hintsFor(hints, method)]));
}
