import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, endpoint } from "../../contract/endpoint.ts";
import { operationsEndpoints } from "../../contract/operations-endpoints.ts";
import { orderEndpoints } from "../../contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { webhookEndpoints } from "../../contract/webhook-endpoints.ts";
import { misspelledFields } from "./left-out.ts";
import { validateInputs } from "./validate-inputs.ts";

it("a list that is too long is refused before its values are validated", () => {
  let validated = 0;
  const counted = z.string().check(
    z.refine(() => {
      validated += 1;
      return true;
    }),
  );
  const body = z.object({ list: z._default(z.array(counted).check(z.maxLength(3)), []) });
  const cancelling = endpoint({ ...orderEndpoints.cancelOrder, body });
  const judge = (list: readonly string[]) => () => validateInputs(cancelling, { query: {}, body: { list } });
  expect(judge(["a", "b", "c"])).not.toThrow();
  expect(validated).toBe(3);
  expect(judge(Array(400).fill("a"))).toThrow(expect.objectContaining({ code: "validation_error" }));
  expect(validated).toBe(3);
});

const declared: Readonly<Record<string, Endpoint>> = {
  ...orderEndpoints,
  ...spotEndpoints,
  ...webhookEndpoints,
  ...operationsEndpoints,
  ...sandboxEndpoints,
};
const withBody = Object.entries(declared).flatMap(([name, { body }]) => (body === undefined ? [] : [{ name, body }]));

it.each(withBody)("$name has no list without a limit", ({ body }) => {
  expect(unlimitedLists(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }))).toEqual([]);
});

function unlimitedLists(schema: unknown): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "type" in schema && schema.type === "array" && !("maxItems" in schema) ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(unlimitedLists)];
}

describe("a parameter of the query that the call does not know", () => {
  const judge = (called: Endpoint, query: object) => () => validateInputs(called, { query, body: {} });
  const { refundOrder } = orderEndpoints;
  const { profile, submitExpense, submitExpenseByUrl } = spotEndpoints;

  it("is ignored", () => {
    expect(judge(refundOrder, { utm_source: "mail", _: "1", amont: "1" })).not.toThrow();
    expect(judge(profile, { public_key: "PK", utm_source: "mail" })).not.toThrow();
  });

  it("is refused if it is a field of the body", () => {
    const errors = [{ path: "amount", message: "belongs in the body of this request, not in its query" }];
    expect(judge(refundOrder, { amount: "1000" })).toThrow(
      expect.objectContaining({ code: "validation_error", additions: { errors } }),
    );
  });

  it.each([submitExpense, submitExpenseByUrl])("is refused with a receipt only if it is the order: $path", (called) => {
    const query = { public_key: "PK", rut: "40100000-3", name: "Camila", total: "1" };
    expect(judge(called, query)).not.toThrow();
    expect(judge(called, { ...query, skip_pay_order_id: "x" })).toThrow(
      expect.objectContaining({
        code: "processing_error",
        detail: "skip_pay_order_id: belongs in the body of this request, not in its query.",
      }),
    );
  });
});

describe("a field of the body that the call does not know", () => {
  const { createOrder } = orderEndpoints;
  const found = (body: unknown) => misspelledFields(createOrder.body, body).map(({ path }) => path);

  it.each(["referenc", "referencee", "refirence", "refrence", "erference"])(
    "is a misspelling if it is one edit away from a known field: %s",
    (name) => expect(found({ [name]: "a" })).toEqual([name]),
  );

  it.each(["refernec", "orderReference", "note", "", "x".repeat(10_000)])(
    "is not a misspelling otherwise: %.20s",
    (name) => expect(found({ [name]: "a" })).toEqual([]),
  );

  it("is found in objects and lists, and next to the right one", () => {
    const customer = { email: "a@b.example", emails: "a@b.example" };
    expect(found({ customer, items: [{ amount: 1 }, { ammount: 1 }] })).toEqual(["customer.emails", "items.1.ammount"]);
  });
});

describe("a field that a strict request does not know", () => {
  const judge = (body: object) => () => validateInputs(orderEndpoints.refundOrder, { query: {}, body });
  const errors = (...each: readonly object[]) =>
    expect.objectContaining({ code: "validation_error", additions: { errors: each } });

  it("is named if it is a misspelled name", () => {
    const found = { path: "ammount", message: "is not a field of this request" };
    expect(judge({ ammount: 1 })).toThrow(errors(found));
  });

  it.each(["A734561298", "918273", "ak_NTpizd2iCp0YaLofhPCkjha72zbaY3sO3LM8LvaOOJY", "Clave-Secreta"])(
    "is not repeated if it may be a secret (%s)",
    (secret) => {
      const found = { path: "", message: "has a field that is not of this request" };
      expect(judge({ [secret]: 1 })).toThrow(errors(found));
    },
  );
});
