import { AGAIN } from "../../sandbox/calls/sandbox-call.ts";
import { wasPaid } from "../../src/orders/order.ts";
import type { Facts, RefundMovementFacts } from "./facts.ts";

/** The meaning of each line of a mail, in both languages. */
const LINES = {
  offLaterCharge: /^(?:Ya no se cobra|Not charged any more): \$([\d.]+)$/gm,
  laterCharge:
    /^(?:El segundo cobro es ahora de|Te queda por pagar|The second charge is now|Left to pay): \$([\d.]+)$/gm,
  toCards: /^(?:Vuelve a tu tarjeta|Goes back to your card)[^:]*: \$([\d.]+)$/gm,
  byBank: /^(?:Tu banco ya te lo había devuelto|Your bank had already returned it): \$([\d.]+)$/gm,
  byTransfer: /^(?:Te lo transferiremos|We will transfer it to you): \$([\d.]+)$/gm,
  paidOtherwise: /^(?:Monto que recibimos|Amount received): \$([\d.]+)$/gm,
  charged: /^(?:Segundo cobro|Second charge): \$([\d.]+)$/gm,
} as const;

function announced(text: string, line: keyof typeof LINES): number {
  return sum([...text.matchAll(LINES[line])].map(([, amount = ""]) => Number(amount.replaceAll(".", ""))));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The mails whose cause begins with this word, each with the rest of its cause. */
function mailsOf({ notices, sandbox_notices }: Facts, word: string): { of: string; text: string }[] {
  return notices.flatMap(({ id, cause, channel }) => {
    const mail = sandbox_notices.find(({ message_id }) => message_id === id);
    if (channel !== "email" || !cause.startsWith(`${word}:`) || mail === undefined || mail.text === null) return [];
    return [{ of: cause.slice(word.length + 1), text: mail.text }];
  });
}

/** Each sum in a mail about a refund or a charge must equal the processor's list and the books. */
export function announcementsMatchMoney(facts: Facts): string[] {
  return [...refundsMatch(facts), ...chargesMatch(facts), ...otherPaymentsMatch(facts)];
}

function refundsMatch(facts: Facts): string[] {
  const { events, refund_movements, sandbox_movements, ledger_transfers } = facts;
  return mailsOf(facts, "refunded").flatMap(({ of, text }) => {
    const event = events.find(({ id }) => id === of);
    const movements = refund_movements.filter(
      ({ refund_id, status }) => refund_id === event?.refund_id && status === "done",
    );
    const isOf = (id: string) => (movement: RefundMovementFacts) => id.startsWith(movement.id);
    const listed = sandbox_movements.filter(
      ({ kind, idempotency_key }) => kind === "return" && movements.some(isOf(idempotency_key)),
    );
    const bookedAs = (cause: string) =>
      sum(
        ledger_transfers
          .filter((row) => movements.some(({ id }) => row.cause === `${cause}:${id}`))
          .map(({ amount }) => amount),
      );
    const spared = movements.filter(({ kind }) => kind === "loan_reduction").map(({ commission }) => commission);
    const moved = {
      offLaterCharge: bookedAs("reduction") + sum(spared),
      toCards: sum(listed.map(({ amount }) => amount)),
      byBank: bookedAs("recovery") + bookedAs("commission-recovery") + bookedAs("vat-recovery"),
      byTransfer: bookedAs("owed") + bookedAs("commission-owed") + bookedAs("vat-owed"),
    };
    return (["offLaterCharge", "toCards", "byBank", "byTransfer"] as const)
      .filter((line) => announced(text, line) !== moved[line])
      .map(
        (line) =>
          `of a refund of ${event?.order_id} ${announced(text, line)} was told as ${line}, and it is ${moved[line]}`,
      );
  });
}

function chargesMatch(facts: Facts): string[] {
  const { sandbox_movements } = facts;
  return mailsOf(facts, "charged").flatMap(({ of, text }) => {
    const charge = sandbox_movements.find(
      ({ kind, idempotency_key }) => kind === "charge" && idempotency_key.startsWith(of),
    );
    return announced(text, "charged") === charge?.amount
      ? []
      : [`a charge of ${announced(text, "charged")} was told, and ${charge?.amount ?? 0} was charged`];
  });
}

function otherPaymentsMatch(facts: Facts): string[] {
  return mailsOf(facts, "paid_otherwise").flatMap(({ of, text }) => {
    const rows = facts.ledger_transfers.filter(({ cause }) => cause.endsWith(`otherwise:${of}`));
    const booked = sum(rows.map(({ amount }) => amount));
    const named = announced(text, "paidOtherwise");
    return named === booked ? [] : [`${named} paid otherwise were told, and ${booked} are booked`];
  });
}

/**
 * By the processor's own list, no charge returned more than it took. No more commission is kept than is due on the
 * unrefunded amount, and the service bears only the part of a loss that its clinic does not.
 */
export function noMoneyIsMisplaced(facts: Facts): string[] {
  const { orders, order_payments, ledger_transfers, sandbox_movements, chargebacks } = facts;
  return orders.flatMap((order) => {
    const { id, state, total, refunded, commission_basis_points } = order;
    const isUndecided = chargebacks.some(
      ({ order_id, lost_at, won_at }) => order_id === id && lost_at === null && won_at === null,
    );
    if (!wasPaid(state) || isUndecided) return [];
    const won = new Set(chargebacks.filter(({ won_at }) => won_at !== null).map((chargeback) => chargeback.id));
    const movements = sandbox_movements.filter((movement) => movement.order_hash === id && !won.has(movement.id));
    const back = movements.filter(({ kind }) => kind !== "charge");
    const excess = movements
      .filter(({ kind }) => kind === "charge")
      .filter(({ charge_id, amount }) => {
        return sum(back.filter((one) => one.charge_id === charge_id).map((one) => one.amount)) > amount;
      });
    const balance = (account: string) =>
      sum(
        ledger_transfers
          .filter(({ order_id }) => order_id === id)
          .map(({ debit, credit, amount }) => (debit === account ? amount : credit === account ? -amount : 0)),
      );
    const isCollected =
      order_payments.some(
        ({ order_id, kind, status }) => order_id === id && kind === "deferred" && status === "captured",
      ) || ledger_transfers.some(({ order_id, cause }) => order_id === id && cause.startsWith("otherwise:"));
    const due = isCollected ? Math.floor(((total - refunded) * commission_basis_points + 5_000) / 10_000) : 0;
    const kept = -balance("commission") - balance("vat");
    const lost = balance("chargeback_loss");
    return [
      ...excess.map(({ amount }) => `more than ${amount} of a charge of order ${id} went back`),
      ...(kept > due ? [`${kept} of commission are kept of order ${id}, and ${due} are due`] : []),
      ...(lost > total - refunded + kept
        ? [`${lost} are lost of order ${id}, and its clinic kept what was refunded`]
        : []),
    ];
  });
}

/**
 * Each commission that is a taxed service has its documents: a boleta for paid amounts, a nota de crédito for returned
 * ones. The issuer's own list has each once, with the same amounts. A commission that is interest has no documents and
 * no VAT.
 */
export function everyCommissionHasItsDocument(facts: Facts): string[] {
  const { orders, ledger_transfers, sandbox_tax_documents } = facts;
  return orders.flatMap(({ id, regime }) => {
    const rows = ledger_transfers.filter(
      ({ order_id, cause }) => order_id === id && /^(?:commission|vat)\b/.test(cause),
    );
    const sources = [...new Set(rows.map(({ cause }) => cause.split(":")[1] ?? ""))];
    const wrong = sources.flatMap((source) => {
      const booked = rows.filter(({ cause }) => cause.endsWith(`:${source}`));
      const isPaid = booked.some(({ credit }) => credit === "commission" || credit === "vat");
      const documents = sandbox_tax_documents.filter(({ idempotency_key }) => idempotency_key.startsWith(source));
      const issued = documents.map(({ kind, net, vat }) => `${kind} ${net} + ${vat}`).join(", ");
      const of = (account: string) =>
        sum(booked.filter(({ debit, credit }) => debit === account || credit === account).map(({ amount }) => amount));
      const due = `${isPaid ? "boleta" : "credit_note"} ${of("commission")} + ${of("vat")}`;
      const expected = regime === "taxed_service" ? due : "";
      return issued === expected ? [] : [`order ${id} has the documents "${issued}", and "${expected}" are due`];
    });
    const isTaxed = rows.some(({ cause }) => cause.startsWith("vat"));
    return [...wrong, ...(isTaxed && regime === "interest" ? [`order ${id} has VAT on interest`] : [])];
  });
}

/**
 * The notification that precedes a charge of the deferred part, by the charge's reason; an early payment has none,
 * because the patient asked for it.
 */
const ANNOUNCED: Readonly<Record<string, string>> = {
  approved: "claim_approved",
  access_blocked: "access_blocked",
  day_45: "charge_announced",
};

/** Every charge that the service initiates has a cause, stated in the patient's notification. */
export function noChargeWithoutAnnouncedCause({ collection_attempts, collection_triggers, notices }: Facts): string[] {
  return collection_attempts
    .filter(({ initiator }) => initiator !== "patient")
    .flatMap(({ order_id }) => {
      const reason = collection_triggers.find((trigger) => trigger.order_id === order_id)?.reason ?? "nothing";
      const kind = ANNOUNCED[reason];
      const isAnnounced = notices.some((notice) => notice.order_id === order_id && notice.kind === kind);
      return reason === "paid_early" || isAnnounced
        ? []
        : [`order ${order_id} is charged for ${reason}, which nobody was told`];
    });
}

/** Whether money is lent under a loan. A loan refused after a review stays open at the sandbox's lender. */
export function lends({ status, behaviour }: Facts["sandbox_loans"][number]): boolean {
  const isRefused = behaviour !== "authorised" && behaviour !== "review_authorised";
  return status === "confirmed" || (status === "open" && !isRefused);
}

/** By the parties' lists, no call took effect twice, even if a party had forgotten its key. */
export function nothingIsDoneTwiceUnderOneKey(facts: Facts): string[] {
  const lists = {
    movement: facts.sandbox_movements.map(({ kind, idempotency_key }) => `${kind} ${idempotency_key}`),
    loan: facts.sandbox_loans.filter(lends).map(({ idempotency_key }) => idempotency_key),
    transfer: facts.sandbox_bank_transfers.map(({ idempotency_key }) => idempotency_key),
    "tax document": facts.sandbox_tax_documents.map(({ idempotency_key }) => idempotency_key),
  };
  return Object.entries(lists).flatMap(([what, keys]) =>
    keys
      .filter((key, index) => key.endsWith(AGAIN) || keys.indexOf(key) !== index)
      .map((key) => `the ${what} ${key} was made twice`),
  );
}
