import * as z from "zod";
import { bankAccountSchema } from "../../contract/bank-account.ts";
import { existingDaySchema } from "../../contract/vocabulary/calendar-day.ts";
import { holdsCardNumber } from "../../contract/vocabulary/card-number.ts";
import { SWITCHES } from "../../platform/switches.ts";
import { LINK_PURPOSES } from "../../self-service/send-link.ts";
import { CREDENTIAL_KINDS } from "../../tenants/credential.ts";
import { EXCEPTION_SORTS } from "../exception-store.ts";
import { EXCEPTION_KINDS, type ExceptionKind, RESOLUTIONS, type Resolution } from "../exceptions/exception-kinds.ts";
import { SEVERITIES } from "../exceptions/severity.ts";
import { monthOf } from "../month.ts";
import { MOVES, PACES } from "../moving-money.ts";
import { ROLES } from "../operators/role.ts";
import { consoleEndpoint } from "./console-route.ts";

/** Every address of the console, with its input and its answer. */

const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const timestamp = z.iso.datetime();
const pesos = z.int();
const DAY_NEEDED = "must be a day such as 2026-11-20";
const day = z.iso.date({ error: DAY_NEEDED, abort: true }).refine(isDay, DAY_NEEDED);
const known = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const kind = z.enum(Object.keys(EXCEPTION_KINDS) as [ExceptionKind, ...ExceptionKind[]]);
const resolution = z.enum(Object.keys(RESOLUTIONS) as [Resolution, ...Resolution[]]);
const note = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !holdsCardNumber(text), "must not hold a card number");
const TIME_NEEDED = "must be a time such as 2026-11-20T12:00:00Z";
const time = z.iso
  .datetime({ error: TIME_NEEDED, abort: true })
  .refine((text) => isDay(text.slice(0, "YYYY-MM-DD".length)), TIME_NEEDED);
/** Whole pesos, as a number or with the dots of a Chilean amount. */
const typedPesos = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^(?:\d{1,9}|\d{1,3}(?:\.\d{3}){1,2})$/, "must be whole pesos, such as 53110 or 53.110")
      .transform((text) => Number(text.replaceAll(".", ""))),
  ])
  .pipe(z.int().min(1).max(999_999_999));
const month = z
  .string()
  .refine((text) => monthOf(text) !== null, "must be a month such as 2026-11")
  .optional();
/** A form sends one value as a text and several as a list. */
const several = (item: z.ZodString, most: number) =>
  z.union([item.transform((one) => [one]), z.array(item).min(1).max(most)]);
const carriedOut = {
  outcome: z.string(),
  /** Shown only in this answer; null if none was created. */
  secret: z.object({ name: z.string(), value: z.string() }).nullable(),
};
/** An act that needs two operators: done, or requested. */
const twoPeople = z.discriminatedUnion("is_done", [
  z.object({ is_done: z.literal(true), ...carriedOut }),
  z.object({ is_done: z.literal(false), approval: z.string() }),
]);
const clinicNamed = z.object({ id: z.string(), name: z.string() });

