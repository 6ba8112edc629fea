import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { undescribed } from "../../test/undescribed.ts";
import { createFieldReader } from "../claims/expenses/expense-fields.ts";
import { commonErrors, type Endpoint } from "../contract/endpoint.ts";
import { errorBodySchema, errorCodes, isErrorCode, orderNotFoundBodySchema } from "../contract/errors.ts";
import { clp, ZERO } from "../contract/vocabulary/clp.ts";
import { webhookEventKindSchema, webhookEventSchema } from "../contract/webhook-events.ts";
import { commissionOn, latestDueDate, splitTotal } from "../orders/quote.ts";
import { codesBesideEndpoints, errorsByStatus, exampleOfError } from "./answers.ts";
import { convertSchemas, NotDocumentable, namedSchemas } from "./contract-schemas.ts";
import { documentedEndpoints } from "./endpoint-groups.ts";
import { endpointExamples } from "./examples.ts";
import { expenseFields } from "./expense-form.ts";
import { schemaNotes } from "./notes/notes.ts";
import { sharedFields } from "./notes/schema-note.ts";
import { openApiDocument, unnamedSchemas } from "./openapi.ts";
import type { JsonSchema, MediaType, Operation } from "./openapi-document.ts";
import { orderExample, quoteExample } from "./order-example.ts";
import { webhookExample } from "./webhook-event-example.ts";

const deployment = {
  environment: "staging",
  orderApiUrl: "https://staging.order.example",
  spotApiUrl: "https://staging.spot.example",
  widgetHostUrl: "https://staging.widget.example",
  signatureWord: "Service",
} as const;
const document = openApiDocument(deployment);
const endpoints = documentedEndpoints();

function operationOf(operationId: string): Operation {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const found = operations.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`no operation ${operationId}`);
  return found;
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1 by the specification's own schema, and has no broken reference", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = "", name = ""] of references) {
      expect(Object.entries(document.components).find(([key]) => key === kind)?.[1]).toHaveProperty([name]);
    }
  });

  it("fails its check when it is broken", async () => {
    const broken = { ...document, paths: { "/orders": { post: { responses: 7 } } } };
    expect((await new Validator().validate(JSON.parse(JSON.stringify(broken)))).valid).toBe(false);
  });

  it("describes every endpoint that the contract declares", async () => {
    const folder = fileURLToPath(new URL("../contract/", import.meta.url));
    const files = readdirSync(folder).filter((file) => file.endsWith("-endpoints.ts"));
    const modules: object[] = await Promise.all(files.map((file) => import(`../contract/${file}`)));
    const declared: unknown[] = modules
      .flatMap((module) => Object.values(module))
      .flatMap((group) => Object.values(group));
    expect(declared.length).toBeGreaterThan(10);
    expect(new Set(endpoints.map(([, endpoint]) => endpoint))).toEqual(new Set(declared));
  });

  it("names every schema that the contract exports", async () => {
    const folder = fileURLToPath(new URL("../contract/", import.meta.url));
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "widget-page.ts",
    );
    const modules: object[] = await Promise.all(files.map((file) => import(`../contract/${file}`)));
    const exported = new Set(namedSchemas(modules).values());
    expect(exported.size).toBeGreaterThan(40);
    expect(new Set(namedSchemas().values())).toEqual(exported);
  });

  it("has items on every list and a contact, as Spectral's rules for OpenAPI require", () => {
    const lists: unknown[] = [];
    JSON.stringify(document, (_key, value) => {
      if (value?.type === "array") lists.push(value);
      return value;
    });
    expect(lists.length).toBeGreaterThan(50);
    expect(lists.filter((list) => typeof (list as { items?: unknown }).items !== "object")).toEqual([]);
    expect(document.info.contact?.url).toMatch(/\/docs\/policy#status$/);
  });

  it("has a unique operation id for each operation", () => {
    const ids = [document.paths, document.webhooks].flatMap((paths) =>
      Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId)),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("refuses a note about an unknown field, and two schemas of one name", () => {
    const order = z.object({ other: z.string() });
    expect(() => convertSchemas(new Map(), new Map([[order, "Order"]]))).toThrow(NotDocumentable);
    expect(() => namedSchemas([{ aSchema: z.string() }, { aSchema: z.number() }])).toThrow(NotDocumentable);
  });

  it("describes the wire form of values that a parser reads", () => {
    expect(document.components.schemas.OrderHash).toMatchObject({ type: "string", format: "uuid" });
    expect(document.components.schemas.Clp).toMatchObject({ type: "integer" });
    expect(document.components.schemas.CreateOrderRequest?.properties?.customer).toMatchObject({
      required: expect.arrayContaining(["email"]),
    });
  });
});

