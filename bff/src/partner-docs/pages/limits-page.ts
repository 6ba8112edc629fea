import { BODY_LIMITS, type BodyLimits, PUBLIC_BODY_LIMITS } from "../../contract/endpoint.ts";
import { PHONE_LENGTH_MAX, REFERENCE_LENGTH_MAX } from "../../contract/orders.ts";
import {
  ACCESS_BLOCKED_DAYS,
  ANNOUNCED_DAYS_BEFORE,
  CHARGE_FROM_HOUR,
  CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX,
  CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX,
  CUSTOM_LIFETIME_MINUTES_MAX,
  CUSTOM_LIFETIME_MINUTES_MIN,
  EXPENSE_FILE_BYTES_MAX,
  EXPENSE_FILES_MAX,
  EXPENSE_FILES_MIN,
  FREE_TRIAL_EXPENSES,
  IDEMPOTENCY_HOURS,
  IDENTITY_REJECTIONS_PER_HOUR_MAX,
  LATEST_COLLECTION_DAY,
  LONG_TERM_LIFETIME_MINUTES,
  MINTINGS_OF_ORDER_PER_HOUR_MAX,
  ORDER_STEPS_PER_MINUTE_MAX,
  PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX,
  RECEIPTS_OF_PATIENT_PER_HOUR_MAX,
  STANDARD_LIFETIME_MINUTES,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_TIMEOUT_SECONDS,
} from "../../contract/terms.ts";
import { ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";
import { EMAIL_LENGTH_MAX } from "../../contract/vocabulary/email.ts";
import { NAME_LENGTH_MAX } from "../../contract/vocabulary/person-name.ts";
import { ENDPOINTS_MAX } from "../../contract/webhooks.ts";
import { html } from "../../platform/http/html.ts";
import { type Page, section, table } from "./layout.ts";

const count = (value: number) => value.toLocaleString("en-GB");
const columns = ["What", "Limit"];

/** All limits, taken from their constants. */
export function limitsPage(): Page {
  return {
    path: "/docs/limits",
    title: "Limits",
    lead: "Everything has a limit. These are those that you may meet.",
    body: html`${section("requests", "Requests", requests)}${section("amounts", "Amounts and texts", amounts)}${section("tokens", "Widget tokens", tokens)}${section("expenses", "Receipts", expenses)}${section("later", "The later charge", later)}${section("rates", "Rates", rates)}`,
  };
}

const sizeOf = ({ bytesMax, valuesMax }: BodyLimits) => `${bytesMax / 1024} KiB, ${count(valuesMax)} values`;

const requests = table("Limits of requests", columns, [
  ["Body of a JSON request", sizeOf(BODY_LIMITS)],
  ["The same with a public credential alone", sizeOf(PUBLIC_BODY_LIMITS)],
  [
    html`<code>Idempotency-Key</code>`,
    `1 to 255 printable characters; kept ${IDEMPOTENCY_HOURS} hours, and for ever with the refund that it made`,
  ],
  ["Webhook attempts", `${WEBHOOK_ATTEMPTS_MAX}, of ${WEBHOOK_TIMEOUT_SECONDS} seconds each`],
]);

const amounts = table("Limits of amounts and texts", columns, [
  [html`<code>total_amount</code>`, `0 to ${count(ORDER_TOTAL_CLP_MAX)} pesos, no decimals; 0 and 1 cannot be paid`],
  [html`<code>reference</code>`, `1 to ${REFERENCE_LENGTH_MAX} characters`],
  ["Names", `1 to ${NAME_LENGTH_MAX} characters`],
  ["E-mail", `${EMAIL_LENGTH_MAX} characters, its domain counted in ASCII (IDNA)`],
  ["Phone number", `${PHONE_LENGTH_MAX} characters`],
]);

const tokens = table("Lifetimes of widget tokens", columns, [
  ["Standard", `${STANDARD_LIFETIME_MINUTES / 60} hour`],
  [html`<code>long_term_token</code>`, `${LONG_TERM_LIFETIME_MINUTES / 60 / 24} days`],
  [
    html`<code>expires_in_minutes</code>`,
    `${CUSTOM_LIFETIME_MINUTES_MIN} to ${count(CUSTOM_LIFETIME_MINUTES_MAX)} minutes`,
  ],
  ["Use", "Once: the payment of its order uses it up, or the end of the sign-up. Reading it does not."],
]);

const expenses = table("Limits of receipts", columns, [
  ["Files", `${EXPENSE_FILES_MIN} to ${EXPENSE_FILES_MAX}`],
  ["Size of a file", `at most ${EXPENSE_FILE_BYTES_MAX / 1024 / 1024} MB (${count(EXPENSE_FILE_BYTES_MAX)} bytes)`],
  ["Types", "PDF, photos (JPEG, PNG, HEIC, WebP) and the XML of electronic receipts, by their content"],
  ["Free trial", `fewer than ${FREE_TRIAL_EXPENSES} expenses sent`],
]);

const later = html`<p>The deferred part and its commission are charged on the first of these.</p>${table(
  "What makes the later charge due",
  columns,
  [
    [
      "The insurer approves",
      `the day on which the service learns it, from ${String(CHARGE_FROM_HOUR).padStart(2, "0")}:00 in Santiago`,
    ],
    ["The access to the insurer stays blocked", `after ${ACCESS_BLOCKED_DAYS} days`],
    [
      "Neither",
      `on day ${LATEST_COLLECTION_DAY} after the payment; ${ANNOUNCED_DAYS_BEFORE} days after its announcement, if that was late`,
    ],
    ["The patient asks for it", "at once, at any hour"],
  ],
)}<p>Patients are told of a charge that they do not start at least the day before, and of an approval on its day. A charge that could not be made on its day is announced again and made on a later one.</p>`;

const rates = html`<p>Limits count per order, token and RUT first, and generously per address, because a whole clinic shares one. Calls with <code>client_secret</code> are not counted by address. Where an endpoint has a limit, its answers say how much is left: <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code>, <code>RateLimit-Reset</code>, <code>RateLimit-Policy</code>. One request too many is answered 429 with <code>Retry-After</code>.</p>
<p>For one order ${MINTINGS_OF_ORDER_PER_HOUR_MAX} widget tokens are minted in an hour. Mint one when the patient opens the page, not while it is open. ${CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX} of them may be mailed.</p>
<p>The national registry may reject the serial of a person's identity card ${IDENTITY_REJECTIONS_PER_HOUR_MAX} times an hour, or call it not valid, over all of that person's orders with you.</p>
<p>Calls that show whether a RUT is registered (minting, receipts, sign-up, the subscription lookup): ${count(PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX)} in ten minutes from one address, with any key and at any endpoint. Receipts: ${RECEIPTS_OF_PATIENT_PER_HOUR_MAX} an hour for one patient. Steps of one order's payment: ${ORDER_STEPS_PER_MINUTE_MAX} a minute. PDFs of one order's contract: ${CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX} an hour. Webhook addresses: ${ENDPOINTS_MAX}.</p>`;