const severity = z.enum(SEVERITIES);
const exception = z.object({
  exception: z.string(),
  kind,
  severity,
  provider_id: z.string(),
  subject: z.string(),
  order_hash: z.string().nullable(),
  since: timestamp,
  age_seconds: z.int(),
  facts: known,
  resolutions: list(resolution),
});
/** All exceptions of a kind, also beyond the end of a list. */
const exceptionTotal = z.object({
  kind,
  severity,
  count: z.int(),
  oldest_seconds: z.number(),
  amount: pesos.nullable(),
});
const entry = z.object({
  at: timestamp,
  what: z.string(),
  means: z.string(),
  subject: z.string().nullable(),
  amount: pesos.nullable(),
  facts: known,
});
const timeline = z.object({
  order_hash: z.string(),
  provider_id: z.string(),
  provider: z.string(),
  reference: z.string(),
  state: z.string(),
  amounts: z.object({
    total: pesos,
    first_instalment: pesos,
    deferred: pesos,
    refunded: pesos,
    deferred_collected: pesos,
    deferred_cancelled: pesos,
  }),
  patient: z.object({
    rut: z.string(),
    name: z.string(),
    email: z.string(),
    phone_number: z.string(),
    card: z.object({ brand: z.string(), kind: z.string().nullable(), last4: z.string().nullable() }).nullable(),
  }),
  happened: list(entry),
  waits: list(entry),
  next: list(
    z.object({
      what: z.string(),
      means: z.string(),
      at: timestamp,
      attempts: z.int(),
      standing: z.enum(["to_come", "running", "late"]),
    }),
  ),
  exceptions: list(exception.pick({ exception: true, kind: true, since: true, resolutions: true })),
  switched_off: list(z.enum(SWITCHES)),
});
/** The current time at the clinic, from which the last pause is counted. */
const shownTimeline = timeline.extend({ now: timestamp, revealed: z.boolean() });
const endpointState = z.object({
  id: z.string(),
  url: z.string(),
  kinds: list(z.string()),
  paused: z.boolean(),
  failing_since: timestamp.nullable(),
});
const payout = z.object({
  payout: z.string(),
  payee: z.string(),
  day: z.string(),
  amount: pesos,
  state: z.string(),
  refusal: z.string().nullable(),
  transfer: z.string().nullable(),
  settled_at: timestamp.nullable(),
  returned_at: timestamp.nullable(),
});
const booked = z.object({
  at: timestamp,
  debit: z.string(),
  credit: z.string(),
  amount: pesos,
  cause: z.string(),
  order: z.string().nullable(),
});
const balance = z.object({ account: z.string(), balance: pesos });

export const CONSOLE_PAGE_MAX = 50;
/** The maximum number of exceptions that are resolved together. */
export const TOGETHER_MAX = 500;

