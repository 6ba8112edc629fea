import { expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, endpoint } from "../../contract/endpoint.ts";
import { operationsEndpoints } from "../../contract/operations-endpoints.ts";
import { orderEndpoints } from "../../contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../contract/spot-endpoints.ts";
import { webhookEndpoints } from "../../contract/webhook-endpoints.ts";
import { validateInputs } from "./validate-inputs.ts";

it("validates no value of a list that is longer than allowed", () => {
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

it.each(withBody)("$name accepts no unbounded list", ({ body }) => {
  expect(unlimitedLists(z.toJSONSchema(body, { io: "input", unrepresentable: "any" }))).toEqual([]);
});

function unlimitedLists(schema: unknown): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "type" in schema && schema.type === "array" && !("maxItems" in schema) ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(unlimitedLists)];
}
