import * as z from "zod";
import type { PartyAnswer, PartyClient, PartyRequest } from "../kit/party-client.ts";

/*
 * The calls of Fintoc's Transfers API, version 2. Their form is the official SDK's (`fintoc` 1.15.0), which the tests
 * send next to these. Every answer is validated; fields that are not used are ignored.
 */

/** Fintoc answered, and made no transfer. `param` names the field at fault. */
export interface Refused {
  readonly is: "refused";
  readonly status: number;
  readonly code: string;
  readonly param: string;
}
export type Reply<Answer> = { readonly is: "answer"; readonly answer: Answer } | Refused;

/** Thrown when an answer says nothing about the request: its outcome is unknown. */
export class FintocAnswerUnusable extends Error {
  override readonly name = "FintocAnswerUnusable";
  readonly code: string;

  constructor(code: string) {
    super("Fintoc's answer cannot be used.");
    this.code = code;
  }
}

/** The request timed out, was held back, or met another one under its key: it may still have an effect. */
const PROVES_NOTHING: readonly number[] = [408, 409, 425, 429];

const transferSchema = z.object({
  id: z.string().min(1).max(100),
  amount: z.int(),
  /** The documented ones are `pending`, `succeeded`, `failed`, `rejected` and `returned`. */
  status: z.string().max(40),
  error_reason: z.string().max(100).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type Transfer = z.output<typeof transferSchema>;

export interface NewTransfer {
  readonly accountId: string;
  readonly amount: number;
  readonly comment: string;
  /** Our name of the transfer. It finds the transfer in the list after a lost answer. */
  readonly name: string;
  readonly counterparty: {
    readonly holderId: string;
    readonly holderName: string;
    readonly accountNumber: string;
    readonly accountType: string;
    readonly institutionId: string;
  };
}

export interface FintocApi {
  /** `idempotencyKey`: a repeat within 24 hours gets the first answer. */
  create(transfer: NewTransfer, idempotencyKey: string): Promise<Reply<Transfer>>;
  read(id: string): Promise<Reply<Transfer>>;
  /** All transfers from an account since a day. */
  list(query: { readonly accountId: string; readonly since: Date }): Promise<readonly Transfer[]>;
}

const PAGE_ITEMS = 100;
const PAGES_MAX = 200;

export function createFintocApi({
  client,
  onCredentialsRefused,
}: {
  readonly client: PartyClient;
  /** Called for 401 and 403, which an operator must see: no call can succeed. */
  readonly onCredentialsRefused: () => void;
}): FintocApi {
  async function ask<Answer>(request: PartyRequest, schema: z.ZodType<Answer>): Promise<Reply<Answer>> {
    const reply = await client.send(request);
    if (reply.status === 401 || reply.status === 403) {
      onCredentialsRefused();
      throw new FintocAnswerUnusable("credentials_refused");
    }
    if (reply.status >= 500 || PROVES_NOTHING.includes(reply.status))
      throw new FintocAnswerUnusable(`status_${reply.status}`);
    if (reply.status >= 400) return { is: "refused", status: reply.status, ...errorOf(reply) };
    const read = schema.safeParse(reply.body);
    if (!read.success) throw new FintocAnswerUnusable("another_shape");
    return { is: "answer", answer: read.data };
  }

  return {
    create(transfer, idempotencyKey) {
      const { accountId, amount, comment, name, counterparty } = transfer;
      const body = {
        account_id: accountId,
        amount,
        currency: "CLP",
        comment,
        metadata: { [NAME]: name },
        counterparty: {
          holder_id: counterparty.holderId,
          holder_name: counterparty.holderName,
          account_number: counterparty.accountNumber,
          account_type: counterparty.accountType,
          institution_id: counterparty.institutionId,
        },
      };
      const headers = { "idempotency-key": idempotencyKey };
      return ask({ method: "POST", path: "/v2/transfers", body, headers }, transferSchema);
    },
    read: (id) => ask({ method: "GET", path: `/v2/transfers/${encodeURIComponent(id)}` }, transferSchema),
    async list({ accountId, since }) {
      const found: Transfer[] = [];
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const after = found.at(-1)?.id;
        const query = new URLSearchParams({
          account_id: accountId,
          direction: "outbound",
          since: since.toISOString().slice(0, 10),
          limit: String(PAGE_ITEMS),
          ...(after !== undefined && { starting_after: after }),
        });
        const reply = await ask({ method: "GET", path: `/v2/transfers?${query.toString()}` }, z.array(transferSchema));
        if (reply.is === "refused") throw new FintocAnswerUnusable(`list_${reply.status}`);
        if (reply.answer.length === 0) return found;
        found.push(...reply.answer);
      }
      throw new FintocAnswerUnusable("list_without_end");
    },
  };
}

/** The field of a transfer's metadata that holds our name. */
const NAME = "aapd";

/** Our name of a transfer; null if another program made it. */
export function nameOf({ metadata }: Transfer): string | null {
  const name = metadata?.[NAME];
  return typeof name === "string" ? name : null;
}

const errorSchema = z.object({
  error: z.object({ code: z.string().max(100).nullish(), param: z.string().max(100).nullish() }),
});

function errorOf({ body }: PartyAnswer): { readonly code: string; readonly param: string } {
  const error = errorSchema.safeParse(body).data?.error;
  return { code: error?.code ?? "", param: error?.param ?? "" };
}