describe("descriptions", () => {
  it.each(["staging", "production"] as const)("cover every operation, parameter, response and field in %s", (each) => {
    expect(undescribed(openApiDocument({ ...deployment, environment: each }))).toEqual([]);
  });

  it("are found missing on a field, a parameter, an operation and a nullable field", () => {
    const field = { type: "string" } as const;
    const operation: Operation = {
      operationId: "read",
      tags: [],
      summary: "Read.",
      parameters: [{ name: "id", in: "path", required: true, schema: field }],
      responses: { 200: { description: "" } },
    };
    const nullable: JsonSchema = { type: ["string", "null"], description: "Name." };
    const schemas = { Thing: { description: "A thing.", properties: { name: nullable, size: field } } };
    const broken = { ...document, paths: { "/things": { get: operation } }, webhooks: {} };
    expect(undescribed({ ...broken, components: { ...document.components, schemas } })).toEqual([
      "Thing.name: when is it null?",
      "Thing.size",
      "read",
      "read id",
      "read 200",
    ]);
  });

  it("name only schemas and shared fields that exist", () => {
    const known = new Set([...namedSchemas().values(), ...unnamedSchemas(endpoints).values()]);
    expect(Object.keys(schemaNotes).filter((name) => !known.has(name))).toEqual([]);
    const text = JSON.stringify(document);
    expect(Object.entries(sharedFields).filter(([, words]) => !text.includes(JSON.stringify(words)))).toEqual([]);
  });

  it("come from the note, then the field's name, then the schema that the field refers to", () => {
    const { schemas } = document.components;
    expect(schemas.PatientOrder?.properties?.paid_at).toMatchObject({
      description: expect.stringContaining("first instalment was paid"),
    });
    expect(schemas.Order?.properties?.updated_at).toMatchObject({ description: sharedFields.updated_at });
    expect(schemas.Order?.properties?.status).toMatchObject({ description: schemaNotes.OrderStatus?.description });
  });
});

describe("the documented error codes", () => {
  it("are all answered by an endpoint, or have a documented source", () => {
    const answered = new Set(endpoints.flatMap(([, endpoint]) => [...endpoint.errors, ...commonErrors(endpoint)]));
    const beside = Object.keys(codesBesideEndpoints).filter(isErrorCode);
    const closedList = Object.keys(errorCodes).filter(isErrorCode);
    expect(new Set([...answered, ...beside])).toEqual(new Set(closedList));
  });

  it.each(endpoints)("have the status, words and shape of their endpoint's family in %s", (id, endpoint) => {
    for (const [status, codes] of errorsByStatus(endpoint)) {
      const response = operationOf(id).responses[String(status)];
      expect(response?.["x-codes"]).toEqual(codes);
      expect(response?.headers).toHaveProperty("X-Request-Id");
      for (const code of codes) {
        expect(errorCodes[code].status).toBe(status);
        const body = exampleOfError(code, endpoint);
        const schema = endpoint.family === "order" && status === 404 ? orderNotFoundBodySchema : errorBodySchema;
        expect(z.safeParse(schema, body)).toMatchObject({ success: true });
      }
    }
  });

  it("are an object in detail for an order endpoint's 404, and a string elsewhere", () => {
    const partner = { family: "order", caller: "partner" } as const;
    expect(exampleOfError("order_not_found", partner).detail).toEqual({
      error_code: "order_not_found",
      message: errorCodes.order_not_found.en,
    });
    expect(exampleOfError("order_not_found", { ...partner, family: "spot" }).detail).toBe(
      errorCodes.order_not_found.en,
    );
    expect(exampleOfError("order_not_found", { family: "spot", caller: "widget" }).detail).toBe(
      errorCodes.order_not_found.es,
    );
  });
});

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(JSON.parse(JSON.stringify(document)), "document");

