import { expect, test } from "vitest";

import { open } from "./api.ts";

const call = async (document: string | object, name: string, args: Record<string, unknown>) => {
  const { session, api } = await open(document);
  const result = await session.callTool({ name, arguments: args });
  const [request] = api.requests;
  return {
    result,
    request,
    body: request?.body.toString() ?? "",
    target: request?.target,
    count: api.requests.length,
  };
};
const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");

test("parameters are written in every place", async () => {
  const { request, target } = await call("parcels/parcels.json", "get_parcels_code", {
    code: "A/1 ü",
    fields: ["a|b", "c"],
    code_query: "x",
    filter: { a: [1] },
    session: "a;b",
  });
  expect(target).toBe(
    "/parcels/.A%2F1%20%C3%BC?fields%5B%5D=a%7Cb%7Cc&code=x&filter=%7B%22a%22%3A%5B1%5D%7D".replace(
      "a%7Cb%7Cc",
      "a%7Cb%7Cc",
    ),
  );
  expect(request?.headers.cookie).toBe("session=a%3Bb");
});

test("arrays of Swagger 2.0 have the delimiter of their format in every place", async () => {
  const array = { type: "array", items: { type: "string" } };
  const formats = ["csv", "ssv", "tsv", "pipes"];
  const inPlace = (place: string): object[] =>
    formats.map((collectionFormat) => ({
      name: `${place}-${collectionFormat}`,
      in: place,
      required: true,
      collectionFormat,
      ...array,
    }));
  const { target, request, body } = await call(
    {
      swagger: "2.0",
      info: { title: "t", version: "1" },
      consumes: ["application/x-www-form-urlencoded"],
      paths: {
        "/{path-csv}/{path-ssv}/{path-tsv}/{path-pipes}": {
          post: {
            operationId: "send",
            parameters: ["path", "query", "header", "formData"].flatMap(inPlace),
          },
        },
      },
    },
    "send",
    {
      ...Object.fromEntries(
        ["path", "query", "header"].flatMap((place) =>
          formats.map((format) => [`${place}-${format}`, ["a", "b"]]),
        ),
      ),
      body: Object.fromEntries(formats.map((format) => [`formData-${format}`, ["a", "b"]])),
    },
  );
  expect(target).toBe(
    "/a,b/a%20b/a%09b/a%7Cb?query-csv=a,b&query-ssv=a%20b&query-tsv=a%09b&query-pipes=a%7Cb",
  );
  expect(formats.map((format) => request?.headers[`header-${format}`])).toEqual([
    "a,b",
    "a b",
    "a\tb",
    "a|b",
  ]);
  expect(body).toBe("formData-csv=a,b&formData-ssv=a+b&formData-tsv=a%09b&formData-pipes=a%7Cb");
});

