import type { Database } from "../platform/database/transaction.ts";
import { ResolutionRefused, type Resolving, type UnknownCall, type WeightyOutcome } from "../platform/exceptions.ts";
import type { ChargeOutcome, ReturnOutcome } from "./card-processor.ts";
import type { Answered, GatewayCall, NotFound, Unknown } from "./gateway-call.ts";
import type { Gateways } from "./gateways.ts";
import type { FilingOutcome } from "./insurer.ts";
import { insertPortalReading, type PortalReading, readPortalReading } from "./portal-reading-store.ts";

/*
 * A party may never report the outcome of a call: Transbank forgets a charge after seven days. An operator then enters
 * what its portal shows. The reading answers the inquiries about the call, so that the call's own machine settles it as
 * if the party had answered. This call is never made again; what it was for may be requested again by another call.
 */

/** The gateways, whose inquiries are answered by operators' readings where the party reports no final outcome. */
export function withPortalReadings<Chosen extends Gateways>(db: Database, gateways: Chosen): Chosen {
  const { cardProcessor, insurer, bank, taxDocuments } = gateways;
  return {
    ...gateways,
    cardProcessor: {
      ...cardProcessor,
      inquireCharge: async (call) => answered(db, call, await cardProcessor.inquireCharge(call), chargeOf),
      inquireReturn: async (call) => answered(db, call, await cardProcessor.inquireReturn(call), returnOf),
    },
    insurer: {
      ...insurer,
      inquireFiling: async (call) => answered(db, call, await insurer.inquireFiling(call), filingOf),
    },
    taxDocuments: {
      ...taxDocuments,
      inquireDocument: async (call) =>
        answered(db, call, await taxDocuments.inquireDocument(call), () => ({
          outcome: "refused",
          reason: "not_issued",
        })),
    },
    bank: {
      ...bank,
      inquireTransfer: async (call) =>
        answered(db, call, await bank.inquireTransfer(call), ({ amount, reference }) =>
          reference === null
            ? { outcome: "refused", reason: "other" }
            : { outcome: "sent", transferId: reference, amount },
        ),
    },
  };
}

const OPEN: readonly string[] = ["unknown", "not_found", "pending"];

async function answered<Answer extends { readonly outcome: string }>(
  db: Database,
  call: GatewayCall,
  answer: Answer | Unknown | NotFound,
  read: (reading: PortalReading) => Answer,
): Promise<Answer | Unknown | NotFound> {
  if (!OPEN.includes(answer.outcome)) return answer;
  const reading = await readPortalReading(db, call);
  return reading === null ? answer : read(reading);
}

function chargeOf({ amount, reference }: PortalReading): ChargeOutcome {
  return reference === null
    ? { outcome: "declined", reason: "declined", hard: false }
    : { outcome: "captured", chargeId: reference, amount };
}

function returnOf({ amount, reference }: PortalReading): ReturnOutcome {
  return reference === null ? { outcome: "refused" } : { outcome: "returned", returnId: reference, amount };
}

/** A claim that was not filed is filed again under another key, as after an outage of the portal. */
function filingOf({ reference }: PortalReading): Answered<FilingOutcome> {
  return reference === null ? { outcome: "portal_down" } : { outcome: "filed", claimId: reference };
}

const PORTAL_NUMBER = /^[\w./-]{1,64}(?=\s|$)/;

/** Records what an operator read about a call: its movement, named by the first word of the note, or none. */
export async function recordPortalReading(
  { tx, at, note, actor, exception: { providerId } }: Resolving,
  call: UnknownCall | null,
  wasDone: boolean,
): Promise<WeightyOutcome> {
  if (call === null)
    throw new ResolutionRefused("This call has ended, goes to the lender, or is settled by its party's own list.");
  const reference = wasDone ? (PORTAL_NUMBER.exec(note?.trim() ?? "")?.[0] ?? null) : null;
  if (wasDone && reference === null)
    throw new ResolutionRefused("The note must begin with the number of the movement in the portal.");
  if ((note?.trim() ?? "") === "")
    throw new ResolutionRefused("Say in --note what the portal shows, and for which day.");
  const { idempotencyKey, amount } = call;
  const reading = { wasDone, amount, reference, actor, at };
  if (!(await insertPortalReading(tx, { providerId, idempotencyKey }, reading)))
    throw new ResolutionRefused("What the portal shows of this call was already entered.");
  if (reference !== null) await call.whenDone?.(reference);
  const outcome = wasDone
    ? "Recorded as done. The call is settled in a moment, as if the party had answered."
    : "Recorded as not done. The call is settled in a moment. The service may make another one: do not make it by hand.";
  return { outcome, amount };
}
