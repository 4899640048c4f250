/** The secrets of the corpus: none of them may come out of anything that redacts. */
export const canaries = {
  /** As people choose them. */
  password: "Canary-horse-7Q",
  /** Without a digit. */
  word: "canarystaplebattery",
  hex: "ca4a51e0ca4a51e0ca4a51e0ca4a51e0",
  number: 482_913_377,
};

const { password, word, hex, number } = canaries;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const jwt = `eyJhbGciOiJIUzI1NiJ9.${base64(`{"sub":"${password}"}`)}.${hex}`;
const basic = base64(`ann:${password}`);

/** Matches every canary, in each of its encodings. */
export const canary = new RegExp(
  [
    password,
    word,
    hex,
    String(number),
    basic.replace(/=+$/, ""),
    base64(`{"sub":"${password}"}`).slice(0, 12),
    encodeURIComponent("Canary horse"),
    "48291-3377",
  ].join("|"),
);

/** A secret in one of the shapes in which secrets travel. */
export interface SecretShape {
  readonly title: string;
  /** A value of JSON that contains a canary. */
  readonly value: unknown;
  /** What must stay readable of it. */
  readonly keeps?: string;
}

const named = (names: string, value: unknown): readonly SecretShape[] =>
  names
    .split(" ")
    .map((name) => ({ title: `property ${name}`, value: { [name]: value, city: "Oslo" }, keeps: "Oslo" }));

const texts = (
  list: Readonly<Record<string, readonly [text: string, keeps?: string]>>,
): readonly SecretShape[] =>
  Object.entries(list).map(([title, [value, keeps]]) => ({
    title,
    value,
    ...(keeps === undefined ? {} : { keeps }),
  }));