export const consoleEndpoints = {
  home: consoleEndpoint({
    method: "GET",
    path: "/",
    ability: "look",
    summary: "The work that waits for a person, and the state of the service.",
    answer: z.object({
      exceptions: list(exceptionTotal),
      switched_off: list(z.object({ what: z.enum(SWITCHES), provider_id: z.string().nullable() })),
      /** In seconds; null if nothing waits. */
      oldest: z.object({
        timer: z.number().nullable(),
        event: z.number().nullable(),
        webhook: z.number().nullable(),
        reconciliation: z.number().nullable(),
      }),
      first_reconciliation_at: timestamp.nullable(),
      /** Calls of gateways whose outcome is unknown, by kind. */
      open_outcomes: list(z.object({ of: z.string(), count: z.int(), oldest_seconds: z.number() })),
    }),
  }),
  readMoving: consoleEndpoint({
    method: "GET",
    path: "/money",
    ability: "look",
    summary: "Whether money moves: today until now, against the same time of the seven days before, over all clinics.",
    answer: z.object({
      moves: list(
        z.object({
          move: z.enum(MOVES),
          pace: z.enum(PACES),
          usual_count: z.int(),
          days: list(z.object({ days_ago: z.int(), count: z.int(), pesos: pesos.nullable() })),
        }),
      ),
      confirmed: list(z.object({ party: z.string(), seconds_ago: z.number().nullable() })),
      open_outcomes: list(
        z.object({
          of: z.string(),
          count: z.int(),
          oldest_seconds: z.number(),
          by_age: z.object({ five_minutes: z.int(), hour: z.int(), day: z.int(), older: z.int() }),
        }),
      ),
    }),
  }),
  listGateways: consoleEndpoint({
    method: "GET",
    path: "/gateways",
    ability: "look",
    summary: "The outside parties that processes have called: when each last answered, and whether calls have stopped.",
    answer: z.object({
      gateways: list(
        z.object({
          party: z.string(),
          processes: z.int(),
          requests_stopped: z.int(),
          background_stopped: z.int(),
          stopped_since: timestamp.nullable(),
          answered_at: timestamp.nullable(),
          unanswered_at: timestamp.nullable(),
        }),
      ),
    }),
  }),
  askForOrders: consoleEndpoint({
    method: "GET",
    path: "/orders",
    ability: "look",
    summary: "The form that finds orders.",
    answer: z.object({ clinics: list(clinicNamed) }),
  }),
  /** A POST, because browsers and logs would keep a RUT in an address. */
  searchOrders: consoleEndpoint({
    method: "POST",
    path: "/orders/search",
    ability: "look",
    summary:
      "Orders by hash or reference, for support and operators also by RUT or e-mail, newest first; each search for a person and each order found is audited.",
    body: z.strictObject({ text: z.string().trim().min(3).max(200), provider_id: z.uuid().optional() }),
    answer: z.object({
      orders: list(
        z.object({
          order_hash: z.string(),
          provider_id: z.string(),
          provider: z.string(),
          reference: z.string(),
          state: z.string(),
          total: pesos,
          created_at: timestamp,
        }),
      ),
      /** Whether there may be more exceptions. */
      only_newest: z.boolean(),
    }),
  }),
  readOrder: consoleEndpoint({
    method: "GET",
    path: "/orders/{hash}",
    ability: "look",
    summary: "Everything that happened to an order, its patient masked; audited.",
    answer: shownTimeline,
  }),
  revealOrder: consoleEndpoint({
    method: "POST",
    path: "/orders/{hash}/reveal",
    ability: "reveal",
    summary: "The same with the patient's data; audited with its reason.",
    body: z.strictObject({ reason: note }),
    answer: shownTimeline,
  }),
  sendLink: consoleEndpoint({
    method: "POST",
    path: "/orders/{hash}/links",
    ability: "help",
    summary: "Sends the order's patient a link, to the order's address; it asks for a code.",
    body: z.strictObject({ purpose: z.enum(LINK_PURPOSES) }),
    answer: z.object({
      order_hash: z.string(),
      purpose: z.enum(LINK_PURPOSES),
      /** False if the link would currently have no use. */
      sent: z.boolean(),
    }),
  }),
  listExceptions: consoleEndpoint({
    method: "GET",
    path: "/exceptions",
    ability: "look",
    summary: "The exceptions that an operator must resolve: the severest first, and among equals the oldest.",
    query: z.object({
      kind: kind.optional(),
      provider_id: z.uuid().optional(),
      sort: z.enum(EXCEPTION_SORTS).optional(),
    }),
    answer: z.object({
      exceptions: list(exception),
      totals: list(exceptionTotal),
      clinics: list(clinicNamed),
      /** Whether there may be more exceptions. */
      only_oldest: z.boolean(),
    }),
  }),
  readException: consoleEndpoint({
    method: "GET",
    path: "/exceptions/{name}",
    ability: "look",
    summary: "One exception, with the operators who have requested a resolution.",
    answer: z.object({
      exception,
      clinic: z.string(),
      /** The first of two operators. */
      asked_first: z
        .object({ resolution: z.string(), amount: pesos.nullable(), by: z.string(), at: timestamp })
        .nullable(),
      /** The account to confirm. */
      account: z.object({ bank: z.string(), ending: z.string(), holder: z.string() }).nullable(),
      /** A claim to file by hand, for the operators who may; its reading is audited. */
      claim: z
        .object({
          insurer: z.string(),
          rut: z.string(),
          patient: z.string(),
          total: pesos,
          refunded: pesos,
          documents: list(z.object({ name: z.string(), type: z.string() })),
        })
        .nullable(),
      /** A patient's request, for the operators who may answer it; its reading is audited. */
      request: z.object({ kind: z.string(), words: z.string(), rut: z.string(), answer_by: timestamp }).nullable(),
    }),
  }),
  resolveException: consoleEndpoint({
    method: "POST",
    path: "/exceptions/{name}/resolve",
    ability: "resolve",
    summary: "Resolves an exception as shown, with the operator's reason.",
    body: z.strictObject({ resolution, note, amount: typedPesos.optional(), day: day.optional() }),
    answer: z.object({
      exception: z.string(),
      resolution,
      /** False if another operator must request the same. */
      is_done: z.boolean(),
      outcome: z.string(),
      /** The order's hash; null if the exception was not about an order. */
      order_hash: z.string().nullable(),
    }),
  }),
  readClaimDocument: consoleEndpoint({
    method: "GET",
    path: "/exceptions/{name}/documents/{number}",
    ability: "help",
    summary: "A document of a claim to file by hand; audited. A browser downloads it.",
    answer: z.object({ name: z.string(), type: z.string(), base64: z.string() }),
  }),
  resolveTogether: consoleEndpoint({
    method: "POST",
    path: "/resolutions",
    ability: "resolve",
    summary: "Resolves several exceptions in the background, each separately.",
    body: z.strictObject({ resolution, note, exceptions: several(z.string().max(300), TOGETHER_MAX) }),
    answer: z.object({ job_id: z.string() }),
  }),
  readJob: consoleEndpoint({
    method: "GET",
    path: "/resolutions/{id}",
    ability: "look",
    summary: "The progress of a job.",
    answer: z.object({
      job_id: z.string(),
      resolution,
      note: z.string().nullable(),
      actor: z.string(),
      begun_at: timestamp,
      ended_at: timestamp.nullable(),
      items: list(
        z.object({
          exception: z.string(),
          state: z.enum(["waiting", "done", "second_operator", "refused"]),
          outcome: z.string().nullable(),
        }),
      ),
    }),
  }),
  listClinics: consoleEndpoint({
    method: "GET",
    path: "/clinics",
    ability: "look",
    summary: "The clinics.",
    answer: z.object({
      clinics: list(clinicNamed.extend({ rut: z.string(), active: z.boolean() })),
    }),
  }),
  readClinic: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}",
    ability: "look",
    summary: "A clinic's settings, credentials (secrets by their last characters) and webhooks.",
    answer: z.object({
      clinic: clinicNamed.extend({
        rut: z.string(),
        active: z.boolean(),
        origins: list(z.string()),
        return_urls: list(z.string()),
        support_email: z.string(),
        support_phone: z.string().nullable(),
        support_whatsapp: z.string().nullable(),
        commission_percentage: z.number(),
      }),
      credentials: list(
        z.object({
          id: z.string(),
          kind: z.string(),
          value: z.string().nullable(),
          hint: z.string(),
          created_at: timestamp,
          ends_at: timestamp.nullable(),
        }),
      ),
      webhooks: list(endpointState),
    }),
  }),
  rotateCredential: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/credentials",
    ability: "credentials",
    summary:
      "A new credential of a kind, once a second operator requests the same; the old ones end after the overlap (0: at once).",
    body: z.strictObject({
      kind: z.enum(["client_secret", "client_id", "public_key", "secret_key"]),
      overlap_hours: z.coerce.number().int().min(0),
    }),
    answer: twoPeople,
  }),
  revokeCredentials: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/credentials/revoke",
    ability: "credentials",
    summary: "Ends a clinic's credentials of a kind at once, without creating a new one.",
    body: z.strictObject({ kind: z.enum(CREDENTIAL_KINDS) }),
    answer: z.object({ clinic: clinicNamed, kind: z.string(), revoked: z.int() }),
  }),
  setSupportEmail: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/support-email",
    ability: "credentials",
    summary: "Changes a clinic's support e-mail, once a second operator requests the same.",
    body: z.strictObject({ support_email: z.email().max(255) }),
    answer: twoPeople,
  }),
  listApprovals: consoleEndpoint({
    method: "GET",
    path: "/approvals",
    ability: "look",
    summary: "The open requests for acts that need two operators, oldest first.",
    answer: z.object({
      approvals: list(
        z.object({
          approval: z.string(),
          act: z.string(),
          subject: z.string(),
          provider: z.string().nullable(),
          request: known,
          requested_by: z.string(),
          requested_at: timestamp,
          lapses_at: timestamp,
          /** Whether the caller's role may approve it and another operator requested it. */
          may_approve: z.boolean(),
        }),
      ),
    }),
  }),
  approveRequest: consoleEndpoint({
    method: "POST",
    path: "/approvals/{id}/approve",
    ability: "resolve",
    summary: "Approves another operator's request and carries it out; a new secret is shown once.",
    body: z.strictObject({ note: note.optional() }),
    answer: z.object({ approval: z.string(), ...carriedOut }),
  }),
  refuseRequest: consoleEndpoint({
    method: "POST",
    path: "/approvals/{id}/refuse",
    ability: "resolve",
    summary: "Refuses another operator's request, or withdraws the caller's own.",
    body: z.strictObject({}),
    answer: z.object({ approval: z.string(), refused: z.literal(true) }),
  }),
  changeAccount: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/account",
    ability: "account",
    summary: "Changes the bank account for a clinic's payouts; it is used once two operators have confirmed it.",
    body: bankAccountSchema,
    answer: z.object({ clinic: clinicNamed, account_ending: z.string() }),
  }),
  readMoney: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/money",
    ability: "look",
    summary: "A clinic's payouts of a month with their sums, and the balances of its accounts.",
    query: z.object({ month }),
    answer: z.object({
      clinic: clinicNamed,
      month: z.string(),
      payouts: list(payout),
      totals: list(z.object({ payee: z.string(), state: z.string(), net: pesos, fee: pesos, fee_vat: pesos })),
      balances: list(balance),
    }),
  }),
  readStatement: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/statement",
    ability: "look",
    summary:
      "A month of a clinic's account and of each of its centres': opening balance, movements with the clinic's references, closing balance.",
    query: z.object({ month }),
    answer: z.object({
      clinic: clinicNamed,
      month: z.string(),
      accounts: list(
        z.object({
          payee: z.string(),
          name: z.string(),
          opening: pesos,
          sums: z.object({ sales: pesos, refunds: pesos, fees: pesos, fee_vat: pesos, payouts: pesos }),
          closing: pesos,
          movements: list(
            z.object({
              at: timestamp,
              kind: z.enum(["sale", "sale_returned", "refund", "fee", "fee_vat", "payout", "payout_returned"]),
              order: z.string(),
              reference: z.string(),
              refund_reference: z.string().nullable(),
              payout: z.string().nullable(),
              amount: pesos,
              balance: pesos,
            }),
          ),
        }),
      ),
    }),
  }),
  readTrialBalance: consoleEndpoint({
    method: "GET",
    path: "/trial-balance",
    ability: "look",
    summary: "The trial balance of all clinics at the end of a day: debits, credits and balance of each account.",
    query: z.object({ at: day.optional() }),
    answer: z.object({
      at: z.string(),
      clinics: z.int(),
      accounts: list(z.object({ account: z.string(), debit: pesos, credit: pesos, balance: pesos })),
      total: z.object({ debit: pesos, credit: pesos, balance: pesos }),
    }),
  }),
  readPayout: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/payouts/{payout}",
    ability: "look",
    summary: "A payout's amounts, order by order.",
    answer: z.object({
      clinic: clinicNamed,
      payout: z.string(),
      items: list(z.object({ order: z.string(), net: pesos, fee: pesos, fee_vat: pesos })),
    }),
  }),
  readLedger: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/ledger",
    ability: "look",
    summary: "Every row of a clinic's ledger of a month, oldest first.",
    query: z.object({ month }),
    answer: z.object({ clinic: clinicNamed, month: z.string(), entries: list(booked) }),
  }),
  askToReconcile: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/reconciliation",
    ability: "look",
    summary: "The open differences, and the form that compares some days again.",
    answer: z.object({ clinic: clinicNamed, differences: list(exception) }),
  }),
  reconcile: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/reconciliation",
    ability: "look",
    summary: "Compares some days now: books, and the outside parties' own lists.",
    body: z.strictObject({ from: day.optional(), to: day.optional() }),
    answer: z.object({
      clinic: clinicNamed,
      from: z.string(),
      to: z.string(),
      agrees: z.boolean(),
      unavailable: list(z.string()),
      compared: z.record(z.string(), z.int()),
      differences: list(
        z.object({
          kind: z.string(),
          party: z.string(),
          order_hash: z.string().nullable(),
          reference: z.string(),
          expected: pesos.nullable(),
          found: pesos.nullable(),
        }),
      ),
    }),
  }),
  readDeliveries: consoleEndpoint({
    method: "GET",
    path: "/clinics/{id}/webhooks/{endpoint}",
    ability: "look",
    summary: "The deliveries of a webhook endpoint with their attempts, newest first.",
    query: z.object({ status: z.enum(["pending", "delivered", "failed"]).optional(), after: z.uuid().optional() }),
    answer: z.object({
      clinic: clinicNamed,
      endpoint: endpointState,
      deliveries: list(
        z.object({
          id: z.string(),
          event: z.string(),
          order_hash: z.string().nullable(),
          status: z.enum(["pending", "delivered", "failed"]),
          created_at: timestamp,
          next_attempt_at: timestamp.nullable(),
          attempts: list(
            z.object({
              number: z.int(),
              started_at: timestamp,
              status: z.int().nullable(),
              explanation: z.string().nullable(),
            }),
          ),
        }),
      ),
      next: z.string().nullable(),
    }),
  }),
  replayWebhooks: consoleEndpoint({
    method: "POST",
    path: "/clinics/{id}/webhooks/{endpoint}/replay",
    ability: "replay",
    summary: "Sends ended deliveries again: one, or all that failed since a day.",
    body: z.union([z.strictObject({ delivery_id: z.uuid() }), z.strictObject({ since: day })]),
    answer: z.object({ clinic: clinicNamed, endpoint_id: z.string(), replayed: z.int() }),
  }),
  listSwitches: consoleEndpoint({
    method: "GET",
    path: "/switches",
    ability: "look",
    summary: "The switches that are off, for all clinics or for one.",
    answer: z.object({
      off: list(
        z.object({ what: z.enum(SWITCHES), provider_id: z.string().nullable(), clinic: z.string().nullable() }),
      ),
      clinics: list(clinicNamed),
    }),
  }),
  changeSwitch: consoleEndpoint({
    method: "POST",
    path: "/switches",
    ability: "switch",
    summary: "Stops or resumes something, at once in every process.",
    body: z.strictObject({ what: z.enum(SWITCHES), state: z.enum(["off", "on"]), provider_id: z.uuid().optional() }),
    answer: z.object({
      what: z.enum(SWITCHES),
      state: z.enum(["off", "on"]),
      clinic: z.string().nullable(),
      /** False if the switch was already in that position. */
      is_changed: z.boolean(),
    }),
  }),
  readAudit: consoleEndpoint({
    method: "GET",
    path: "/audit",
    ability: "audit",
    summary: "Audited acts, newest first.",
    query: z.object({
      actor: z.string().max(60).optional(),
      act: z.string().max(60).optional(),
      before: time.optional(),
    }),
    answer: z.object({
      rows: list(
        z.object({
          at: timestamp,
          actor: z.string(),
          act: z.string(),
          subject_kind: z.string(),
          subject_id: z.string(),
          provider_id: z.string().nullable(),
          details: z.record(z.string(), z.unknown()),
        }),
      ),
      next_before: timestamp.nullable(),
    }),
  }),
  listOperators: consoleEndpoint({
    method: "GET",
    path: "/operators",
    ability: "look",
    summary: "Present and former operators.",
    answer: z.object({
      operators: list(
        z.object({
          name: z.string(),
          role: z.enum(ROLES),
          added_at: timestamp,
          ended_at: timestamp.nullable(),
          /** When the token of the command line expires; null if none was shown to them. */
          token_ends_at: timestamp.nullable(),
        }),
      ),
    }),
  }),
};

function isDay(text: string): boolean {
  return existingDaySchema.safeParse(text).success;
}
