import type { Email } from "../../src/gateways/messenger.ts";
import type { QueryResult } from "../../src/platform/database/session.ts";
import type { Tampering } from "./instance.ts";
import type { Statement, Tamper } from "./instance-database.ts";
import type { TamperCall } from "./instance-parties.ts";
import { type LifePlan, planLife } from "./life-plan.ts";
import { SCENES } from "./scenes.ts";

/**
 * Bugs to plant into a world, each a mistake that such a service could contain. They change the traffic between the
 * instances and the database, the parties and the receivers. The product contains none of them. If the simulation
 * missed them, it would prove nothing.
 */
export interface Plant {
  readonly tampering: Tampering;
  /** The rule whose violation reveals it. */
  readonly foundBy: RegExp;
  readonly foundIn: Lives | { readonly scene: string };
}

interface Lives {
  /**
   * The first seed whose life finds it; finding one takes up to 264 lives from seed 1. If lives have changed since, the
   * following seeds are played.
   */
  readonly firstSeed: number;
  /** The number of lives, from this seed on, within which it must be found. */
  readonly livesMax: number;
}

/** One order that completes, and one that is refunded in parts. Both reveal many bugs. */
const PAID_OUT = { scene: "the page is opened, paid, approved, collected and paid out" };
const REFUNDED = { scene: "refunded in two parts and the rest, before it is collected" };
const PARTLY_REFUNDED = { scene: "refunded in part, and the rest is collected" };
const REMOVED_CARD = { scene: "a card is kept, its patient is back, recognised and pays, and removes it" };
const ANOTHER_CARD = { scene: "later charges are declined, and another card is given" };
const UNCONFIRMED_CARD = { scene: "another card is given, and its patient does not confirm it to the issuer" };
const WRITTEN_OFF = { scene: "all tries are declined, the rest is written off, and another card is given" };
const PAID_OTHERWISE = { scene: "all tries are declined, the rest is paid otherwise, and another card is given" };

/** The lives, or the scene, in which a planted bug is searched for, until one finds it. */
export function livesFor({ foundIn }: Plant): readonly LifePlan[] {
  if ("firstSeed" in foundIn)
    return Array.from({ length: foundIn.livesMax }, (_, life) => planLife(foundIn.firstSeed + life));
  const scene = SCENES[foundIn.scene];
  if (scene === undefined) throw new Error(`There is no scene in which ${foundIn.scene}.`);
  return [scene];
}

/** The answer to a suppressed statement. */
const NOTHING_DONE: QueryResult = { command: "INSERT", rowCount: 0, rows: [] };

function statements(tamper: Tamper): Tampering {
  return { statement: () => tamper };
}

function calls(make: () => TamperCall): Tampering {
  return { call: make };
}

/** Changes every statement whose text matches. */
function rewrite(fits: RegExp, change: (statement: Statement) => Statement): Tampering {
  return statements((statement, send) => send(fits.test(statement.sql) ? change(statement) : statement));
}

/**
 * Removes the insertion that `into` matches from every matching statement, together with what depends on its row, and
 * runs the rest.
 */
function leaveOut(into: RegExp, fits: (statement: Statement) => boolean): Tampering {
  return statements((statement, send) => {
    const begins = statement.sql.search(into);
    if (begins < 0 || !fits(statement)) return send(statement);
    const insertion = statement.sql.slice(begins).replace("where exists (", "where false and exists (");
    return send({ ...statement, sql: statement.sql.slice(0, begins) + insertion });
  });
}

/** The values of an inserted row, with null in some of its columns. */
function withoutColumns(sql: string, parameters: readonly unknown[], names: readonly string[]): readonly unknown[] {
  const columns = /\(([^)]*)\)/.exec(sql)?.[1]?.split(", ") ?? [];
  const empty = names.map((name) => columns.indexOf(`"${name}"`));
  return parameters.map((value, index) => (empty.includes(index) ? null : value));
}