/** Every shape in which a secret travels. */
export const secretShapes: readonly SecretShape[] = [
  ...named(
    "token accessToken access_token ACCESS_TOKEN refreshToken idToken apiKey api_key API_KEY APIKEY x-api-key password Password userPassword db_password passwd pwd passphrase passcode secret clientSecret client_secret AWS_SECRET_ACCESS_KEY private_key signingKey encryption-key accountKey authorization Authorization proxyAuthorization cookie setCookie credentials jwt pat GITHUB_PAT otp pin userPin dsn SENTRY_DSN connectionString bearer csrfToken authtoken clientsecret recovery_code authCode _auth _authToken cvv",
    word,
  ),
  ...named("password pin otp passcode userPin token api_key cvv", number),
  {
    title: "object under a secret name",
    value: { credentials: { user: password, more: [{ deep: number }] } },
  },
  { title: "list under a secret name", value: { tokens: [word, hex] } },
  { title: "nested JSON", value: { a: [{ b: { password: word } }], c: "kept" }, keeps: "kept" },
  {
    title: "data that is called properties",
    value: { properties: { password: word, secret: { value: word } } },
  },
  {
    title: "default of a secret in a schema",
    value: { properties: { password: { type: "string", default: word }, city: { type: "string" } } },
    keeps: "city",
  },
  {
    title: "examples of a secret in a schema",
    value: { properties: { apiKey: { type: "string", examples: [word] } } },
  },
  {
    title: "map of headers",
    value: {
      headers: {
        Authorization: `Bearer ${word}`,
        "X-Api-Key": word,
        Cookie: `sid=${word}`,
        Accept: "text/html",
      },
    },
    keeps: "text/html",
  },
  {
    title: "map of headers with lists",
    value: { headers: { "set-cookie": [`sid=${word}; Path=/`], vary: ["origin"] } },
    keeps: "origin",
  },
  {
    title: "list of headers as objects",
    value: {
      headers: [
        { name: "Authorization", value: `Token ${word}` },
        { name: "accept", value: "text/html" },
      ],
    },
    keeps: "text/html",
  },
  { title: "list of headers as keys", value: [{ key: "X-Auth-Token", value: word }] },
  {
    title: "list of headers as pairs",
    value: {
      headers: [
        ["authorization", word],
        ["accept", "text/html"],
      ],
    },
    keeps: "text/html",
  },
  {
    title: "flat list of headers",
    value: { rawHeaders: ["Accept", "text/html", "Authorization", word, "X-Api-Key", word] },
    keeps: "text/html",
  },
  {
    title: "list of header lines",
    value: [`Authorization: Bearer ${word}`, `X-Api-Key: ${word}`, "Accept: text/html"],
    keeps: "text/html",
  },
  { title: "list of cookies", value: { cookies: [{ name: "sid", value: word }] } },
  {
    title: "list of variables",
    value: {
      env: [
        { name: "DB_PASSWORD", value: word },
        { name: "LANG", value: "nb_NO" },
      ],
    },
    keeps: "nb_NO",
  },
  { title: "variables", value: { env: { GITHUB_TOKEN: word, DB_PASS: word, PATH: "/bin" } }, keeps: "/bin" },
  {
    title: "options of a command, apart",
    value: { args: ["server", "--token", word, "--port", "80"] },
    keeps: "80",
  },
  {
    title: "options of a command, joined",
    value: { args: ["server", `--api-key=${word}`, "--verbose"] },
    keeps: "--verbose",
  },
  {
    title: "option with a header",
    value: ["curl", "-H", `Authorization: ${word}`, "https://x.test/"],
    keeps: "x.test",
  },
  { title: "option with a header, glued", value: ["curl", `-HX-Api-Key: ${word}`] },
  { title: "option with a user", value: ["curl", "-u", `ann:${word}`] },
  { title: "option with variables", value: ["run", "-e", `DB_PASSWORD=${word}`, "--env", `KEY=${word}`] },
  ...texts({
    "query of a URL": [`see https://x.test/a?api_key=${word}&page=2 for more`, "page=2"],
    "query of a URL, access_token": [`https://x.test/cb?access_token=${hex}`],
    "query of a URL, signature": [`https://b.test/f?X-Amz-Signature=${hex}&X-Amz-Date=2026`, "2026"],
    "query of a URL, sig": [`https://b.test/f?sv=2026&sig=${word}`, "sv=2026"],
    "query of a URL, key": [`https://maps.test/?q=Oslo&key=${password}`, "q=Oslo"],
    "query of a URL, code": [`http://127.0.0.1:1234/callback?code=${hex}&iss=x`, "iss=x"],
    "query of a URL, encoded name": [`https://x.test/?client%5Fsecret=${word}`],
    "fragment of a URL": [`https://x.test/#access_token=${word}&state=1`, "state=1"],
    "URL in a URL": [`https://x.test/login?next=${encodeURIComponent(`https://y.test/?token=${word}`)}`],
    "user in a URL": [`postgres://ann:${word}@db.test:5432/app`, "db.test:5432/app"],
    "token as the user of a URL": [`https://${word}@git.test/a.git`, "git.test/a.git"],
    "password with an at sign": [`https://ann:p@${word}@x.test/`, "x.test"],
    "relative address": [`GET /cb?access_token=${word} 302`, "302"],
    "form body": [
      `grant_type=refresh_token&refresh_token=${word}&client_secret=${word}&scope=a`,
      "grant_type=refresh_token",
    ],
    "form body with a code": [`grant_type=authorization_code&code=${hex}`, "authorization_code"],
    "form body, password": [`user=ann&password=${encodeURIComponent("Canary horse")}`, "user=ann"],
    "JSON in a string": [JSON.stringify({ password: word, city: "Oslo" }), "Oslo"],
    "JSON in JSON in a string": [
      JSON.stringify({ body: JSON.stringify({ token: number, city: "Oslo" }) }),
      "Oslo",
    ],
    "JSON in a sentence": [`the server sent {"apiKey": "${word}", "n": 1} and ended`, "and ended"],
    "JSON that was cut": [`{"a":1,"client_secret":"${word}","b":{"c`, '"a":1'],
    "escaped JSON in a sentence": [String.raw`body: "{\"password\":\"${word}\"}"`],
    "number in JSON that was cut": [`{"pin": ${number}, "a": [`],
    "lines of JSON": [`{"token":"${word}"}\n{"city":"Oslo"}`, "Oslo"],
    "object as Node prints it": [`{ user: 'ann', password: '${word}' }`, "ann"],
    "variable of a shell": [`export API_KEY=${word}\nexport LANG=nb`, "LANG=nb"],
    "variable in quotes": [`SECRET_KEY="${word}"`],
    ".env file": [`PORT=80\nDB_PASSWORD=${word}\nDATABASE_URL=postgres://u:${word}@h/d\n`, "PORT=80"],
    YAML: [`user: ann\npassword: ${word}\n`, "user: ann"],
    ".npmrc": [`//registry.test/:_authToken=${word}`, "registry.test"],
    ".netrc": [`machine x.test login ann password ${word}`, "machine x.test"],
    "connection string": [`Server=db;Database=app;User Id=ann;Password=${word};Encrypt=true`, "Encrypt=true"],
    "account key": [
      `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${hex};EndpointSuffix=x`,
      "AccountName=a",
    ],
    "command, option apart": [`npx server --token ${hex} --port 80`, "--port 80"],
    "command, option joined": [`npx server --token=${word} --port 80`, "--port 80"],
    "command, option in quotes": [`npx server --password "${word}" --port 80`, "--port 80"],
    "command, header": [`curl -H "Authorization: Bearer ${word}" https://x.test/`, "x.test"],
    "command, header of a key": [`curl -H 'X-Api-Key: ${word}' https://x.test/`, "x.test"],
    "command, user": [`curl -u ann:${word} https://x.test/`, "x.test"],
    "header Authorization": [`Authorization: Bearer ${word}`],
    "header Authorization without scheme": [`authorization: ${word}`],
    "header of a key": [`X-Api-Key: ${word}`],
    "headers of a request": [
      `POST /mcp HTTP/1.1\r\nHost: x.test\r\nCookie: a=b; sid=${word}\r\nAccept: */*\r\n`,
      "Host: x.test",
    ],
    "Set-Cookie": [`Set-Cookie: sid=${word}; Path=/; HttpOnly`],
    "Bearer in a sentence": [`the request with Bearer ${word} was refused`, "was refused"],
    "Basic in a sentence": [`the request with Basic ${basic} was refused`, "was refused"],
    "JWT in a sentence": [`invalid signature of ${jwt}`, "invalid signature"],
    "error with a value in quotes": [
      `authentication failed: password "${password}7" is wrong`,
      "authentication failed",
    ],
    "error with a URL": [`Error: connect ECONNREFUSED redis://:${word}@10.0.0.1:6379`, "ECONNREFUSED"],
    "error with an assignment": [`ValueError: invalid api_key=${word} (status 401)`, "status 401"],
    "error with a colon": [`Incorrect API key provided, token: ${hex}. See the docs.`, "See the docs"],
    "private key": [`-----BEGIN RSA PRIVATE KEY-----\n${hex}\n-----END RSA PRIVATE KEY-----\nafter`, "after"],
    "private key of PGP": [
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${hex}\n-----END PGP PRIVATE KEY BLOCK-----\nafter`,
      "after",
    ],
    "private key that was cut": [`-----BEGIN PRIVATE KEY-----\n${hex}`],
    webhook: [`https://hooks.slack.com/services/T00/B00/${hex}`, "hooks.slack.com"],
    "element of XML": [`<server><id>a</id><password>${word}</password></server>`, "<id>a</id>"],
    "token in colors": [`\u001B[32mghp_${hex}\u001B[0m`],
    "token in an escaped string of a URL": [`/path/%22ghp_${hex}%22`, "/path/%22"],
    "token of Telegram": [`https://api.telegram.org/bot123456789:AA${hex}/send`, "/send"],
    "secret of a PKCE request": [`https://x.test/token?code_verifier=${word}&a=b`, "a=b"],
    "token of OpenAI": [`key sk-proj-${hex}`],
    "token of Anthropic": [`sk-ant-api03-${hex}`],
    "token of Stripe": [`sk_live_${hex}`],
    "token of GitHub": [`ghp_${hex}`],
    "token of GitHub, new": [`github_pat_${hex}`],
    "token of GitLab": [`glpat-${hex}`],
    "token of Slack": [`xoxb-1-${hex}`],
    "token of npm": [`npm_${hex}`],
    "token of Hugging Face": [`hf_${hex}`],
    "token of Google": [`AIza${hex}`],
    "token of Google OAuth": [`ya29.${hex}`],
    "token of SendGrid": [`SG.${hex}.${hex}`],
    "token of Shopify": [`shpat_${hex}`],
    "token of DigitalOcean": [`dop_v1_${hex}`],
    "token of Vault": [`hvs.${hex}`],
    "token of Groq": [`gsk_${hex}`],
    "token of PyPI": [`pypi-${hex}`],
  }),
  {
    title: "private JSON Web Key",
    value: { kty: "EC", crv: "P-256", x: "public", d: hex },
    keeps: "public",
  },
  {
    title: "private JSON Web Keys in a string",
    value: JSON.stringify({
      keys: [{ kty: "RSA", n: "public", e: "AQAB", d: word, p: word, q: word, qi: word }],
    }),
    keeps: "public",
  },
  { title: "shared JSON Web Key", value: { jwk: { kty: "oct", k: word, kid: "1" } }, keeps: "kid" },
  ...named("code_verifier device_code client_assertion mnemonic seedPhrase passwort", word),
  { title: "token as the name of a property", value: { [`ghp_${hex}`]: 1 } },
  {
    title: "option with an assignment",
    value: `kubectl create secret generic a --from-literal=password=${word}`,
  },
  { title: "list of keys and values in capitals", value: [{ Key: "Password", Value: word }] },
  {
    title: "text in base64",
    value: { uri: "file:///.env", mimeType: "text/plain", blob: base64(`API_KEY=${word}\n`) },
  },
  {
    title: "text in base64 that has lines",
    value: {
      uri: "file:///.env",
      blob: base64(`# Where the service runs, and how\nREGION=north\nAPI_KEY=${word}\n`).replaceAll(
        /.{76}/g,
        "$&\r\n",
      ),
    },
  },
];

/** What contains no secret, although it looks like it. It must come out unchanged. */
export const readable: readonly unknown[] = [
  {
    progressToken: "p-1",
    maxTokens: 100,
    inputTokens: 12,
    tokens: 512,
    nextPageToken: "abc",
    nextCursor: "c2",
  },
  { Key: "City", Value: "Oslo" },
  "description: |\n  The password is asked for below.\nnext: >-\n  plain",
  '<input type="text" name="city" value="Oslo"> and <input type="password" name="p">',
  "git checkout -b feature/a=b --set=level=3 --flag",
  { token_endpoint: "https://as.test/token", token_type: "bearer", expires_in: 3600, passwordRequired: true },
  { authorization_servers: ["https://as.test"], authorization_endpoint: "https://as.test/authorize" },
  {
    type: "object",
    properties: { password: { type: "string", minLength: 8 }, token: true },
    required: ["password", "token"],
  },
  {
    key: "value",
    keys: ["a", "b"],
    code: 404,
    session: "morning",
    author: "Ann",
    secretary: "Bo",
    pinned: true,
  },
  { pass: 3, fail: 1, signature: "(a: number) => void", monkey: "x", keyboard: "qwerty", tokenizer: "bpe" },
  { kty: "EC", crv: "P-256", x: "public", y: "public", kid: "1", use: "sig" },
  { d: "M0 0h1", p: 3, k: "x", assertions: 12, assertion: "a > b" },
  "<p>The <b>password</b> is too short.</p> <token>string</token>",
  { name: "get_token", arguments: { value: "plain" }, tags: ["secret", "public"] },
  { id: "9f8e7d6c-5b4a-3928-1706-f5e4d3c2b1a0", hash: "9f8e7d6c5b4a39281706f5e4d3c2b1a0" },
  "Pass --api-key with your key, or set API_KEY=$KEY or API_KEY=<your key>.",
  "The password must have at least 8 characters, and the token must be a string.",
  "Invalid token: expected string, received undefined",
  "Bearer token required; Basic authentication is refused. Basic usage: see below.",
  "https://x.test/search?q=tokens&page=2&lang=nb&sort_key=name#top",
  "git+ssh://git@github.test/a/b.git and mail ann@x.test at 10:30",
  "const token = readToken(); if (token === undefined) { throw new Error(`x`); }",
  "task-runner sk-learn scikit pk_columns risk-free 12:30 a=1 b: 2",
  '{"a": [1, 2, {"b": "c"}], "unchanged":   true}',
  "data:image/png;base64,iVBORw0KGgo=",
  { type: "image", mimeType: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" },
  { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "Oslo: 12 °C" }], isError: false } },
];
