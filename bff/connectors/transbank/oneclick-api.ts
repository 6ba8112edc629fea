import * as z from "zod";
import type { PartyAnswer, PartyClient, PartyRequest } from "../kit/party-client.ts";

/*
 * The calls of Oneclick Mall, API 1.2. Their form is the official SDK's (`transbank-sdk` 6.1.1), which the tests send
 * next to these. Every answer is validated; fields that are not used are ignored.
 */

const BASE_PATH = "/rswebpaytransaction/api/oneclick/v1.2";

/** Transbank rejected the request, which had no effect. `text` is no contract: use it as a hint only. */
export interface Refused {
  readonly is: "refused";
  readonly status: number;
  readonly text: string;
}
export type Reply<Answer> = { readonly is: "answer"; readonly answer: Answer } | Refused;

/** Thrown when an answer says nothing about the request: its outcome is unknown. */
export class TransbankAnswerUnusable extends Error {
  override readonly name = "TransbankAnswerUnusable";
  readonly code: string;

  constructor(code: string) {
    super("Transbank's answer cannot be used.");
    this.code = code;
  }
}

/** A request that timed out, or was held back, somewhere on its way: it may still arrive. */
const PROVES_NOTHING: readonly number[] = [408, 425, 429];

const startSchema = z.object({ token: z.string().min(1).max(255), url_webpay: z.url().max(255) });
const finishSchema = z.object({
  response_code: z.int(),
  tbk_user: z.string().min(1).max(64).nullish(),
  authorization_code: z.string().max(12).nullish(),
  card_type: z.string().max(30).nullish(),
  card_number: z.string().max(30).nullish(),
});
const detailSchema = z.object({
  amount: z.int().nonnegative(),
  status: z.string().max(40),
  authorization_code: z.string().nullish(),
  payment_type_code: z.string().nullish(),
  response_code: z.int().nullish(),
  installments_number: z.int().nullish(),
  commerce_code: z.string(),
  buy_order: z.string(),
  balance: z.int().nonnegative().nullish(),
});
const transactionSchema = z.object({ buy_order: z.string(), details: z.array(detailSchema) });
const refundSchema = z.object({
  type: z.enum(["REVERSED", "NULLIFIED"]),
  authorization_code: z.string().nullish(),
  nullified_amount: z.number().nullish(),
  balance: z.number().nullish(),
  response_code: z.int().nullish(),
});
const binSchema = z.object({ bin_payment_type: z.string().nullish(), bin_brand: z.string().nullish() });
const noBodySchema = z.undefined();

export type Finished = z.output<typeof finishSchema>;
export type Transaction = z.output<typeof transactionSchema>;
export type Detail = z.output<typeof detailSchema>;
export type Refunded = z.output<typeof refundSchema>;

export interface OneclickApi {
  start(input: { username: string; email: string; responseUrl: string }): Promise<Reply<z.output<typeof startSchema>>>;
  finish(token: string): Promise<Reply<Finished>>;
  remove(input: { tbkUser: string; username: string }): Promise<Reply<undefined>>;
  authorize(input: AuthorizeInput): Promise<Reply<Transaction>>;
  status(buyOrder: string): Promise<Reply<Transaction>>;
  refund(buyOrder: string, input: RefundInput): Promise<Reply<Refunded>>;
  bin(tbkUser: string): Promise<Reply<z.output<typeof binSchema>>>;
}

export interface AuthorizeInput {
  readonly username: string;
  readonly tbkUser: string;
  readonly buyOrder: string;
  readonly shopCode: string;
  readonly shopBuyOrder: string;
  readonly amount: number;
}

export interface RefundInput {
  readonly shopCode: string;
  readonly shopBuyOrder: string;
  readonly amount: number;
}

export function createOneclickApi({
  client,
  onCredentialsRefused,
}: {
  readonly client: PartyClient;
  /** Called for 401 and 403, which an operator must see: no call can succeed. */
  readonly onCredentialsRefused: () => void;
}): OneclickApi {
  async function ask<Answer>(request: PartyRequest, schema: z.ZodType<Answer>): Promise<Reply<Answer>> {
    const reply = await client.send({ ...request, path: `${BASE_PATH}${request.path}` });
    if (reply.status === 401 || reply.status === 403) {
      onCredentialsRefused();
      throw new TransbankAnswerUnusable("credentials_refused");
    }
    if (reply.status >= 500 || PROVES_NOTHING.includes(reply.status))
      throw new TransbankAnswerUnusable(`status_${reply.status}`);
    if (reply.status >= 400) return { is: "refused", status: reply.status, text: errorText(reply) };
    const read = schema.safeParse(reply.body);
    if (!read.success) throw new TransbankAnswerUnusable("another_shape");
    return { is: "answer", answer: read.data };
  }

  return {
    start: ({ username, email, responseUrl }) =>
      ask({ method: "POST", path: "/inscriptions", body: { username, email, response_url: responseUrl } }, startSchema),
    finish: (token) =>
      ask({ method: "PUT", path: `/inscriptions/${encodeURIComponent(token)}`, body: {} }, finishSchema),
    remove: ({ tbkUser, username }) =>
      ask({ method: "DELETE", path: "/inscriptions", body: { tbk_user: tbkUser, username } }, noBodySchema),
    authorize: ({ username, tbkUser, buyOrder, shopCode, shopBuyOrder, amount }) => {
      const detail = { commerce_code: shopCode, buy_order: shopBuyOrder, amount, installments_number: 0 };
      const body = { username, tbk_user: tbkUser, buy_order: buyOrder, details: [detail] };
      return ask({ method: "POST", path: "/transactions", body }, transactionSchema);
    },
    status: (buyOrder) =>
      ask({ method: "GET", path: `/transactions/${encodeURIComponent(buyOrder)}` }, transactionSchema),
    refund: (buyOrder, { shopCode, shopBuyOrder, amount }) => {
      const body = { commerce_code: shopCode, detail_buy_order: shopBuyOrder, amount };
      return ask({ method: "POST", path: `/transactions/${encodeURIComponent(buyOrder)}/refunds`, body }, refundSchema);
    },
    bin: (tbkUser) => ask({ method: "POST", path: "/bin_info", body: { tbk_user: tbkUser } }, binSchema),
  };
}

const errorSchema = z.object({ error_message: z.string().max(500) });

function errorText({ body }: PartyAnswer): string {
  return errorSchema.safeParse(body).data?.error_message ?? "";
}

/** Whether Transbank says that it does not know a buy order. Another 422, such as of an order too old, does not. */
export function isUnknownOrder({ status, text }: Refused): boolean {
  return status === 404 || (status === 422 && /not found/i.test(text));
}