/** The values of inserted rows, with 0 for the commission of each row that has a price. */
function withoutCommission(sql: string, parameters: readonly unknown[]): readonly unknown[] {
  const columns = /\(([^)]*)\)/.exec(sql)?.[1]?.split(", ") ?? [];
  const at = columns.indexOf('"commission"');
  const price = columns.indexOf('"amount"') - at;
  return parameters.map((value, index) =>
    index % columns.length === at && Number(parameters[index + price]) > 0 ? 0 : value,
  );
}

/** A call's first argument, with another key at every call. */
function withFreshKey(given: readonly unknown[], number: number): readonly unknown[] {
  const [call, ...rest] = given;
  if (typeof call !== "object" || call === null || !("idempotencyKey" in call)) return given;
  return [{ ...call, idempotencyKey: `${String(call.idempotencyKey)}:${number}` }, ...rest];
}

/** Calls of some methods go out without the key that makes a repeat have no effect. */
function withoutKey(...methods: readonly string[]): Tampering {
  return calls(() => {
    let number = 0;
    return ({ method, given }, send) => {
      number += 1;
      return send(methods.includes(method) ? withFreshKey(given, number) : given);
    };
  });
}

/** Replaces the answers of some methods. */
function answering(
  methods: readonly string[],
  change: (answer: unknown, given: readonly unknown[]) => unknown,
): Tampering {
  return calls(() => async ({ method, given }, send) => {
    const answer = await send(given);
    return methods.includes(method) ? change(answer, given) : answer;
  });
}

/** Changes some values as they are read. */
function misread(fits: RegExp, change: (row: Record<string, unknown>) => Record<string, unknown> | null): Tampering {
  return statements(async (statement, send) => {
    const result = await send(statement);
    if (!fits.test(statement.sql)) return result;
    const rows = result.rows.map((row: Record<string, unknown>) => change(row)).filter((row) => row !== null);
    return { ...result, rows, rowCount: rows.length };
  });
}

/** Acknowledges matching statements without executing them. */
function swallow(fits: (statement: Statement) => boolean): Tampering {
  return statements((statement, send) => (fits(statement) ? Promise.resolve(NOTHING_DONE) : send(statement)));
}

/** Reads a collection's own row, with its attempts. */
const COLLECTION_READ = /select c\.\*, t\.reason/;

/** Reads a collection, or an order with its payments and refunds. */
const COLLECTION_OR_ORDER_READ = /select c\.\*, t\.reason|orders\.\*/;

/** Marks all links of an order as used. */
const SPENDING_OF_LINKS = /update widget_tokens set used_at = \$\d+\s+where provider_id/;

/** Presents a payment by another method as still owed. */
function asOwed(row: Record<string, unknown>): Record<string, unknown> {
  const isPaidByCard = Array.isArray(row.attempts) && row.attempts.some(({ state }) => state === "captured");
  const isOwed = row.state === "collected" && !isPaidByCard && "series_from" in row;
  return {
    ...row,
    ...(isOwed ? { state: "failed", failure: "tries_exhausted" } : {}),
    ...("paid_otherwise" in row && row.paid_otherwise !== null ? { deferred_collected: 0 } : {}),
  };
}

/** Hides the patient's declined charges. */
function withoutAskedCharges(row: Record<string, unknown>): Record<string, unknown> {
  const { attempts } = row;
  if (!Array.isArray(attempts)) return row;
  return {
    ...row,
    attempts: attempts.filter(({ initiator, state }) => initiator !== "patient" || state !== "declined"),
  };
}

function outcomeOf(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "outcome" in answer ? answer.outcome : null;
}

/** The event is written after the transaction of its change. */
const outboxAfterCommit: Tampering = {
  statement(life) {
    const waiting = new Map<unknown, Statement[]>();
    return async (statement, send) => {
      if (/insert into events/.test(statement.sql)) {
        waiting.set(send, [...(waiting.get(send) ?? []), statement]);
        return NOTHING_DONE;
      }
      const result = await send(statement);
      const events = waiting.get(send) ?? [];
      if (statement.sql !== "commit" && statement.sql !== "rollback") return result;
      waiting.delete(send);
      for (const event of statement.sql === "commit" ? events : []) {
        // A process may die here, as it may anywhere.
        if (life.troubles().next("statement", "commit")?.startsWith("dies")) life.die();
        if (!life.isDead()) await send(event);
      }
      return result;
    };
  },
};

