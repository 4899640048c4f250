import { clientSecret, createOAuth } from "@tenon/auth/client";
import { staticToken } from "@tenon/http/client";
import { expect, test } from "vitest";

/** What a program passes if it reads an environment variable that is not set. */
const absent = [undefined, null, ""] as unknown as readonly string[];

test.each(absent)("a token that is %j is refused, and not sent as a word", (token) => {
  expect(() => staticToken(token)).toThrow("staticToken needs a token of ASCII characters");
});

test.each(["Bearer abc", "a b", "a\nb", "caf\u00e9"])(
  "a token %j is refused without being shown",
  (token) => {
    expect(() => staticToken(token)).toThrow(`got ${token.length} characters.`);
  },
);

test.each(["abc", "1|aBc", "a.b-c_d~e+f/g=="])("a token %s is sent as it is", async (token) => {
  const request = { url: new URL("https://a.example"), method: "POST", signal: AbortSignal.abort() };
  expect(await staticToken(token).headers(request)).toEqual({ authorization: `Bearer ${token}` });
});

test.each(absent)("a secret of a client that is %j is refused", (secret) => {
  expect(() => clientSecret(secret)).toThrow("clientSecret needs the secret, a string; got ");
});

test("a login without a grant is refused", () => {
  const options = { server: "https://a.example/mcp" } as Parameters<typeof createOAuth>[0];
  expect(() => createOAuth(options)).toThrow("createOAuth needs a grant");
});
