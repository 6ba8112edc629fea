import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, endpoint } from "../../contract/endpoint.ts";
import { operationsEndpoints } from "../../contract/operations-endpoints.ts";
import { orderEndpoints } from "../../contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { webhookEndpoints } from "../../contract/webhook-endpoints.ts";
import { COMPARED_MAX, misspelledFields } from "./unknown-fields.ts";
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

  it.each(["referenc", "referencee", "refirence", "refrence", "erference", "Reference", "reference_", "re-frence"])(
    "is a misspelling if it is one edit away from a known field, whatever its case and separators: %s",
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

/** Names that a caller may send by mistake. None is a field, or resembles one. */
const SECRETS = ["A734561298", "918273", "ak_NTpizd2iCp0YaLofhPCkjha72zbaY3sO3", "Clave-Secreta", "Camila", "hunter"];

describe("a field that a strict request does not know", () => {
  const { refundOrder } = orderEndpoints;
  const judge = (body: object) => () => validateInputs(refundOrder, { query: {}, body });
  const errors = (...each: readonly object[]) =>
    expect.objectContaining({ code: "validation_error", additions: { errors: each } });
  const counted = (count: number) => ({
    path: "",
    message: `has unknown fields (${count}); allowed: amount, reason, refund_reference`,
  });
  const misspelled = (path: string, meant: string) => ({
    path,
    message: `is not a field of this request. Did you mean "${meant}"?`,
  });

  it.each([
    ["ammount", "amount"],
    ["AMOUNT", "amount"],
    ["refundReference", "refund_reference"],
    ["refund-reference", "refund_reference"],
  ])("is named if it resembles a known one: %s", (name, meant) =>
    expect(judge({ [name]: 1 })).toThrow(errors(misspelled(name, meant))),
  );

  it.each([...SECRETS, "total", "a".repeat(60_000)])("is not repeated if it resembles none (%#)", (secret) =>
    expect(judge({ [secret]: 1 })).toThrow(errors(counted(1))),
  );

  it("is counted next to those that are named", () => {
    const body = { ammount: 1, ...Object.fromEntries(SECRETS.map((name) => [name, 1])) };
    expect(judge(body)).toThrow(errors(misspelled("ammount", "amount"), counted(SECRETS.length)));
  });

  it("is only counted after the first names, so that a long list costs no more than a short one", () => {
    const names = Array.from({ length: 4_000 }, (_, index) => `x${index}`);
    const known = (first: readonly string[]) => Object.fromEntries([...first, "ammount"].map((name) => [name, 1]));
    expect(judge(known(names.slice(1, COMPARED_MAX)))).toThrow(
      errors(misspelled("ammount", "amount"), counted(COMPARED_MAX - 1)),
    );
    expect(judge(known(names))).toThrow(errors(counted(4_001)));
  });

  it("is refused in an inner object with the path and the fields of that object", () => {
    const mint = () =>
      validateInputs(spotEndpoints.mintWidgetToken, {
        query: { public_key: "PK" },
        body: { deliver: { email: "camila@example.com", hunter: 1 } },
      });
    expect(mint).toThrow(errors({ path: "deliver", message: "has unknown fields (1); allowed: email" }));
  });
});

describe("a card number in the body", () => {
  const pathOf = (body: object) => {
    try {
      validateInputs(orderEndpoints.createOrder, { query: {}, body });
    } catch (error) {
      const { additions } = error as { additions: { errors: { path: string; message: string }[] } };
      return additions.errors.find(({ message }) => message === "must not hold a card number")?.path;
    }
    return undefined;
  };
  const NUMBER = "4916123412341237";

  it("is named by its field, in objects and lists", () => {
    expect(pathOf({ customer: { last_name: `Rojas ${NUMBER}` } })).toBe("customer.last_name");
    expect(pathOf({ items: [{ description: "a" }, { description: NUMBER }] })).toBe("items.1.description");
  });

  it.each(SECRETS)("is named by the known field around it if the caller named the field %s", (secret) => {
    expect(pathOf({ [secret]: NUMBER })).toBe("");
    expect(pathOf({ customer: { [secret]: { email: NUMBER } } })).toBe("customer");
    expect(pathOf({ items: [{ [secret]: [NUMBER] }] })).toBe("items.0");
  });
});
