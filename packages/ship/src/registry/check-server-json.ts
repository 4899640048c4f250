import { isRecord } from "@tenon/base";

import type { Finding } from "../finding.ts";
import { schemaFindings } from "./schema-findings.ts";
import { serverJsonSchema } from "./server-json-schema.ts";

/** A `server.json` of the registry. */
export interface ServerJson {
  readonly $schema: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly packages?: readonly ServerJsonPackage[];
  readonly remotes?: readonly { readonly type: string; readonly url: string }[];
  readonly [property: string]: unknown;
}

/** A package in a `server.json`. */
export interface ServerJsonPackage {
  readonly registryType: string;
  readonly identifier: string;
  readonly version?: string;
  readonly transport: { readonly type: string };
  readonly [property: string]: unknown;
}

const metaKey = "io.modelcontextprotocol.registry/publisher-provided";
const maxMetaBytes = 4096;

/** The only registries that the official registry accepts packages from. */
const baseUrls: Readonly<Record<string, readonly string[]>> = {
  npm: ["https://registry.npmjs.org"],
  pypi: ["https://pypi.org"],
  nuget: ["https://api.nuget.org/v3/index.json", "https://api.nuget.org"],
};

const imageHosts =
  /^(?:docker\.io|ghcr\.io|mcr\.microsoft\.com|[\w-]+(?:\.[\w-]+)*\.(?:pkg\.dev|azurecr\.io))\//;
/** The form of names that the registry accepts: its schema allows more. */
const strictName = /^[a-z\d][a-z\d.-]*[a-z\d]\/[a-z\d][a-z\d._-]*[a-z\d]$/i;
/** The repositories that the registry accepts, by their source. */
const repositories: Readonly<Record<string, RegExp>> = {
  github: /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+\/?$/,
  gitlab: /^https?:\/\/(?:www\.)?gitlab\.com\/[\w.-]+(?:\/[\w.-]+)+\/?$/,
};
const release =
  /^https:\/\/(?:github\.com\/[^/]+\/[^/]+\/releases\/download|gitlab\.com\/.+\/-\/(?:releases|package_files))\/\S+$/;

/** Whether the registry accepts the address of a repository. */
export function isRepository(url: string, source: string): boolean {
  return Object.hasOwn(repositories, source) && repositories[source]?.test(url) === true;
}

/** Whether the registry accepts an address of a page or of an icon. */
export function isSecure(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === "https:";
}

/**
 * Checks a `server.json`: by the schema of 2025-12-11, and by the rules of the official registry
 * that a schema cannot express. It reports everything at once, and never throws for a bad value.
 *
 * @returns The problems, with JSON pointers as paths, in the order of the file.
 */
export function checkServerJson(value: unknown): readonly Finding[] {
  const findings = [...schemaFindings(serverJsonSchema, value)];
  if (isRecord(value)) {
    findings.push(...semanticFindings(value));
  }
  return findings;
}

