import { type Clp, subtractClp } from "../../src/contract/vocabulary/clp.ts";
import { DAY_MS } from "../../src/contract/vocabulary/durations.ts";
import type { CardProcessor, ReturnOutcome } from "../../src/gateways/card-processor.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import { returnSchema } from "../../src/gateways/protocols/card-processor.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { callOnce, type Effect, inquire, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { addReturned, findReturn, insertMovement, lockCharge, type StoredCharge } from "./card-processor-store.ts";
import { movementVoucher } from "./vouchers.ts";

const PARTY = "card-processor";

/** A pending return ends after this many days. The processor announces a day later than that. */
const PENDING_DAYS = 2;
const PROMISED_DAYS = 3;

type Returns = Pick<CardProcessor, "returnCharge" | "inquireReturn">;
type Input = Parameters<CardProcessor["returnCharge"]>[1];
type Definite = Exclude<ReturnOutcome, Unknown>;

/** The part of the sandbox's processor that returns captured money: at once, after days, or not at all. */
export function returnsOf(dependencies: SandboxDependencies): Returns {
  const { db } = dependencies;
  const returning = (call: GatewayCall) =>
    ({ party: PARTY, operation: "returnCharge", call, answer: returnSchema }) as const;
  return {
    async returnCharge(call, input) {
      const answer = await callOnce(dependencies, { ...returning(call), input }, (tx) =>
        returnCharge(dependencies, tx, call, input),
      );
      return asOfNow(db, answer, call.at);
    },
    async inquireReturn(call) {
      const answer = await inquire(dependencies, { ...returning(call), method: "inquireReturn" });
      return answer.outcome === "not_found" ? answer : asOfNow(db, answer, call.at);
    },
  };
}

async function returnCharge(
  { ids }: SandboxDependencies,
  tx: Transaction,
  call: GatewayCall,
  input: Input,
): Promise<Effect<Definite>> {
  const { amount, chargeId, orderHash } = input;
  const stored = await lockCharge(tx, { providerId: call.providerId, chargeId });
  if (stored === undefined || stored.orderHash !== orderHash || !isReturnable(stored, amount))
    return { answered: { outcome: "refused" } };
  const id = ids.uuid();
  const { behaviour, cardId } = stored;
  const returnAt = async (at: Date) => {
    await addReturned(tx, chargeId, amount);
    await insertMovement(tx, { ...call, ...input, id, kind: "return", cardId, at });
  };
  switch (behaviour) {
    case "return_too_old":
      return { answered: { outcome: "refused", reason: "too_old" } };
    case "return_pending":
      // Its line in the list is dated when it ends.
      await returnAt(after(call.at, PENDING_DAYS));
      return { answered: { outcome: "pending", returnId: id, endsBy: after(call.at, PROMISED_DAYS) } };
    case "return_pending_refused":
      return { answered: { outcome: "pending", returnId: id, endsBy: after(call.at, PROMISED_DAYS) } };
    default:
      await returnAt(call.at);
      return { answered: returned({ returnId: id, chargeId, amount }) };
  }
}

function isReturnable({ amount: captured, returned, cardKind }: StoredCharge, amount: Clp): boolean {
  const isOfPart = amount !== captured;
  return amount > 0 && amount <= subtractClp(captured, returned) && (cardKind === "credit" || !isOfPart);
}

function after(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

function returned({ returnId: id, chargeId, amount }: { returnId: string; chargeId: string; amount: Clp }): Definite {
  return { outcome: "returned", returnId: id, amount, ...movementVoucher({ id, chargeId, kind: "return" }) };
}

/** The state of a pending return at `at`. It was returned if a movement of it exists. */
async function asOfNow<Answer extends ReturnOutcome>(
  db: Database,
  answer: Answer | Definite,
  at: Date,
): Promise<Answer | Definite> {
  if (answer.outcome !== "pending" || at < after(answer.endsBy, PENDING_DAYS - PROMISED_DAYS)) return answer;
  const { returnId } = answer;
  const found = await findReturn(db, returnId);
  return found === null ? { outcome: "refused" } : returned({ returnId, ...found });
}
