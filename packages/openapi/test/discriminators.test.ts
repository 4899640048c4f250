import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { open, type Opened } from "./api.ts";

const ref = (name: string): object => ({ $ref: name.includes(".") ? name : `#/components/schemas/${name}` });
const content = (schema: object): object => ({ "application/json": { schema } });
const post = (schema: object, operationId = "add"): object => ({
  post: { operationId, requestBody: { required: true, content: content(schema) }, responses: {} },
});
const described = (paths: object, schemas: object = {}): object => ({
  openapi: "3.0.3",
  info: { title: "t", version: "1" },
  components: { schemas },
  paths,
});

/** Whether each body is sent to the API. */
async function areSent({ session }: Opened, bodies: readonly object[]): Promise<readonly boolean[]> {
  const sent: boolean[] = [];
  for (const body of bodies) {
    sent.push((await session.callTool({ name: "add", arguments: { body } })).isError !== true);
  }
  return sent;
}

/** Classes of animals, of which those below inherit, as springdoc writes them. */
function classes(discriminator: object): object {
  const inherits = (parent: string, properties: object): object => ({
    allOf: [ref(parent), { type: "object", properties }],
  });
  return {
    Pet: { type: "object", required: ["kind"], properties: { kind: { type: "string" } }, discriminator },
    Cat: inherits("Pet", { lives: { type: "integer" } }),
    Lion: inherits("Cat", { mane: { type: "boolean" } }),
    Dog: inherits("Pet", { barks: { type: "boolean" } }),
  };
}

test("alternatives have the discriminator of the class that they inherit from", async () => {
  // A name, or a reference.
  const mapping = { cat: "Cat", lion: "#/components/schemas/Lion", dog: "#/components/schemas/Dog" };
  const schemas = classes({ propertyName: "kind", mapping });
  const opened = await open(described({ "/": post({ oneOf: [ref("Cat"), ref("Dog")] }) }, schemas));
  const bodies = [{ kind: "cat", lives: 9 }, { kind: "lion", mane: true }, { kind: "dog" }, { kind: "cow" }];
  expect(await areSent(opened, bodies)).toEqual([true, true, true, false]);
});

test("without names for its values, an inherited discriminator lets every alternative match", async () => {
  const schemas = classes({ propertyName: "kind" });
  const opened = await open(described({ "/": post({ oneOf: [ref("Cat"), ref("Dog")] }) }, schemas));
  const bodies = [{ kind: "Cat", lives: 9 }, { kind: "com.example.Dog" }, { barks: true }];
  expect(await areSent(opened, bodies)).toEqual([true, true, false]);
});

test("alternatives in files of their own are told apart by the API", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, value: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  const pet = (properties: object): object => ({
    type: "object",
    required: ["kind"],
    properties: { kind: { type: "string" }, ...properties },
  });
  write("dog.json", pet({ barks: { type: "boolean" } }));
  write("cat.json", pet({ lives: { type: "integer" } }));
  const mapping = { dog: "./dog.json", cat: "./cat.json" };
  write("pet.json", {
    oneOf: [ref("./dog.json"), ref("./cat.json")],
    discriminator: { propertyName: "kind", mapping },
  });
  // The name of a component is not the value that the mapping names.
  const paths = { "/cats": post(ref("./cat.json"), "addCat"), "/pets": post(ref("./pet.json")) };
  write("api.json", described(paths, { Dog: ref("./dog.json") }));
  const opened = await open(pathToFileURL(join(folder, "api.json")));
  const bodies = [{ kind: "dog", barks: true }, { kind: "cat", lives: 9 }, { barks: true }];
  expect(await areSent(opened, bodies)).toEqual([true, true, false]);
});
