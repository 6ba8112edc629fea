import {
  type Bank,
  type BankTransfer,
  bankProtocol,
  clpSchema,
  createKeptCalls,
  type Database,
  type KeptOperation,
  type Logger,
  type PartyClient,
  sql,
  systemClock,
  type TransferOutcome,
  transferIdOf,
  UNKNOWN,
  type Unknown,
  z,
} from "@aapd/connector-kit";

/** The request, stored before it is sent, so that another process can find out its outcome. */
const planSchema = z.object({
  id: z.string(),
  amount: clpSchema,
  account: z.string(),
  bankCode: z.string(),
  reference: z.string(),
});
type Plan = z.output<typeof planSchema>;

type Known = Exclude<TransferOutcome, Unknown>;

/** The bank's codes. Any other is `other`. */
const REASONS = { no_account: "account_unknown", closed: "account_closed", no_funds: "funds_missing" } as const;
const refusalSchema = z.object({ code: z.string() });

export function createBank(db: Database, client: PartyClient, logger: Logger): Bank {
  const calls = createKeptCalls({ db, clock: systemClock, logger });

  /** The bank makes a transfer once for its id, so a repeat is also the way to ask for its outcome. */
  async function send({ id, amount, account, bankCode, reference }: Plan): Promise<Known | Unknown> {
    const body = { amount, account, bank: bankCode, reference };
    const answer = await client.send({ method: "PUT", path: `/transfers/${id}`, body });
    if (answer.status === 200) return { outcome: "sent", transferId: id, amount };
    const refusal = refusalSchema.safeParse(answer.body);
    if (answer.status !== 422 || !refusal.success) return UNKNOWN;
    const { code } = refusal.data;
    return {
      outcome: "refused",
      reason: Object.hasOwn(REASONS, code) ? REASONS[code as keyof typeof REASONS] : "other",
    };
  }

  const transfer: KeptOperation<Known, Plan> = {
    operation: "transfer",
    outcome: bankProtocol.transfer.outcome,
    plan: planSchema,
    send,
    recover: send,
    /** Runs in the transaction that stores the outcome. */
    async settle(tx, { providerId, idempotencyKey, at }, { plan, outcome }) {
      if (outcome.outcome !== "sent") return;
      await sql`
        insert into transfers (id, provider_id, idempotency_key, reference, amount, account_ending, at)
        values (${plan.id}, ${providerId}, ${idempotencyKey}, ${plan.reference}, ${plan.amount},
          ${plan.account.slice(-4)}, ${at}::timestamptz)
      `.execute(tx);
    },
  };

  return {
    transfer: (call, input) =>
      calls.perform(transfer, call, input, async () => {
        const { account, bankCode, amount, reference } = input;
        if (bankCode === undefined) return { answer: { outcome: "refused", reason: "bank_unknown" } };
        return { send: { id: transferIdOf(call), amount, account: account.account_number, bankCode, reference } };
      }),
    inquireTransfer: (call) => calls.inquire(transfer, call),
    async listTransfers(providerId, from, to) {
      const { rows } = await sql<BankTransfer>`
        select id, idempotency_key as "idempotencyKey", reference, amount::int as amount,
          account_ending as "accountEnding", at
        from transfers
        where provider_id = ${providerId} and at >= ${from}::timestamptz and at < ${to}::timestamptz
        order by at
      `.execute(db);
      return rows;
    },
  };
}