/** Acknowledges some commits before the database has them; those are then lost. */
const acknowledgedBeforeTheCommit: Tampering = {
  statement() {
    let commits = 0;
    return async (statement, send) => {
      if (statement.sql !== "commit" || ++commits % 5 !== 0) return send(statement);
      await send({ sql: "rollback", parameters: [] });
      return { command: "COMMIT", rowCount: 0, rows: [] };
    };
  },
};

/** Changes the text of mails. */
function rewritingMails(change: (text: string) => string): Tampering {
  return calls(() => ({ method, given }, send) => {
    const [sending, ...rest] = given;
    if (method !== "sendEmail") return send(given);
    const { email, ...about } = sending as { readonly email: Email };
    return send([{ ...about, email: { ...email, text: change(email.text) } }, ...rest]);
  });
}

/** Keeps the first registered card, whichever was chosen. */
const keepingAnotherCard = calls(() => {
  let first: string | null = null;
  return async ({ method, given }, send) => {
    const [call, input] = given;
    if (method === "keepCard" && typeof input === "object") return send([call, { ...input, cardId: first }]);
    const answer = await send(given);
    if (method === "registerCard" && first === null) first = cardIn(answer);
    return answer;
  };
});

function cardIn(answer: unknown): string | null {
  const { card } = answer as { readonly card?: { readonly id: string } };
  return card?.id ?? null;
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  acknowledged_before_the_commit: {
    foundIn: { firstSeed: 1, livesMax: 5 },
    tampering: acknowledgedBeforeTheCommit,
    foundBy: /./,
  },
  retry_without_a_key: {
    foundIn: { firstSeed: 2, livesMax: 10 },
    tampering: withoutKey("charge"),
    foundBy: /neverTwoChargesForOneCause|collectedAtMostOnce|theLedgerIsTheProcessorsList|nothingIsBooked/,
  },
  unknown_taken_for_declined: {
    foundIn: { firstSeed: 3, livesMax: 10 },
    tampering: answering(["charge"], (answer) =>
      outcomeOf(answer) === "unknown" ? { outcome: "declined", reason: "declined", hard: false } : answer,
    ),
    foundBy: /theLedgerIsTheProcessorsList|neverTwoChargesForOneCause|collectedAtMostOnce/,
  },
  unknown_taken_for_captured: {
    foundIn: { firstSeed: 3, livesMax: 10 },
    tampering: answering(["charge"], (answer) =>
      outcomeOf(answer) === "unknown" ? { outcome: "captured", chargeId: "never heard of", amount: 1 } : answer,
    ),
    foundBy: /nothingIsBookedThatTheProcessorHasNot|noFailureWithoutACause/,
  },
  lease_of_a_delivery_not_checked: {
    foundIn: { firstSeed: 38, livesMax: 10 },
    tampering: rewrite(/where d\.id = ended\.id and d\.lease_id = ended\.lease_id/, ({ sql, parameters }) => ({
      sql: sql.replace("where d.id = ended.id and d.lease_id = ended.lease_id", "where d.id = ended.id"),
      parameters,
    })),
    foundBy: /everyAttemptStaysRecorded/,
  },
  another_id_for_each_attempt: {
    foundIn: { firstSeed: 1, livesMax: 5 },
    tampering: {
      body: (() => {
        let attempts = 0;
        return (body) => {
          attempts += 1;
          return body.replace(/"event_id":"[0-9a-f]{8}/, `"event_id":"${String(attempts).padStart(8, "0")}`);
        };
      })(),
    },
    foundBy: /aPaidEventHasOneId/,
  },
  lost_webhook_taken_for_delivered: {
    foundIn: { firstSeed: 7, livesMax: 20 },
    tampering: rewrite(/update webhook_deliveries d\s+set status = ended\.next/, ({ sql, parameters }) => ({
      sql: sql
        .replace("set status = ended.next", "set status = 'delivered'")
        .replace("(case when ended.next = 'scheduled' then null else ended.ended_at end)", "ended.ended_at")
        .replace("(case when ended.outcome = 'succeeded' then ended.started_at end)", "ended.started_at")
        .replace("(case when ended.outcome = 'succeeded' then ended.http_status end)", "204"),
      parameters,
    })),
    foundBy: /everyPaymentIsHeardOf/,
  },
  attempt_without_its_timer: {
    foundIn: { firstSeed: 2, livesMax: 5 },
    tampering: leaveOut(/insert into timers/, ({ parameters }) => parameters.includes("payment.settle")),
    foundBy: /theSystemHasComeToRest/,
  },
  loan_not_reduced: {
    foundIn: REFUNDED,
    tampering: calls(
      () =>
        async ({ method, given }, send) =>
          method === "reduceLoan" ? { outcome: "reduced", remaining: 0 } : send(given),
    ),
    foundBy: /loansAreWhatIsNotCancelled/,
  },
  capture_not_booked: {
    foundIn: PAID_OUT,
    tampering: leaveOut(/insert into ledger_transfers/, ({ parameters }) => String(parameters).includes("capture:")),
    foundBy: /ledgerCausesAreOnce|theLedgerIsTheProcessorsList/,
  },
  mail_without_an_id: {
    foundIn: { firstSeed: 1, livesMax: 5 },
    tampering: calls(() => {
      let mails = 0;
      return ({ method, given }, send) => {
        const [mail, ...rest] = given;
        mails += 1;
        const isMail = method === "sendEmail" && typeof mail === "object";
        return send(isMail ? [{ ...mail, messageId: `mail-${mails}` }, ...rest] : given);
      };
    }),
    foundBy: /eachMailIsOfOneNotice/,
  },
  answer_read_as_never_arrived: {
    foundIn: { firstSeed: 2, livesMax: 10 },
    tampering: {
      call: () => {
        let number = 0;
        return async ({ method, given }, send) => {
          number += 1;
          if (method === "inquireCharge") return { outcome: "not_found" };
          return send(method === "charge" ? withFreshKey(given, number) : given);
        };
      },
    },
    foundBy: /neverTwoChargesForOneCause|collectedAtMostOnce|theLedgerIsTheProcessorsList/,
  },
  transfer_without_a_key: {
    foundIn: { firstSeed: 20, livesMax: 30 },
    tampering: withoutKey("transfer"),
    foundBy: /aPayoutIsTransferredOnce|theBankHasTransferredWhatIsBooked/,
  },
  refund_told_as_another_amount: {
    foundIn: REFUNDED,
    tampering: rewrite(/json_agg\(m order by m\.position\)/, ({ sql, parameters }) => ({
      sql: sql.replace(
        "json_agg(m order by m.position)",
        "json_agg(to_jsonb(m) || jsonb_build_object('amount', m.amount + 1) order by m.position)",
      ),
      parameters,
    })),
    foundBy: /announcementsMatchMoney/,
  },
  commission_not_returned: {
    foundIn: { firstSeed: 2, livesMax: 10 },
    tampering: rewrite(/insert into "refund_movements"/, ({ sql, parameters }) => ({
      sql,
      parameters: withoutCommission(sql, parameters),
    })),
    foundBy: /noMoneyIsMisplaced/,
  },
  key_of_a_refund_not_kept: {
    foundIn: { firstSeed: 39, livesMax: 30 },
    tampering: rewrite(/insert into "order_refunds"/, ({ sql, parameters }) => ({
      sql,
      parameters: withoutColumns(sql, parameters, ["refund_reference", "key_hash"]),
    })),
    // Refunds are identified by their purpose, so a second refund with the same purpose cannot be written.
    foundBy: /acknowledgedIsThere|noFailureWithoutACause: PUT \/orders/,
  },
  chargebacks_not_asked_for: {
    foundIn: { firstSeed: 7, livesMax: 30 },
    tampering: answering(["listMovements"], () => []),
    foundBy: /chargebacksAreKnown/,
  },
  chargeback_stops_nothing: {
    foundIn: { firstSeed: 7, livesMax: 30 },
    tampering: statements((statement, send) => {
      const { sql, parameters } = statement;
      const isStop = /update "collections"/.test(sql) && parameters.includes("stopped");
      const isQuestion = /^select "id" from "chargebacks"/.test(sql) && sql.includes("limit");
      return isStop || isQuestion ? Promise.resolve(NOTHING_DONE) : send(statement);
    }),
    foundBy: /noTryAfterAChargeback|ordersGoTheModelsWay/,
  },
  outbox_outside_the_transaction: {
    foundIn: { firstSeed: 8, livesMax: 30 },
    tampering: outboxAfterCommit,
    foundBy: /paidIsReported|eventsFollowTheTable|ordersGoTheModelsWay/,
  },
  charges_that_were_asked_for_not_counted: {
    foundIn: { firstSeed: 4, livesMax: 30 },
    tampering: misread(COLLECTION_READ, withoutAskedCharges),
    foundBy: /askedChargesStayWithinCaps/,
  },
  issuer_of_a_new_card_not_asked: {
    foundIn: UNCONFIRMED_CARD,
    tampering: calls(() => ({ method, given }, send) => {
      const input: unknown = given[1];
      const isOfMandate =
        typeof input === "object" && input !== null && "purpose" in input && input.purpose === "mandate";
      return method === "authenticate" && isOfMandate ? Promise.resolve({ outcome: "not_needed" }) : send(given);
    }),
    foundBy: /noChargeOfAnUnconfirmedCard/,
  },
  revocation_not_written: {
    foundIn: { firstSeed: 264, livesMax: 10 },
    tampering: swallow(({ sql }) => /update "collections" set "revoked_card_id"/.test(sql)),
    foundBy: /aRevokedMandateIsNeverCharged/,
  },
  write_off_read_as_a_failure: {
    foundIn: WRITTEN_OFF,
    // Removes both checks between a write-off and a charge, because either one alone would prevent the charge.
    tampering: misread(COLLECTION_OR_ORDER_READ, (row) => ({
      ...row,
      ...(row.failure === "written_off" ? { failure: "tries_exhausted" } : {}),
      ...("deferred_written_off_at" in row ? { deferred_written_off_at: null } : {}),
    })),
    // The database refuses to resume a written-off collection, so that a request for it fails.
    foundBy: /noChargeAfterAWriteOff|noFailureWithoutACause: POST \/api\/spot|ordersGoTheModelsWay/,
  },
  paid_otherwise_read_as_owed: {
    foundIn: PAID_OTHERWISE,
    // Collection, order and sent links each prevent the charge, so the bug changes all three.
    tampering: statements(async (statement, send) => {
      if (SPENDING_OF_LINKS.test(statement.sql)) return NOTHING_DONE;
      const result = await send(statement);
      return COLLECTION_OR_ORDER_READ.test(statement.sql) ? { ...result, rows: result.rows.map(asOwed) } : result;
    }),
    foundBy: /noChargeOfWhatWasPaidOtherwise|noFailureWithoutACause: \w+\.\d logged timer\.failed|ordersGoTheModelsWay/,
  },
  lender_not_told: {
    foundIn: PAID_OUT,
    tampering: swallow(
      ({ sql, parameters }) => /insert into "?timers/.test(sql) && parameters.includes("collection.report_loan"),
    ),
    foundBy: /theLenderHasHeardOfEachEnd/,
  },
  paid_otherwise_not_booked: {
    foundIn: PAID_OTHERWISE,
    tampering: leaveOut(/insert into ledger_transfers/, ({ parameters }) => String(parameters).includes("otherwise:")),
    foundBy: /announcementsMatchMoney/,
  },
  changed_card_not_kept: {
    foundIn: ANOTHER_CARD,
    tampering: rewrite(/update "collections" set .*"card" = \$\d/, ({ sql, parameters }) => ({
      sql: sql.replace(/"card" = (\$\d+)/, '"card" = case when $1::text is null then "card" else "card" end'),
      parameters,
    })),
    foundBy: /acknowledgedIsThere/,
  },
  mandate_not_asked_for: {
    foundIn: { firstSeed: 8, livesMax: 10 },
    // Removes both checks between a withdrawal and a claim, because either one alone would prevent the claim.
    tampering: statements(async (statement, send) => {
      if (/"sealed_insurer_access" is not null/.test(statement.sql)) return NOTHING_DONE;
      const result = await send(statement);
      return /having bool_and\(withdrawn_at is not null\)/.test(statement.sql) ? { ...result, rows: [] } : result;
    }),
    foundBy: /nothingIsFiledWithoutAMandate/,
  },
  erased_files_still_listed: {
    foundIn: { firstSeed: 1, livesMax: 10 },
    tampering: swallow(({ sql }) => /^delete from "expense_files" using/.test(sql)),
    foundBy: /whatIsErasedIsGone/,
  },
  erased_files_still_stored: {
    foundIn: { firstSeed: 1, livesMax: 10 },
    tampering: swallow(
      ({ sql, parameters }) => /insert into "?timers/.test(sql) && parameters.includes("patient_rights.remove_files"),
    ),
    foundBy: /filesAreThoseOfReceipts/,
  },
  erasure_never_finished: {
    foundIn: { firstSeed: 1, livesMax: 10 },
    tampering: swallow(
      ({ sql, parameters }) => /insert into "?timers/.test(sql) && parameters.includes("patient_rights.erase"),
    ),
    foundBy: /erasuresHaveEnded/,
  },
  erased_what_the_law_keeps: {
    foundIn: { firstSeed: 1, livesMax: 10 },
    tampering: rewrite(/with emptied as \(\s*update orders/, ({ sql, parameters }) => ({
      sql: sql
        .replace("state in ('cancelled', 'expired')", "true")
        .replace("from order_payments p where ", "from order_payments p where false and "),
      parameters,
    })),
    foundBy: /whatTheLawKeepsIsKept/,
  },
  refused_payout_not_owed_again: {
    foundIn: { firstSeed: 2, livesMax: 10 },
    tampering: swallow(({ sql }) => /update "?payable_orders"? set moved_at = greatest/.test(sql)),
    foundBy: /payeesArePaidWhatTheyAreOwed|clinicsAreOwedWhatWasPaid/,
  },
  collected_part_not_owed_to_the_lender: {
    foundIn: PAID_OUT,
    tampering: swallow(({ sql }) => /insert into collected_orders/.test(sql)),
    foundBy: /theLenderGetsWhatWasCollected/,
  },
  settlement_booked_without_its_fee: {
    foundIn: PAID_OUT,
    tampering: rewrite(/insert into card_settlement_lines/, ({ sql, parameters }) => ({
      sql: sql.replace("::bigint[])", "::bigint[]) where false"),
      parameters,
    })),
    foundBy: /whatMovedIsSettledOnce/,
  },
  days_closed_without_their_rows: {
    foundIn: PAID_OUT,
    tampering: rewrite(/insert into ledger_balances/, ({ sql, parameters }) => ({
      sql: sql.replace("where c.provider_id", "where false and c.provider_id"),
      parameters,
    })),
    foundBy: /keptBalancesAreTheirRows/,
  },
  payout_to_another_account: {
    foundIn: PAID_OUT,
    tampering: calls(() => ({ method, given }, send) => {
      const [call, transfer] = given;
      const isTransfer = method === "transfer" && typeof transfer === "object" && transfer !== null;
      if (!isTransfer || !("account" in transfer)) return send(given);
      const account = { ...Object(transfer.account), account_number: "0099990000" };
      return send([call, { ...transfer, account }]);
    }),
    foundBy: /aPayoutGoesToItsPayee/,
  },
  document_not_asked_for: {
    foundIn: PAID_OUT,
    tampering: swallow(
      ({ sql, parameters }) => /insert into "?timers/.test(sql) && parameters.includes("tax_document.issue"),
    ),
    foundBy: /everyCommissionHasItsDocument/,
  },
  cause_of_a_charge_not_told: {
    foundIn: PAID_OUT,
    tampering: swallow(
      ({ sql, parameters }) =>
        /insert into "?notices/.test(sql) &&
        ["claim_approved", "access_blocked", "charge_announced"].some((kind) => parameters.includes(kind)),
    ),
    foundBy: /chargesMatchAnnouncements|noFailureWithoutACause/,
  },
  next_try_not_told: {
    foundIn: ANOTHER_CARD,
    tampering: swallow(
      ({ sql, parameters }) => /insert into "?notices/.test(sql) && parameters.includes("charge_declined"),
    ),
    foundBy: /chargesMatchAnnouncements/,
  },
  told_of_the_day_after: {
    foundIn: PAID_OUT,
    tampering: rewritingMails((text) =>
      text.replaceAll(/\d+(?= (?:de )?\p{L}+ (?:de )?\d{4})/gu, (day) => `${Number(day) + 1}`),
    ),
    foundBy: /chargesMatchAnnouncements/,
  },
  told_of_no_more_charges: {
    foundIn: PARTLY_REFUNDED,
    tampering: rewritingMails((text) =>
      text.replace("hizo una devolución de tu pago.", "hizo una devolución de tu pago. Ya no habrá más cobros."),
    ),
    foundBy: /chargesMatchAnnouncements/,
  },
  vat_not_booked: {
    foundIn: PAID_OUT,
    tampering: rewrite(/insert into ledger_transfers/, ({ sql, parameters }) => ({
      sql,
      parameters: parameters.map((value) =>
        Array.isArray(value) ? value.map((one) => (one === "vat" ? "commission" : one)) : value,
      ),
    })),
    foundBy: /everyCommissionHasItsDocument|noFailureWithoutACause/,
  },
  forgotten_charge_not_looked_up: {
    foundIn: { scene: "the charge's answer is lost, and the processor forgets its key" },
    tampering: answering(["listMovements"], () => []),
    foundBy: /nothingIsDoneTwiceUnderOneKey/,
  },
  forgotten_loan_not_looked_up: {
    foundIn: { scene: "the loan's answer is lost, and the lender forgets its key" },
    tampering: answering(["listLoans"], () => []),
    foundBy: /nothingIsDoneTwiceUnderOneKey/,
  },
  forgotten_transfer_not_looked_up: {
    foundIn: { scene: "the clinic is paid, the answer is lost, and the bank forgets its key" },
    tampering: answering(["listTransfers"], () => []),
    foundBy: /nothingIsDoneTwiceUnderOneKey/,
  },
  forgotten_return_not_looked_up: {
    foundIn: { scene: "a refund's answer is lost, and the processor forgets its key" },
    tampering: answering(["listMovements"], () => []),
    foundBy: /theLedgerIsTheProcessorsList|nothingIsDoneTwiceUnderOneKey/,
  },
  lost_chargeback_not_booked: {
    foundIn: { firstSeed: 20, livesMax: 30 },
    tampering: swallow(
      ({ sql, parameters }) =>
        /insert into "?ledger_transfers/.test(sql) &&
        parameters.some((value) => String(value).startsWith("chargeback:")),
    ),
    foundBy: /theProcessorsAccountIsWhatItHolds|theLedgerIsTheProcessorsList/,
  },
  removed_card_not_taken_out_of_use: {
    foundIn: { firstSeed: 5, livesMax: 30 },
    tampering: swallow(
      ({ sql, parameters }) => /update "saved_cards" set "state"/.test(sql) && parameters.includes("removing"),
    ),
    foundBy: /noPaymentWithARemovedCard|theProcessorKeepsWhatIsSaved/,
  },
  removed_card_left_on_its_order: {
    foundIn: { firstSeed: 27, livesMax: 40 },
    tampering: swallow(({ sql }) => /update orders o set card = case/.test(sql)),
    foundBy: /noPaymentWithARemovedCard/,
  },
  card_not_forgotten: {
    foundIn: REMOVED_CARD,
    tampering: calls(
      () =>
        async ({ method, given }, send) =>
          method === "forgetCard" ? { outcome: "forgotten" } : send(given),
    ),
    foundBy: /theProcessorKeepsWhatIsSaved/,
  },
  another_card_kept_than_was_asked: {
    foundIn: { firstSeed: 1, livesMax: 30 },
    tampering: keepingAnotherCard,
    foundBy: /noSavedCardWithoutAWish/,
  },
};
