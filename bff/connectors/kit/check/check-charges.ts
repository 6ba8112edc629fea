import type * as z from "zod/mini";
import type { ChargeVoucher, NetworkNamed } from "../../../src/contract/vocabulary/voucher.ts";
import { cardProcessorProtocol as protocol } from "../../../src/gateways/protocols/card-processor.ts";
import type { CardOfOrder, RegisterNew } from "./card-of-order.ts";
import { checkKeyedCall, type KeyedCall } from "./check-keyed-call.ts";
import { checkOutcome } from "./check-outcome.ts";
import { checkPendingReturn } from "./check-pending-return.ts";
import { checkReturns } from "./check-returns.ts";
import type { CheckRun, Json } from "./check-run.ts";
import { voucherFields } from "./voucher-fields.ts";

type Charge = z.output<typeof protocol.charge.outcome>;
type Captured = Extract<Charge, { readonly outcome: "captured" }>;

const MOVEMENTS = protocol.movements.path;
const RETURN_URL = "https://checkout.example.com/return";

/** Strong authentication, charges and their returns. */
export async function checkCharges(run: CheckRun, card: CardOfOrder, registerNew: RegisterNew): Promise<void> {
  await checkAuthentication(run, card, registerNew);
  const done = await checkKeyedCall(run, chargeOf(run, card));
  if (done?.outcome.outcome !== "captured") return;
  checkInstalments(run, done.outcome);
  await checkForeignCards(run, card);
  await checkMandate(run, card, done.outcome);
  await checkDeclined(run, registerNew);
  await checkReturns(run, card, (of, check) => chargeForReturns(run, of, check));
  await checkPendingReturn(run, registerNew, (of, check) => chargeForReturns(run, of, check));
}

function chargeInput(run: CheckRun, { cardId, orderHash }: CardOfOrder): Json {
  const { amount } = run.values;
  return { cardId, amount, orderHash, initiator: "patient", authenticationId: null, initialChargeId: null };
}

function chargeOf(run: CheckRun, card: CardOfOrder): KeyedCall<Charge> {
  return {
    operation: protocol.charge,
    newInput: async () => chargeInput(run, card),
    changed: (input) => ({ ...input, amount: run.values.amount + 1 }),
    expected: "captured, with the amount that was asked for",
    isExpected: (outcome, { amount }) => outcome.outcome === "captured" && outcome.amount === amount,
    hasInquiry: true,
    effect: { list: MOVEMENTS, of: (outcome) => movementOf(outcome) },
  };
}

function movementOf(outcome: Charge) {
  return outcome.outcome === "captured"
    ? { amount: outcome.amount, kind: "charge", voucher: voucherFields(outcome) }
    : null;
}

/** The patient's contract is about one charge. A processor may omit instalments, and then nothing can be checked. */
function checkInstalments(run: CheckRun, { instalments }: ChargeVoucher): void {
  const { path } = protocol.charge;
  const expected = "a charge in no instalments: 0, 1 or omitted";
  run.note(path, "no-instalments", expected, (instalments ?? 0) > 1 ? `instalments: ${instalments}` : null);
}

const isDeclined = ({ outcome }: { readonly outcome: string }) => outcome === "declined";

async function checkForeignCards(run: CheckRun, card: CardOfOrder): Promise<void> {
  const base = { operation: protocol.charge, expected: "declined", isExpected: isDeclined };
  const input = chargeInput(run, card);
  await checkOutcome(run, { ...base, check: "unknown-card", input: { ...input, cardId: run.ids.uuid() } });
  await checkOutcome(run, {
    ...base,
    check: "card-of-another-provider",
    input,
    providerId: run.otherProviderId,
  });
  // A processor that receives a plain card number must neither charge nor repeat it.
  await checkOutcome(run, {
    ...base,
    check: "number-instead-of-a-card",
    input: { ...input, cardId: run.values.card.number },
  });
}

