/**
 * A deviation that other programs were seen to make, and what Tenon does. `docs/compatibility.md`
 * shows these rows; the suites of this folder have a test for each row and role.
 */
export interface Row {
  /** What is sent. */
  readonly sent: string;
  /** What the client does with it, if a server sends it. */
  readonly client?: string;
  /** What the server does with it, if a client sends it. */
  readonly server?: string;
  /** What the host and the command line do with it. */
  readonly host?: string;
  /** The report, or the rule. */
  readonly source: string;
}

/** The rows, by the names of their tests. */
export const rows = {
  "slow-start": {
    sent: "the first response arrives after `probeTimeoutMs`, and the responses to `server/discover` and `initialize` arrive together",
    client:
      "`server/discover` stays pending; its late result makes the session modern, even after a successful `initialize`. The era is not cached",
    source: "uvx and npx cold starts; servers of Python 2.x and Go 1.8; serverless hosting",
  },
  "probe-5xx": {
    sent: "HTTP 5xx, 403, HTML or a closed connection in response to `server/discover`",
    client: "sends `initialize` once; if that fails too, the error contains both",
    source: "sonarqube-mcp-server#336, go-sdk#1014",
  },
  "probe-ignored": {
    sent: "no response to `server/discover` at all",
    client: "sends `initialize` after `probeTimeoutMs`; after about a second if a program responds to `ping`",
    source: "csharp-sdk#1765, rust-sdk#1088",
  },
  "probe-redirected": {
    sent: "`-32022`, or another error with `data.supported`, in response to `initialize`",
    client: "sends `server/discover` in a version of the list",
    source: "R-192; Python 2.x",
  },
  "cursor-empty": {
    sent: 'a legacy list that ends with `nextCursor: ""`',
    client: "ends the list",
    host: "the same, also `tenon list`",
    source: "java-sdk#628",
  },
  "cursor-stuck": {
    sent: "a cursor that was returned before, with the same page or another",
    client: "keeps what it has, and warns (`repeatedCursor`); `strict` fails",
    host: "keeps what it has; event `list_incomplete`",
    source: "codebase-memory-mcp#1247",
  },
  "cursor-kind": {
    sent: "a `nextCursor` that is not a string, such as `false` or 0",
    client: "keeps what it has, and warns (`repeatedCursor`); `strict` fails",
    host: "keeps what it has; event `list_incomplete`",
    source: "R-566",
  },
  "content-form": {
    sent: "the `content` of a result as a string, as one block, or as a list of strings",
    client: "reads it as blocks, and warns (`oddContent`); `strict` fails",
    source: "S-051",
  },
  "initialized-refused": {
    sent: "400, 405, 406, 415, 422, 500 or 501 in response to `notifications/initialized`",
    client: "opens the session, and warns (`refusedNotification`); `strict` fails",
    source: "hyperdx#2686, node-red-contrib-mcp-server#1",
  },
  "type-of-json": {
    sent: "200 with a response in JSON, and `text/plain` or no `Content-Type`",
    client: "accepts the response if it has the ID of the request",
    source: "java-sdk#748, helidon-mcp#97",
  },
  "batch-of-responses": {
    sent: "a response in a list, in versions without batches",
    client: "accepts the response",
    source: "R-399",
  },
  "id-with-point": {
    sent: "a request ID with a decimal point, such as `1.0`, in a response",
    client: "matches it to the request",
    source: "Lua, and libraries of Java that read all numbers as `double`",
  },
  "response-invalid": {
    sent: "a response that has no payload or a string as its error, or that is not encoded in UTF-8",
    client: "rejects the call at once",
    source: "a result that is `undefined`; Python on Windows",
  },
  null: {
    sent: "null for anything optional",
    client: "treats it as absent",
    server: "treats it as absent, also `params: null`, `arguments: null` and arguments of prompts",
    host: "treats it as absent",
    source: "zed#20387, mcp.el#85",
  },
  "empty-array": {
    sent: "`[]` for an empty object, as PHP and Lua write it",
    client: "treats it as `{}` in capabilities and as a result",
    server: "treats it as `{}` in capabilities and as `arguments`",
    host: "treats it as `{}` or as absent in definitions of tools",
    source: "bricks-mcp#45",
  },
  "id-as-string": {
    sent: "the number of a request ID or progress token as a string",
    client: "matches it to the request",
    source: "python-sdk#1720",
  },
  "error-without-id": {
    sent: "an error with the ID null on a stream",
    client:
      "if exactly one call is pending and the error cannot belong to a notification, rejects that call with the error; otherwise reports the message of the error",
    source: "JSON-RPC 2.0, section 5",
  },
  "null-beside": {
    sent: "`error: null` next to a result, or `result: null` next to an error",
    client: "ignores the null",
    source: "JSON-RPC 1.0",
  },
  "no-version": {
    sent: "a `serverInfo` without a version",
    client: "keeps the name, and warns (`incompleteServer`); `strict` fails",
    source: "R-164",
  },
  "answer-elsewhere": {
    sent: "202 for a request, and its response on the standalone stream",
    client: "waits for the response while the stream is open",
    source: "python-sdk#1661, ruby-sdk#323",
  },
  "get-without-stream": {
    sent: "200 with HTML or JSON in response to the GET of the standalone stream",
    client: "continues without the stream, as after a 405",
    source: "punkpeye/mcp-proxy#62",
  },
  "session-gone": {
    sent: "404 for a request in a session, after a restart",
    client: "opens a new session and repeats every request, because none of them ran",
    source: "typescript-sdk#1708, rust-sdk#733",
  },
  "output-schema": {
    sent: "an `outputSchema` that cannot be used: dialect, pattern, reference",
    client: "returns the result, and warns (`unusableOutputSchema`); `strict` fails",
    host: "returns the result",
    source: "git-mcp-server#40, claude-code#76257",
  },
  "output-mismatch": {
    sent: "structured content that does not match its `outputSchema`",
    client: "rejects with `INVALID_RESULT`, whose `result` is the result; `lenient` returns it",
    source: "R-471",
  },
  "blank-lines": {
    sent: "lines of white space on stdio",
    client: "skips them",
    server: "skips them",
    source: "R-250",
  },
  "accept-events": {
    sent: "`Accept: text/event-stream` without JSON",
    server: "responds with a stream of one event",
    source: "python-sdk#2349",
  },
  "initialize-twice": {
    sent: "a second `initialize` on one stream, through a bridge with one child process",
    server: "accepts it, and warns (`repeatedInitialize`); `strict` rejects it",
    source: "supergateway",
  },
  "initialize-dead-session": {
    sent: "`initialize` with the ID of an old session",
    server: "opens a new session",
    source: "bridges and hosts after a restart",
  },
  "level-without-session": {
    sent: "`logging/setLevel` without a session",
    server: "responds, without an effect",
    source: "clients of Go, Python and rmcp",
  },
  "batch-without-session": {
    sent: "a batch of 2025-03-26 without a session",
    server: "serves it; a server with `authorize` rejects it",
    source: "R-395",
  },
  "uri-form": {
    sent: "the URI of a listed resource in normalized form",
    server: "reads the resource",
    source: "RFC 3986, section 6",
  },
  "union-input": {
    sent: "a union as the input schema of a tool, such as `z.discriminatedUnion`",
    server: 'adds `type: "object"` at the root',
    source: "typescript-sdk#1643, #2145",
  },
  "capability-by-mistake": {
    sent: "a capability without the method of its list (`-32601`)",
    host: "the list is empty; `tenon list` prints the others",
    source: "nx-mcp",
  },
  "config-empty": {
    sent: "a configuration file that is empty, or has only comments, or settings without servers",
    host: "there are no servers, which is not an error",
    source: "files of Claude Desktop and Codex before the first server",
  },
  "config-unknown-key": {
    sent: "servers under a key that no host uses, such as `mcpServer`",
    host: "an error that names the known keys",
    source: "typing errors",
  },
  "config-encoding": {
    sent: "a configuration file in UTF-16, with a byte order mark, or in Windows-1252",
    host: "reads it",
    source: "Notepad and PowerShell (`>`)",
  },
  "config-comments": {
    sent: "comments and trailing commas in JSON",
    host: "reads it",
    source: "VS Code, Zed",
  },
  "config-dollar": {
    sent: "`$NAME` in files of Gemini CLI, Crush and Goose",
    host: "replaces it there only: elsewhere, a `$` without braces may be part of a password",
    source: "documentation of these hosts",
  },
  "config-braces": {
    sent: "`{env:NAME}` and `{file:path}` in files of opencode",
    host: "replaces them there only",
    source: "documentation of opencode",
  },
  "config-dialect": {
    sent: "the files of other hosts: `servers`, `context_servers`, `mcp`, `amp.mcpServers`, `extensions`, `mcp_servers` in TOML",
    host: "reads them; `dialect` names the format",
    source: "VS Code, Zed, opencode and Crush, Amp, Goose, Codex",
  },
  "config-command": {
    sent: "`$(…)` in files of Crush, which is a command of the shell",
    host: "does not run it: the entry is an error, and the other entries are read",
    source: "documentation of Crush",
  },
  "config-timeout": {
    sent: "`timeout` in seconds or in milliseconds",
    host: "at most 3600 are seconds, more are milliseconds",
    source: "Cline, Roo Code and Zed; Claude Code and Copilot",
  },
} as const satisfies Readonly<Record<string, Row>>;

/** The name of a row. */
export type RowName = keyof typeof rows;

/** The names of the rows that have a text for a role. */
export type RowsOf<Role extends "client" | "server" | "host"> = {
  [K in RowName]: (typeof rows)[K] extends Readonly<Record<Role, string>> ? K : never;
}[RowName];