function semanticFindings(server: Readonly<Record<string, unknown>>): readonly Finding[] {
  const { icons, name, packages, remotes, title, version, websiteUrl, _meta, repository, status } = server;
  const findings: Finding[] = [];
  const report = (path: string, message: string, severity?: Finding["severity"]): void => {
    findings.push({ path, message, ...(severity === undefined ? {} : { severity }) });
  };
  if (typeof name === "string" && /^io\.modelcontextprotocol(?:\.|\/)/.test(name)) {
    report("/name", "the name space io.modelcontextprotocol is reserved");
  }
  if (typeof name === "string" && /^[\w.-]+\/[\w.-]+$/.test(name) && !strictName.test(name)) {
    report(
      "/name",
      "both parts must have two characters at least, and begin and end with a letter or a digit",
    );
  }
  if (typeof title === "string" && title !== "" && title.trim() === "") {
    report("/title", "must have more than spaces");
  }
  if (typeof websiteUrl === "string" && !isSecure(websiteUrl)) {
    report("/websiteUrl", "must be an https URL");
  }
  (Array.isArray(icons) ? icons : []).forEach((each: unknown, index) => {
    if (isRecord(each) && typeof each["src"] === "string" && !isSecure(each["src"])) {
      report(`/icons/${index}/src`, "must be an https URL");
    }
  });
  checkVersion("/version", version, report);
  if (status !== undefined) {
    report("/status", "the status is set by the registry, not in this file");
  }
  const { source, subfolder, url } = isRecord(repository) ? repository : {};
  if (typeof source === "string" && typeof url === "string" && !isRepository(url, source)) {
    report(
      "/repository/url",
      "must be the address of a repository, such as https://github.com/me/notes, with the source github or gitlab",
    );
  }
  if (
    typeof subfolder === "string" &&
    subfolder !== "" &&
    (!/^[\w./-]+$/.test(subfolder) || subfolder.split("/").some((part) => /^\.{0,2}$/.test(part)))
  ) {
    report("/repository/subfolder", "must be a clean relative path, such as packages/server");
  }
  if (isRecord(_meta)) {
    for (const key of Object.keys(_meta)) {
      if (key !== metaKey) {
        report(`/_meta/${pointer(key)}`, `the registry drops it: it keeps ${metaKey} only`, "warning");
      }
    }
    const bytes = Buffer.byteLength(JSON.stringify(_meta[metaKey] ?? ""));
    if (bytes > maxMetaBytes) {
      report(`/_meta/${pointer(metaKey)}`, `has ${bytes} bytes; there may be ${maxMetaBytes}`);
    }
  }
  const listed = Array.isArray(packages) ? packages : [];
  const reachable = Array.isArray(remotes) ? remotes : [];
  if (listed.length + reachable.length === 0) {
    report("", "there is neither a package nor a remote to install", "warning");
  }
  listed.forEach((each: unknown, index) => {
    if (isRecord(each)) {
      checkPackage(`/packages/${index}`, each, report);
    }
  });
  reachable.forEach((each: unknown, index) => {
    const path = `/remotes/${index}`;
    if (isRecord(each)) {
      checkRemote(path, each, report);
      if (reachable.findIndex((other) => isRecord(other) && other["url"] === each["url"]) < index) {
        report(`${path}/url`, "the same URL is listed before");
      }
    }
  });
  return findings;
}

type Report = (path: string, message: string, severity?: Finding["severity"]) => void;

function checkVersion(path: string, version: unknown, report: Report): void {
  if (typeof version !== "string" || version === "latest") {
    return;
  }
  if (/^[\^~<>=]|\s|\|\||(?:^|\.)[x*](?:\.|$)/i.test(version)) {
    report(path, "must be one version, not a range");
  } else if (!/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version)) {
    report(path, "does not follow semantic versioning, so registries may sort it wrongly", "warning");
  }
}

function checkPackage(path: string, each: Readonly<Record<string, unknown>>, report: Report): void {
  const { registryType, registryBaseUrl, identifier, version, fileSha256, transport } = each;
  const known = typeof registryType === "string" ? baseUrls[registryType] : undefined;
  if (known !== undefined && typeof registryBaseUrl === "string" && !known.includes(registryBaseUrl)) {
    report(`${path}/registryBaseUrl`, `the official registry accepts ${known[0] ?? ""} only`);
  }
  if (registryType !== "npm" && typeof identifier === "string" && identifier.includes(" ")) {
    report(`${path}/identifier`, "must not have spaces");
  }
  if (known !== undefined && version === undefined) {
    report(`${path}/version`, `packages of ${String(registryType)} need a version`);
  }
  checkVersion(`${path}/version`, version, report);
  if (
    registryType === "npm" &&
    typeof identifier === "string" &&
    !/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/.test(identifier)
  ) {
    report(`${path}/identifier`, "must be the name of an npm package");
  }
  if (registryType === "oci") {
    if (typeof identifier === "string" && !imageHosts.test(identifier)) {
      report(`${path}/identifier`, "must begin with a public registry, such as docker.io/ or ghcr.io/");
    }
    for (const property of ["version", "registryBaseUrl"]) {
      if (each[property] !== undefined) {
        report(`${path}/${property}`, "an image has it in its identifier");
      }
    }
  }
  if (registryType === "mcpb") {
    if (typeof identifier === "string" && !release.test(identifier)) {
      report(`${path}/identifier`, "must be the address of a file in a release on GitHub or GitLab");
    }
    if (fileSha256 === undefined) {
      report(`${path}/fileSha256`, "a bundle needs the SHA-256 of its file");
    }
  } else if (known === undefined && registryType !== "oci" && typeof registryType === "string") {
    report(`${path}/registryType`, "must be npm, pypi, nuget, oci or mcpb");
  }
  if (each["runtimeArguments"] !== undefined && each["runtimeHint"] === undefined) {
    report(`${path}/runtimeHint`, "must be set if there are runtimeArguments");
  }
  for (const list of ["environmentVariables", "packageArguments", "runtimeArguments"]) {
    checkInputs(`${path}/${list}`, each[list], list === "environmentVariables", report);
  }
  const type = isRecord(transport) ? transport["type"] : undefined;
  if (isRecord(transport) && type === "stdio" && transport["url"] !== undefined) {
    report(`${path}/transport/url`, "a transport of the type stdio has no URL");
  }
}