/** A later merchant charge, which names the patient's own charge of the card, also by its network id. */
async function checkMandate(run: CheckRun, card: CardOfOrder, initial: Captured): Promise<void> {
  const { chargeId: initialChargeId, networkTransactionId } = initial;
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.charge,
    check: "charge-under-the-mandate",
    expected: "captured, for a merchant who names the patient's charge of the card",
    input: {
      ...chargeInput(run, card),
      initiator: "merchant",
      initialChargeId,
      ...(networkTransactionId !== undefined && { initialNetworkTransactionId: networkTransactionId }),
    },
    isExpected: (answer) => answer.outcome === "captured" && answer.amount === run.values.amount,
  });
  const effect = outcome === null ? null : movementOf(outcome);
  if (effect !== null) run.expectInList(MOVEMENTS, key, effect);
}

async function checkDeclined(run: CheckRun, registerNew: RegisterNew): Promise<void> {
  const expected = "declined, with a reason and whether it is for ever";
  const { path } = protocol.charge;
  const card = run.values.declined_card && (await registerNew(run.values.declined_card));
  if (card === null) {
    const reason =
      run.values.declined_card === null ? "declined_card is null" : "declined_card could not be registered";
    run.noteNotChecked(path, "declined-card", expected, reason);
    return;
  }
  await checkOutcome(run, {
    operation: protocol.charge,
    check: "declined-card",
    expected,
    input: chargeInput(run, card),
    isExpected: isDeclined,
  });
}

async function checkAuthentication(run: CheckRun, card: CardOfOrder, registerNew: RegisterNew): Promise<void> {
  const { amount } = run.values;
  const inputOf = ({ cardId, orderHash }: CardOfOrder): Json => ({
    cardId,
    amount,
    orderHash,
    purpose: "payment",
    returnUrl: RETURN_URL,
  });
  await checkKeyedCall(run, {
    operation: protocol.authenticate,
    newInput: async () => inputOf(card),
    changed: (input) => ({ ...input, amount: amount + 1 }),
    expected: "not_needed, authenticated or a challenge",
    isExpected: (outcome) => !isDeclined(outcome),
    isSame: (one, other) => authenticationIdOf(one) === authenticationIdOf(other) && namesNoOther(one, other),
    hasInquiry: true,
  });
  const expected = "a challenge on a page that is encrypted, which ends later than now";
  const asked = run.values.challenge_card && (await registerNew(run.values.challenge_card));
  if (asked === null) {
    const reason =
      run.values.challenge_card === null ? "challenge_card is null" : "challenge_card could not be registered";
    run.noteNotChecked(protocol.authenticate.path, "challenge", expected, reason);
    return;
  }
  const { outcome } = await checkOutcome(run, {
    operation: protocol.authenticate,
    check: "challenge",
    expected,
    input: inputOf(asked),
    isExpected: (answer) =>
      answer.outcome === "challenge" && isProtected(answer.url) && answer.expiresAt > run.clock.now(),
  });
  if (outcome?.outcome !== "challenge") return;
  await checkOutcome(run, {
    operation: protocol.charge,
    check: "unanswered-challenge",
    expected: "declined while the patient has not answered the challenge",
    input: { ...chargeInput(run, asked), authenticationId: outcome.authenticationId },
    isExpected: isDeclined,
  });
}

function authenticationIdOf(outcome: z.output<typeof protocol.authenticate.outcome>): string {
  return "authenticationId" in outcome ? outcome.authenticationId : outcome.outcome;
}

/** A challenge has no network id yet. Once there is one, it must not change. */
function namesNoOther(one: object, other: object): boolean {
  const [known, again] = [one, other].map((each: NetworkNamed) => each.networkTransactionId);
  return known === undefined || known === again;
}

function isProtected(url: string): boolean {
  const { protocol: scheme, hostname } = new URL(url);
  return scheme === "https:" || hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** A separate charge, of which parts are returned. */
async function chargeForReturns(run: CheckRun, card: CardOfOrder, check: string): Promise<string | null> {
  const { key, outcome } = await checkOutcome(run, {
    operation: protocol.charge,
    check,
    expected: "captured: another key is another charge",
    input: chargeInput(run, card),
    isExpected: (answer) => answer.outcome === "captured",
  });
  if (outcome?.outcome !== "captured") return null;
  run.expectInList(MOVEMENTS, key, { amount: outcome.amount, kind: "charge", voucher: voucherFields(outcome) });
  return outcome.chargeId;
}
