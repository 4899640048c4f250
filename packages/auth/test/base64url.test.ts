import { expect, test } from "vitest";

import { fromBase64url, toBase64url } from "../src/shared/base64url.ts";

test("every sequence of bytes has one form in base64url, and no other is read", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (const start of ["Q", "QU", "AAAAQ", "_-_-_-"]) {
    for (const last of alphabet) {
      const text = start + last;
      const bytes = fromBase64url(text);
      if (bytes !== undefined) {
        expect(toBase64url(bytes)).toBe(text);
      }
    }
  }
  expect(fromBase64url("QQ")).toEqual(new Uint8Array([65]));
  for (const text of ["QR", "QS", "Qf", "QUF", "Q", "QUJDQ", "QQ==", "Q+", "Q/", "Q Q", "QQ\n"]) {
    expect(fromBase64url(text), JSON.stringify(text)).toBeUndefined();
  }
  expect(fromBase64url("")).toEqual(new Uint8Array());
});