test("a form has its members by their encoding", async () => {
  const { request, body } = await call("parcels/parcels.json", "patch_parcels_code", {
    code: "A1",
    body: { note: "a b&c", none: null, address: { city: "Ulm", lines: ["x", "y"] } },
  });
  expect(request?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(body).toBe(
    "note=a+b%26c&address%5Bcity%5D=Ulm&address%5Blines%5D%5B0%5D=x&address%5Blines%5D%5B1%5D=y",
  );
});

test("a multipart form has files with names and types, and objects as JSON", async () => {
  const { request, body } = await call("bookshop.yaml", "setCover", {
    bookId: "1",
    body: { image: { base64: "iVA=", filename: 'a"\r\nX: 1.png' }, caption: "ü", crop: { width: 3 } },
  });
  const boundary = /boundary=(.+)$/.exec(request?.headers["content-type"] ?? "")?.[1] ?? "";
  const form = await new Response(request?.body as Buffer<ArrayBuffer>, {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  }).formData();
  const image = form.get("image") as File;
  expect(Buffer.from(await image.arrayBuffer()).toString("base64")).toBe("iVA=");
  expect(image.type).toBe("image/png");
  expect(form.get("caption")).toBe("ü");
  expect(body).toContain('name="crop"\r\nContent-Type: application/json\r\n\r\n{"width":3}\r\n');
  expect(body).not.toContain("\r\nX: 1");
});

test("files are found in the alternatives of a body and of a property", async () => {
  const file = { type: "string", format: "binary" };
  const schema = {
    oneOf: [
      { type: "object", required: ["image"], properties: { image: { anyOf: [file, { type: "null" }] } } },
      { $ref: "#/components/schemas/ByUrl" },
    ],
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: {
      "/": {
        post: { operationId: "add", requestBody: { content: { "multipart/form-data": { schema } } } },
      },
    },
    components: {
      schemas: {
        ByUrl: {
          type: "object",
          required: ["source"],
          properties: { source: { oneOf: [{ type: "string" }, { type: "array", items: file }] } },
        },
      },
    },
  };
  const image = { base64: "iVA=", filename: "a.png", mediaType: "image/png" };
  const first = await call(document, "add", { body: { image } });
  expect(first.body).toContain('name="image"; filename="a.png"\r\nContent-Type: image/png');
  const second = await call(document, "add", { body: { source: [image, image] } });
  expect(second.body.match(/filename="a\.png"/g)).toHaveLength(2);
  const third = await call(document, "add", { body: { source: "https://example.com/a.png" } });
  expect(third.body).toContain('name="source"\r\n\r\nhttps://example.com/a.png');
});

test("files are found behind references, and an object with a text is no file", async () => {
  const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const content = { "multipart/form-data": { schema: refer("Upload") } };
  const document = {
    openapi: "3.0.3",
    info: { title: "t", version: "1" },
    paths: { "/": { post: { operationId: "add", requestBody: { content } } } },
    components: {
      schemas: {
        Upload: { allOf: [refer("Base"), { properties: { note: { type: "object" } } }, refer("Upload")] },
        Base: { properties: { one: refer("File"), more: { allOf: [refer("Files")] } } },
        File: { type: "string", format: "binary" },
        Files: { type: "array", items: refer("File") },
      },
    },
  };
  const file = { text: "abc", filename: "a.txt" };
  const { body } = await call(document, "add", {
    body: { one: file, more: [file], note: { text: "n", other: 1 } },
  });
  expect(body.split(`; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc\r\n`)).toHaveLength(3);
  expect(body).toContain('name="note"\r\nContent-Type: application/json\r\n\r\n{"text":"n","other":1}\r\n');
  const refused = await call(document, "add", { body: { one: "text" } });
  expect(refused.count).toBe(0);
});

test("a binary body is bytes or text, and Swagger 2.0 sends forms and files", async () => {
  const { session, api } = await open("weather.yaml");
  await session.callTool({
    name: "addPhoto",
    arguments: { station: "OSL", body: { photo: { text: "x" }, labels: ["a", "b"] } },
  });
  await session.callTool({
    name: "subscribe",
    arguments: { body: { email: "a@b.example", stations: ["OSL", "TRD"] } },
  });
  const [photo, form] = api.requests;
  expect(photo?.body.toString()).toContain(
    'name="photo"; filename="photo"\r\nContent-Type: text/plain\r\n\r\nx\r\n',
  );
  expect(form?.body.toString()).toBe("email=a%40b.example&stations=OSL,TRD");
});

test("the collection formats of Swagger 2.0 are written", async () => {
  const { target } = await call("weather.yaml", "readings", {
    station: "OSL",
    kinds: ["wind", "rain"],
    days: [1, 2],
  });
  expect(target).toBe("/stations/OSL/readings?kinds=wind%7Crain&days=1&days=2");
});

test.each(["..", ".", "", "%2e%2E"])(
  "the path parameter %j does not lead to another resource",
  async (bookId) => {
    const { result, count, target } = await call("bookshop.yaml", "getBook", { bookId });
    if (bookId.startsWith("%")) {
      // The percent sign is encoded, so this is the name of a book.
      expect(target).toBe("/books/%252e%252E");
      return;
    }
    expect(result.isError).toBe(true);
    expect(count).toBe(0);
  },
);

test("a slash, a query and a fragment stay inside of a path parameter", async () => {
  const { target } = await call("bookshop.yaml", "getBook", { bookId: "../../admin?x=1#y" });
  expect(target).toBe("/books/..%2F..%2Fadmin%3Fx%3D1%23y");
});

test("a header cannot start another header", async () => {
  const { result, count } = await call("bookshop.yaml", "listBooks", { "X-Request-ID": "a\r\nX-Admin: 1" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("X-Request-ID");
  expect(count).toBe(0);
});

test("a query in a path is sent, and a fragment is not", async () => {
  const { target } = await call(
    {
      openapi: "3.1.0",
      info: { title: "Marked", version: "1" },
      paths: { "/items/{id}?action=copy#copy": { post: { operationId: "copy", responses: {} } } },
    },
    "copy",
    { id: "1" },
  );
  expect(target).toBe("/items/1?action=copy");
});

test("a multipart body that the document describes as a string has any parts", async () => {
  const content = { "multipart/form-data": { schema: { type: "string" } } };
  const { body, result } = await call(
    {
      openapi: "3.0.3",
      info: { title: "Odd", version: "1" },
      paths: { "/cards": { post: { operationId: "add", requestBody: { content }, responses: {} } } },
    },
    "add",
    { body: { title: "Soup" } },
  );
  expect(result.isError).toBeUndefined();
  expect(body).toMatch(/name="title"\r\n\r\nSoup/);
});

test("arguments that do not match the document are refused before anything is sent", async () => {
  const { result, count } = await call("bookshop.yaml", "listBooks", { page: 0, autor: "x" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/page.*autor/s);
  expect(count).toBe(0);
});

test("the size of a body counts bytes", async () => {
  const { session, api } = await open("bookshop.yaml", { limits: { maxRequestBytes: 100 } });
  const add = (title: string) =>
    session.callTool({ name: "addBook", arguments: { body: { title, secret: "" } } });
  const room = 100 - JSON.stringify({ title: "", secret: "" }).length;
  expect((await add("x".repeat(room))).isError).toBeUndefined();
  const result = await add("€".repeat(room));
  expect(textOf(result)).toBe("Body exceeds the limit of 100 bytes.");
  expect(api.requests).toHaveLength(1);
});