function checkRemote(path: string, each: Readonly<Record<string, unknown>>, report: Report): void {
  const { url, variables } = each;
  if (typeof url !== "string") {
    return;
  }
  const named = isRecord(variables) ? Object.keys(variables) : [];
  const used = [...url.matchAll(/\{([a-zA-Z_]\w*)\}/g)].map(([, name = ""]) => name);
  for (const name of used.filter((each) => !named.includes(each))) {
    report(`${path}/url`, `the variable {${name}} is not in variables`);
  }
  const example = url.replaceAll(/\{[a-zA-Z_]\w*\}/g, "x");
  const host = URL.canParse(example) ? new URL(example).hostname : undefined;
  if (used.length === 0 && host === undefined) {
    report(`${path}/url`, "must be a URL");
  } else if (
    host !== undefined &&
    /^(?:(?:.*\.)?localhost$|127\.|0\.0\.0\.0$|\[::1?\]$|10\.|192\.168\.)/.test(host)
  ) {
    report(`${path}/url`, "must be a public address");
  } else if (/^http:/i.test(url)) {
    report(`${path}/url`, "must be an https URL");
  }
  checkInputs(`${path}/headers`, each["headers"], false, report);
}

function checkInputs(path: string, list: unknown, areVariables: boolean, report: Report): void {
  (Array.isArray(list) ? list : []).forEach((each: unknown, index) => {
    if (!isRecord(each)) {
      return;
    }
    const { choices, default: initial, isSecret, name, type, value, valueHint } = each;
    if (areVariables && typeof name === "string" && !/^[A-Za-z_]\w*$/.test(name)) {
      report(`${path}/${index}/name`, "must be the name of a variable");
    }
    if (type === "named" && name === undefined) {
      report(`${path}/${index}/name`, "must be set, with its dashes, such as --root");
    }
    if (type === "positional" && valueHint === undefined && value === undefined) {
      report(`${path}/${index}`, "a positional argument needs a valueHint or a value");
    }
    if (Array.isArray(choices) && initial !== undefined && !choices.includes(initial)) {
      report(`${path}/${index}/default`, "must be one of the choices");
    }
    if (type === "named" && typeof name === "string" && name !== "") {
      if (/[<>$ ]/.test(name)) {
        report(`${path}/${index}/name`, "must be the name alone, such as --root");
      }
      for (const [property, text] of Object.entries({ value, default: initial })) {
        if (typeof text === "string" && text.startsWith(name)) {
          report(`${path}/${index}/${property}`, `must not repeat the name ${name}`);
        }
      }
    }
    const preset = value ?? initial;
    if (isSecret === true && typeof preset === "string" && !/\{\w+\}/.test(preset)) {
      report(
        `${path}/${index}/${value === undefined ? "default" : "value"}`,
        "a secret would be public here",
      );
    }
  });
}

function pointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