/** The errors that a schema of the document finds in a value. */
function documentErrors(schema: JsonSchema, value: unknown): unknown {
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  const validate = ajv.compile(local);
  return validate(value) ? [] : validate.errors;
}

function mediaTypesOf(operation: Operation): MediaType[] {
  return [
    ...Object.values(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
  ];
}

describe("the documented examples", () => {
  it("belong to endpoints that exist", () => {
    expect(Object.keys(endpointExamples).filter((id) => !endpoints.some(([name]) => name === id))).toEqual([]);
  });

  it.each(endpoints)("exist for the body and each success of %s, and match its schemas", (id, endpoint: Endpoint) => {
    const { request = {}, responses = {} } = endpointExamples[id] ?? {};
    if (endpoint.body !== undefined) expect(Object.keys(request).length, "an example of the body").toBeGreaterThan(0);
    for (const { value } of Object.values(request)) {
      expect(endpoint.body === undefined ? "no body" : z.safeParse(endpoint.body, value)).toMatchObject({
        success: true,
      });
    }
    for (const [status, schema] of Object.entries(endpoint.success)) {
      const examples = Object.values(responses[Number(status)] ?? {});
      const isBodiless = z.safeParse(schema, undefined).success;
      if (!isBodiless) expect(examples.length, `an example of ${status}`).toBeGreaterThan(0);
      for (const { value } of examples) expect(z.safeParse(schema, value)).toMatchObject({ success: true });
    }
    expect(Object.keys(responses).filter((status) => !(status in endpoint.success))).toEqual([]);
  });

  it.each(endpoints)("match the document's own schemas for %s, errors included", (id) => {
    for (const { schema, examples = {} } of mediaTypesOf(operationOf(id))) {
      for (const { value } of Object.values(examples)) expect(documentErrors(schema, value)).toEqual([]);
    }
  });

  it("match the webhooks that are sent", () => {
    for (const kind of webhookEventKindSchema.options) {
      expect(z.safeParse(webhookEventSchema, webhookExample(kind))).toMatchObject({ success: true });
      const post = document.webhooks[kind]?.post;
      for (const { schema, examples = {} } of post === undefined ? [] : mediaTypesOf(post)) {
        expect(Object.keys(examples)).toEqual([kind]);
        for (const { value } of Object.values(examples)) expect(documentErrors(schema, value)).toEqual([]);
      }
    }
  });

  it("are refused by the document's schemas when they are wrong", () => {
    const schema = operationOf("createOrder").requestBody?.content["application/json"]?.schema ?? {};
    expect(documentErrors(schema, { total_amount: "ten" })).not.toEqual([]);
  });

  it("cover exactly the fields of the expense form that the service reads", () => {
    for (const [name, { examples = [] }] of Object.entries(expenseFields)) {
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples.flat()) {
        const reader = createFieldReader();
        const before = JSON.stringify(reader.fields());
        expect(reader.take(name, String(example)), name).toBeNull();
        expect(JSON.stringify(reader.fields()), `${name} is read`).not.toBe(before);
      }
    }
  });

  it("have the amounts that the service computes", () => {
    const order = orderExample("paid");
    const { installments, commission } = order.plan.data;
    const total = clp(order.total_amount);
    const split = splitTotal(total);
    expect(installments.map(({ amount }) => amount)).toEqual([split.first, split.deferred]);
    expect(commission.amount).toBe(commissionOn(total, ZERO, 700));
    expect(installments[1].latest_due_date).toBe(latestDueDate(new Date(order.created_at)));
    // The later charge is not due yet.
    expect(order.collection).toMatchObject({ status: "scheduled", reason: null });
    expect(quoteExample).toMatchObject({ today: split.first, later_charge: 30_800 });
  });
});
