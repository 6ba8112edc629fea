import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { registeredCentersSchema, upsertCentersResponseSchema } from "../contract/centers.ts";
import { storedExpenseSchema, storedExpensesSchema } from "../contract/expense-lists.ts";
import { expenseResponseSchema } from "../contract/expenses.ts";
import { profileSchema, setSubscriptionResponseSchema, subscriptionStatusSchema } from "../contract/onboarding.ts";
import { orderRefundsSchema, orderSchema, ordersSchema, refundOrderResponseSchema } from "../contract/orders.ts";
import { webhookEventSchema } from "../contract/webhook-events.ts";
import { mintWidgetTokenResponseSchema } from "../contract/widget-tokens.ts";
import { createPartnerClient, type PartnerClient } from "./partner-client.ts";
import { signBody } from "./sign-webhook.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const receipt = { name: "boleta.pdf", type: "application/pdf", bytes: new Uint8Array() } as const;

/* Answers with parts that an older client does not know: it must pass them on. */

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

type Change = (schema: Schema, value: unknown) => unknown;

/** A value of a schema with every optional field, and with `change` at the place whose number is `at`. */
function sampleOf(schema: Schema, change: Change, at: number) {
  let places = 0;
  const build = (of: Schema): unknown => {
    const form = of.anyOf?.find(({ type }) => type !== "null") ?? of;
    const value = form.anyOf === undefined ? plain(form) : build(form);
    const changed = change(form, value);
    return changed === value || places++ !== at ? value : changed;
  };
  const plain = (form: Schema): unknown => {
    if (form.const !== undefined) return form.const;
    if (form.enum !== undefined) return form.enum[0];
    if (form.properties !== undefined)
      return Object.fromEntries(Object.entries(form.properties).map(([name, inner]) => [name, build(inner)]));
    if (form.prefixItems !== undefined) return form.prefixItems.map(build);
    if (form.items !== undefined) return [build(form.items)];
    return { string: "texto", boolean: true, integer: 1, number: 1 }[form.type ?? ""] ?? "algo";
  };
  return { value: build(schema), places: () => places };
}

const toNewerValue: Change = ({ const: known, enum: choices }, value) => {
  if (known === undefined && choices === undefined) return value;
  return typeof value === "number" ? 987 : typeof value === "boolean" ? !value : "value_of_next_year";
};
const toNewerField: Change = ({ properties }, value) =>
  properties === undefined ? value : { ...Object(value), field_of_next_year: { a: 1 } };

/** Every answer that differs in one place from what the schema knows. */
function newerAnswers(schema: z.ZodMiniType): unknown[] {
  const json = z.toJSONSchema(schema, { unrepresentable: "any", io: "output" }) as Schema;
  return [toNewerValue, toNewerField].flatMap((change) => {
    const places = sampleOf(json, change, -1).places();
    return Array.from({ length: places }, (_, at) => sampleOf(json, change, at).value);
  });
}

/** Each call with its answer and how to make it. */
const calls = {
  createOrder: [orderSchema, (client) => client.createOrder({} as never)],
  listOrders: [ordersSchema, (client) => client.listOrders()],
  getOrder: [orderSchema, (client) => client.getOrder("h")],
  listRefunds: [orderRefundsSchema, (client) => client.listRefunds("h")],
  listExpenses: [storedExpensesSchema, (client) => client.listExpenses()],
  readExpense: [storedExpenseSchema, (client) => client.readExpense("e")],
  listCenters: [registeredCentersSchema, (client) => client.listCenters()],
  refundOrder: [refundOrderResponseSchema, (client) => client.refundOrder("h")],
  cancelOrder: [orderSchema, (client) => client.cancelOrder("h")],
  mintWidgetToken: [mintWidgetTokenResponseSchema, (client) => client.mintWidgetToken()],
  submitExpense: [expenseResponseSchema, (client) => client.submitExpense({ rut: "1", files: [receipt] })],
  submitExpenseByUrl: [expenseResponseSchema, (client) => client.submitExpenseByUrl({ rut: "1", urls: [] })],
  isUserSubscribed: [subscriptionStatusSchema, (client) => client.isUserSubscribed("1")],
  setSubscription: [setSubscriptionResponseSchema, (client) => client.setSubscription("1", {} as never)],
  upsertCenters: [upsertCentersResponseSchema, (client) => client.upsertCenters({ centers: [] })],
  readProfile: [profileSchema, (client) => client.readProfile()],
} satisfies Record<
  Exclude<keyof PartnerClient, "sendDataLink" | "revokeWidgetToken">,
  readonly [z.ZodMiniType, (client: PartnerClient) => Promise<unknown>]
>;

const clientThatGets = (body: unknown) =>
  createPartnerClient({
    orderApiUrl: "https://orders.example",
    spotApiUrl: "https://spot.example",
    clientSecret: "cs",
    publicKey: "PK",
    secretKey: "ak",
    retry: { attemptsMax: 1 },
    surroundings: { fetch: async () => Response.json(body) },
  });

describe("an answer that is newer than the client", () => {
  it.each(Object.entries(calls))(
    "comes through %s word for word, including new parts",
    async (_name, [schema, call]) => {
      const answers = newerAnswers(schema);
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) await expect(call(clientThatGets(answer))).resolves.toEqual(answer);
    },
  );

  it("comes through verifyWebhook word for word, including new parts", () => {
    const events = newerAnswers(webhookEventSchema);
    expect(events.length).toBeGreaterThan(50);
    for (const event of events) {
      const body = new TextEncoder().encode(JSON.stringify(event));
      // oxlint-disable-next-line typescript/no-deprecated -- the form that partners still use
      expect(verifyWebhook(body, signBody(body, "whsec_a"), "whsec_a")).toEqual(event);
    }
  });
});
