import { DELIVERIES_KEPT_DAYS, RECEIPT_DUE_DAYS } from "../../contract/terms.ts";
import { html } from "../../platform/http/html.ts";
import type { KeptRelease } from "../kept-differences.ts";
import type { Page } from "./layout.ts";
import { blocks, bullets, inHtml, line, nothing, type Part, pageOf, section, strong, subheading } from "./part.ts";
import type { Site } from "./site.ts";

interface Change {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly changes: readonly string[];
}

/** Newest first. Changes only add to the interface; a removal would be announced here beforehand. */
export const changes: readonly Change[] = [
  {
    date: "2026-11-28",
    changes: [
      "Payouts: `GET /api/statement` (`secret_key`) returns what is owed to you and to each of your centres in a month: the balance at its start, each movement with your `reference` and `refund_reference`, the fee and its VAT, and the balance at its end, or now. It answers 60 requests an hour, and 422 for a month of more than 50,000 movements.",
      "Packages 0.4.0: `@aapd/server`, `@aapd/embed`, `@aapd/react` and `@aapd/e2e`, with the kit. All three clients send an `Idempotency-Key` with receipts. `aapd-dev sandbox --meta` gets the keys of a meta-provider.",
      "Sandbox: the guide has scripts in Python, PHP and shell that get keys without Node.",
      "The OpenAPI document has a contact, and the `items` of `data.installments` are `{}` instead of `false`, because tools require an object there. The list still has two instalments.",
      "Payments: once a claim has ended without an approval, `upcoming_charge` is `on_day`, because only its last day can make the charge due; it was `by_day`. On the patient's payment page, `lost_amount` is the part of `disputed_amount` that the bank no longer reviews.",
      "Refunds: on the patient's payment page, `transferred` is the part of `by_transfer` that was transferred.",
      "Pages: `card_page_display` of `GET /api/spot/widget/{token}` is `window` where the card processor's page cannot be framed. The checkout then opens that page with one press.",
      "Payouts: `returned_at` of `GET /api/payouts` and `GET /api/payouts/{id}` says when the bank sent a payout back; its `status` is then `refused`. We mail you, and a later payout contains the amount again. `ends_by` says by when the bank makes a transfer that it has accepted for later; until then `status` is `sending`. `refusal` has new values.",
      "Bank accounts: `bank` may be the three-digit code (SBIF) of a bank instead of its name.",
      "Payments: an order whose later charge is more than the card processor charges at once, or one patient in a day, is answered 400 `amount_too_large` by `POST /orders/{hash}/payment`; so is the amount by `GET /api/quote`. `blocked_by` of `GET /api/spot/widget/{token}` says it, or `amount_too_small`, before the patient types anything.",
      "Orders: `tax_documents` lists the exempt documents of a commission that is interest, where its lender has the operator issue them. Their `vat` is 0.",
      "Pages: `display` of the card processor's page and of an issuer's challenge is `window` where the page cannot be framed. The checkout then opens it in its own window, at the patient's press.",
      "Cards: `exp_month`, `exp_year` and `holder_name` of `payment_method`, and `exp_month` and `exp_year` of `cards`, are absent where the card processor does not report them. Today's processor reports them all.",
      "Projects that pay in the sandbox, with a webhook route, a receipt and a test: Express, Next.js, React with Vite, Flask and PHP. `aapd-dev new` writes one with its own keys; `/docs/projects/express.zip` and the like are the same to download.",
      "`aapd-dev trigger order.paid --offline --forward-to URL` sends a signed example event of any kind to your receiver, without a sandbox.",
      "`aapd-dev mcp` offers the guide's pages as resources, structured answers, and new tools that submit receipts, refund orders, decide claims, read mails, inject faults and examine your integration. `move_clock` takes `+2d`.",
      "The clients for Python and PHP list and cancel orders, list refunds, revoke widget tokens, list and read receipts, and manage centres (`list_orders`, `cancel_order`, `list_refunds`, `revoke_widget_token`, `list_receipts`, `read_receipt`, `upsert_centers`, `list_centers`). The last four need the new option `secret_key` (PHP: `secretKey`). An error of `@aapd/server` says what to do, such as which key to check; it names no widget token.",
      "Errors: the `message` of each of the `errors` says what the field must be, such as `must be a whole number` or `is missing`.",
      "Sandbox: the checkout of every new tenant may be framed by pages at `http://localhost` and `http://127.0.0.1`, on the ports 3000, 4200, 5000, 5173, 8000 and 8080.",
      "Documentation: the guide is in Spanish too, at `/docs/es`; `/docs` leads browsers that prefer Spanish there. Every page can be searched, samples can be copied, and those in several languages are tabs. New pages for meta-providers and about versions and changes.",
      "`aapd-dev doctor` probes each key and address, tells causes of a refused event apart (secret, parsed body, redirect, CSRF, late), compares the variables with `.aapd/`, and, with Playwright in your project, sees a checkout that is hidden, clipped, in a sandbox, mounted twice or expired.",
      "`aapd-dev` has new commands: `receipt`, `refund`, `claim`, `mail`, `fault` and `resend`, for one order or event of the sandbox. `listen` prints the id of each event. `doctor` names each variable that it needs and that is not set, examines what it can without it, and mints no widget token.",
      "Clients for Python and PHP: `/docs/clients/aapd.py` and `/docs/clients/Aapd.php`, one file each without packages. They create, read and refund orders, mint widget tokens, submit receipts, and verify webhooks and signed receipts.",
      "Sign-up: the answers to `POST /api/spot/user` and `POST /api/spot/user/recovery/verify` have `status`, `proven` or `unproven`, and `proof_until`, the time at which an unproven registration ends. From then on, a receipt is answered 404 `beneficiary_not_found`.",
      "Webhooks: kinds for what follows a payment, only for endpoints that list them: `claim.filed`, `claim.held`, `claim.approved`, `claim.rejected`, `access.missing`, `access.blocked`, `collection.collected`, `collection.declined`, `collection.failed`, `chargeback.opened` and `chargeback.closed`, the last two with `chargeback`. `GET /api/events` has them all; each counts in `sequence`.",
      "Lists: `GET /orders/{hash}/refunds` (`client_secret`), `GET /api/spot/sacmed/centers` and `GET /api/spot/gastos` (`secret_key`) list refunds, centres and expenses; `GET /api/spot/gastos/{id}` reads one expense, 404 `expense_not_found` for any other. `listRefunds`, `listCenters`, `listExpenses` and `readExpense` of `@aapd/server` call them.",
      "Requests: unknown parameters of a query are ignored; they were 422 `validation_error` except with GET. A field of the body in the query is still 422, with words that say where it belongs; with a receipt only `skip_pay_order_id` is refused, with 400 `processing_error`. In staging, an unknown field of a body that is one letter away from a known one, whatever its capitals and separators, is 422 and names the one that you may have meant. No other unknown name is repeated in an answer.",
      "Requests: `long_term_token` in the query may be `True` or `False`, as Python writes them. A RUT may have zeros before its first group (`0045.637.139-6`). A sign-up with an ended token is 410 also if its consents are missing; it was 400.",
      "Pages: `GET /orders/{hash}` with `client_id` answers your registered origins (CORS), as the other calls with a public credential do.",
      "Widget tokens: `DELETE /api/spot/widget/{token}` with `client_secret` revokes one (`revokeWidgetToken` of `@aapd/server`). It is then answered 410 `widget_token_revoked`. `POST /api/spot/widget` accepts `Authorization: Bearer <client_secret>` in addition to `public_key`: such minting is not limited by address, and a wrong secret is 401 `invalid_credential`. A RUT that is not the order's is 409 `order_of_another_patient`; it was ignored. Without `provider_data` the patient sees the order's centre.",
      "The frame: `error` with `widget_token_expired` is now `recoverable`, and the frame sends `request_token` by itself, once: with `requestToken` an expired link continues without a press. Each screen of the checkout is an entry of the browser's history, so that Back is one step back, in a frame too; before `completed` the frame returns to the entry in which it was mounted.",
      "Patient data: the `propertyNames` of `expenses[].unread_fields` are no longer stated in the document. They said only that names are text.",
      "Payments: the payment of an order that can no longer be paid, and a card for it, are 409 `order_not_payable` before anything that its patient has left to do.",
      "Refunds: `amount` of `PUT /orders/{hash}/refund` may be digits as text, as `total_amount` may. A `refund_reference` that was used with another amount is 422 `refund_reference_reused`; it was `idempotency_key_reused`, also where no key was sent.",
      "Methods: an address of an endpoint that is called by another method answers 405 `method_not_allowed` with `Allow`. It was 404.",
      "Orders: `GET /orders` lists your orders, newest first, with filters `reference`, `status`, `rut`, `created_from` and `created_to`, and pages by `after` and `limit`. `listOrders` of `@aapd/server` calls it.",
      "Payments: `waits_for` of the answer to `POST /orders/{hash}/payment`, with `processing`, says who has to respond: the `bank` or the `lender`. The widget's page inquires about a loan under review each time it asks, so the patient learns a decision within seconds.",
      "Checkout: help stands in the header, with telephone, WhatsApp and mail, and the patient can switch the language. Your WhatsApp number, if we have one, is `support.whatsapp` of `GET /api/spot/widget/{token}`. In the dark scheme the main button is your accent, as light as white words permit. `/embed/tokens.json` has the checkout's colours, sizes and fonts as W3C design tokens.",
      "Payment pages: `payment_page_url` of `GET /orders/{hash}` (`client_secret`) is the address on which the patient of a paid order follows the claim and the second charge, pays early, changes the card, gives access to the isapre and downloads the contract. It is the same for the whole life of the order, and shows nothing before a code that the patient gets by e-mail: link to it from your portal. `POST /api/spot/patient/payment` is the call of that page, whose session has the new `purpose` `payment`.",
      "Reference: every operation, parameter and field has a description. The OpenAPI document now lists query parameters that it left out: `from` and `to` of `GET /api/payouts` and `GET /api/reconciliation`, `after` and `limit` of `GET /api/events`, the same and `status` of `GET /api/webhook_endpoints/{id}/deliveries`, and `locale` of `GET /orders/{hash}/agreement`.",
      "Declined cards: `declined_cards` of the order that the widget reads (`GET /orders/{hash}` with `client_id`, `order` of `GET /api/spot/widget/{token}`) lists the cards whose decline another try does not change, each with its `decline_reason`. The checkout does not offer them for this payment again, also after a reload.",
      "Help: `support.whatsapp` of the widget's session is your WhatsApp number for patients, where you gave one.",
      "Dialog: × and Escape ask first once the patient has typed in a form; a second press closes a frame that does not answer. The frame and the dialog are titled *Pago seguro* (*Secure payment*).",
      "Language: the language that a patient chooses in the checkout is kept for all pages and mails of the order. `locale` of `POST /api/spot/widget/shown` records it, and `locale_chosen` of `GET /api/spot/widget/{token}` says so: the `locale` of the embed kit then no longer sets the language with which the page opens, while `update({ locale })` still changes it. Links that we send open in the language of their mail.",
      "Payment pages: the patient also downloads the receipt and the calendar entry there, by `POST /api/spot/patient/payment/file`; `files` of `POST /api/spot/patient/payment` names them.",
      "Documents: the widget downloads the receipt of a paid order as a PDF with `GET /orders/{hash}/receipt/file`, and the day of its second charge as a calendar entry with `GET /orders/{hash}/calendar/file`. Both come with the patient's mails, as the contract does.",
      "Payouts: `fee_vat` of each item of `GET /api/payouts/{id}` is the VAT in the `fee` that we keep; it is 0 where your fee is exempt. `net` and `fee` still sum to the price less refunds.",
      "Agreement: `withdrawal` of `GET /api/spot/widget/{token}` is our sentence about the right of withdrawal, which the checkout shows with the price. It is also one of the `texts` of a quote and an agreement, with the `kind` `withdrawal`. Our texts say who charges the fee, with its net price and VAT.",
      "Receipts: `POST /api/spot/gastos` and `POST /api/spot/gastos-url` honour `Idempotency-Key`, so that a plain expense sent again is not recorded twice. The same patient, fields and files get the first answer with `Idempotency-Replayed`; others are 422 `idempotency_key_reused`. Two at once record one; a repeat may be answered 409 `idempotency_in_flight`, and an invalid key 422 `idempotency_key_malformed`.",
      "Orders: `POST /orders` answers 503 `commission_not_allowed` while your agreed fee exceeds the legal maximum rate without a recorded legal basis. We are notified and contact you; existing orders are unaffected.",
    ],
  },
  {
    date: "2026-11-27",
    changes: [
      "Receipts: a file input that was left empty is no file; a file may have any name or none (`archivo-1.pdf`); a PDF's header may stand anywhere in its first 1,024 bytes. A PDF that needs a password to open is accepted, and `missing_document_types` says `unlocked_receipt`: its claim is held until you send the same order's expense again with a PDF that needs none. A PDF that only restricts printing or copying opens without a password and is filed as it is.",
      "New refusals, all `422` `validation_error`: `customer.phone_number` needs 8 to 15 digits; names need a letter; names, `reference` and `refund_reference` hold no control, zero-width or bidirectional characters.",
      "Limits: calls that show whether a RUT is registered share one limit for an address, over all public keys and endpoints. Sandbox tenants that you make with keys from `POST /sandbox/keys` end with those keys.",
      "Every `signed_receipt` of an order has the same `jti`: remember it with the order, and refuse it if it comes again.",
      "Limits: a JSON body sent with a public credential has at most 16 KiB and 512 values; one sent with a secret keeps 64 KiB, with at most 4,096 values. More is 413 `body_too_large`. No valid body comes near.",
      "Webhooks: registering a URL that one of your endpoints already has, or changing an endpoint to it, is `409` `webhook_endpoint_exists`; `webhook_endpoint_id` names that endpoint. Before, such a URL received every event twice. `POST /api/webhook_endpoints`, `/{id}/rotate_secret`, `/test` and `POST /api/webhook_endpoints/{id}/replay` honour `Idempotency-Key`: a repeat is answered with `Idempotency-Replayed`, or refused with `409` `idempotency_in_flight` while the first request runs, 422 `idempotency_key_reused` or 422 `idempotency_key_malformed`.",
      "Claims: `claim` of the order (`client_secret`) says where the patient's reimbursement stands: its `status`, with `missing_document_types` when it is `held` for documents that only you can send, and the insurer's `rejection_code`. `missing_step` of the order says what the patient has still to do. The answer to a receipt sent again names what the insurer found missing; `readable_photo` and `other_document` are new values. A document that comes for a held claim never takes the place of the receipt.",
      "Packages: `@aapd/server` and `@aapd/embed` pass on statuses, kinds and fields that are newer than they are. `verifyWebhook` takes the request's headers and checks that a webhook was sent within five minutes; the form that takes the signature alone is deprecated. A misspelt field or a missing option is refused before anything is sent, and an error's message names the field.",
      "Known patients: the message with a code names you, the amount now, the total and the saved card, and the code is valid for exactly that. `POST /orders/{hash}/recognition` takes `stored_card`, and `stored_card` of the answer to `/recognition/verify` is the card that the code was for; `add_payment_method` with another one is 400 `stored_card_code_required`. A code is verified only if the widget reported that the order's page was shown: 409 `page_not_shown`. The mails with other codes say what the code does.",
      "Consents: `shown_at` in a patient's data is when the checkout showed that text to the patient, who acted on the page. The widget reports it with `POST /api/spot/widget/shown`; reading a checkout's address or session records nothing any more, so that mail scanners and link previews leave no trace.",
      "After the bank's or the card processor's page the patient returns to a page of ours, `/return/…` of the widget host, which shows how the payment or card stands, closes itself where the checkout is still open, and takes up the checkout where it was left in the same window. `POST /api/spot/returns/{reference}` is the call of that page. Connectors get its address as `returnUrl`; it differs for each call and has at most 255 characters.",
      "409 `payment_in_progress` has `challenge_ends_at` while the payment waits for the patient at the bank: when another card can be used at the latest.",
      "Later charges: the patient is told of every charge that they do not start, at least the day before; an approval is told on its own day. A charge that comes back, as after a chargeback or a retry, waits for that. `upcoming_charge` of the order that the widget reads, and `upcoming` and `upcoming_with_given_card` of what a link opens (`due`), say what is charged next and when. The pages send what they showed: `shown` with a new card, `amount` with an early payment.",
    ],
  },
  {
    date: "2026-11-26",
    changes: [
      "Revoked mandates: `mandate_revoked` of the order that the widget reads. The end of the checkout, and the receipt by e-mail of a patient who revoked it while paying, announce no charge then: they say what is left to pay.",
    ],
  },
  {
    date: "2026-11-24",
    changes: [
      "Refused credits: `first_instalment` of 400 `credit_declined` (at the widget's payment), and the message of `order.failed`, say whether the first instalment was charged and went back, or could not be given back yet. The patient reads it in the checkout.",
      "Webhooks: `order.refund_failed`, for endpoints that ask for it: a refund that was answered `processing` has failed. `refund_id` says which.",
      "An `Idempotency-Key` may be used again after a refusal that held only for now, as `payment_in_progress` or `order_not_refundable`: such answers are not repeated any more.",
      "Cards on the card processor's own page: `card_entry` of the widget's session says whether the patient types the card in the checkout's `fields` or gives it on that `page`. `POST /orders/{hash}/card_page` and `POST /api/spot/patient/card_page` (the widget's calls) open it, and tell what became of it with `inquire`; their codes are `card_page_abandoned`, `card_page_needed` (also of a sealed card that the processor wants confirmed there, at `add_payment_method` and `/api/spot/patient/card`) and `card_page_not_offered`. In the sandbox a tenant has `card_page`, `inquireRegistration` is a method that can fail, and one card is confirmed on the page. Connectors get `cardPage` with the sealing key, and `page` and `page_abandoned` as outcomes of `register-card`, which is then inquired about.",
      "Refunds: money may be under way to a card for days, as some processors have it: the refund is `processing` meanwhile, and nothing counts or is told as refunded before it is. Where a card takes no money back, `refused_because` of the failed refund and of 400 `refund_refused` says why if the processor does: the charge is `too_old`, so that you pay the patient by bank transfer, or `disputed`, so that their bank pays them. The sandbox has a card for each. Connectors may answer `pending` to a return, and a `reason` with `refused`.",
      "Declined cards: `decline_limit`, beside the `decline_reason` of 400 `card_declined` and of a payment of the order, says that the charge went beyond a limit of the card: its `amount` or its number of `uses`. The reason stays one of those that you know (`declined`). The patient reads that they can raise the limit in their bank's app, in the checkout and in the mail of a later charge. The sandbox has a card for each.",
    ],
  },
  {
    date: "2026-11-23",
    changes: [
      `Webhooks: a delivery is listed with its attempts, and can be sent again, until ${DELIVERIES_KEPT_DAYS} days after it has ended. The log of events stays complete.`,
      "The widget's `appearance` takes `density` (`comfortable`, `compact`) and `labels` (`above`, `inside`: each label in its field), on your page and in what we keep for you. What was set before looks as it did.",
      "Front desk: `POST /api/spot/widget` takes `qr`, which answers the address as a QR code too (`qr_svg`), and `deliver`, which mails it to the order's customer. A checkout that is a page of its own says at its end that it may be closed. The guide has a page for it.",
      "Packages for Node, pages, React and browser tests, and `aapd-dev`, the sandbox from your terminal: keys, webhooks on your machine, whole lives of an order, its clock, an examination of your integration, and tools for assistants. `/SKILL.md` is the way through for an assistant.",
      "Keys of the sandbox without an account, for a moment of your processor's work: `POST /sandbox/keys`, with what `GET /sandbox/keys/challenge` asks for. They live for a month. `GET /sandbox/requests` lists your latest calls, and why each was refused.",
      "The page on webhooks verifies a signature in Python, PHP, Ruby, Java, C# and Go too.",
      "`POST /orders` takes `items`, the lines of your bill, which sum to `total_amount`. The patient sees them before paying, on the receipt and among their data; they are in the order as you read it and in its webhooks, and in no e-mail.",
      "`completed` carries `signed_receipt`, a JWS that your backend can check by the keys at `/.well-known/jwks.json` of the order API; the order that the widget reads has it too. `GET /api/profile` says your provider's `id`, for which receipts are made out.",
      "The reconciliation compares what the card processor settles with what was captured and given back: `settlement_missing`, `settlement_not_booked`, `settlement_amount_differs`, `settled_differs` and `not_settled` are kinds of differences, and `card_settled`, `deposits`, `card_fee`, `card_fee_vat` and `remitted` are accounts among the balances. Connectors get the list `/card-processor/settlements`, which may be empty.",
      "`GET /api/quote?public_key=…&amount=…` says what an amount would cost in two parts if it were paid now, with the annual cost: for your prices, from the browser of a registered origin too; `<aapd-message>` (`/embed/message.js`) shows it beside a price.",
      "This documentation is there for machines too: `/llms.txt` lists every page, and each page is Markdown at its address with `.md`.",
      "A patient whom the national registry knows to be under age is refused with the document (`validate_customer_identity`: 422 `patient_under_age`), unless minors are agreed on with you. In the sandbox the serial `100000004` is one.",
      "A patient who has paid without having given access to their isapre is asked for it on the end screen (`POST /api/spot/patient/insurer_access` takes the checkout's token without `access`); the link by e-mail stays.",
      "A charge that the card processor made and our books do not have may be given back to the card by us; the patient is told, and your orders and payouts stay as they are.",
      "Strong authentication after the payment: `POST /api/spot/patient/card` and `/early_payment` (the widget's calls) may answer `requires_action` with the issuer's challenge, as the payment does, and `/card` takes `inquire` and may answer `processing` and `none`. Card and debt stay as they were until the patient is confirmed. The sandbox has a card whose issuer asks only then. Connectors get `purpose` with `authenticate`, and `authenticationId` names the authentication of a card that was given later.",
      "Known patients, off until it is set for you: `POST /orders/{hash}/recognition` and `/recognition/verify` (client_id) recognise a patient by a code, `/recognition/disown` takes back what came of it where it was somebody else, and `add_payment_method` takes `stored_card` instead of `sealed_card`, and `consents`. The widget asks for the code after the summary, and whether to keep a card where it is typed. Patients see and remove saved cards among their data (`saved_cards`; `removing` until the processor has forgotten it). A payment that comes more than half an hour after the code, or after its ground has ended, is 400 `processor_customer_identity_not_validated`.",
      "The checkout opens while the card processor or the isapres' connector is away: `sealing_keys.card` and `.insurer_access` of the widget's session may be null.",
      "Commission: `plan.data.commission` says its `regime` (a taxed service, or interest) and the `vat` in it, and `vat_included` is false where it is interest. `tax_documents` of the order lists the boletas and notas de crédito of a commission that is a taxed service, each with its number and address once it is issued. The reconciliation names a commission without its document, and a document without its commission.",
      "Patients may ask a person to correct their data, to stop a use of it, to block it for now, or to look again at a refused credit. While it is blocked, no claim is filed and no later charge is made by itself.",
      "Patients may revoke the mandate for the later charge while it is owed (`card_not_charged`): their card is charged no more. What becomes due then shows as `failed` until they give another card or pay otherwise.",
      "E-mail addresses beyond ASCII are taken everywhere (`ñandú@example.cl`, `a@ñandú.cl`). An address is answered in its normal form: the domain in ASCII (IDNA), in lower case, and the part before it in NFC; that part keeps its case where it is ASCII, and is in lower case where it is not.",
      "Apps: `POST /api/spot/widget` takes `return_url`, which brings the patient back from a checkout without a frame and is registered with us (400 `return_url_not_registered`), and `native`, for a web view that hears the checkout's messages. The guide has a page for it.",
      "The checkout may be loaded before the patient opens it: `/embed/preload.js`, and prefetching or prerendering by the browser. What nobody has seen changes nothing.",
    ],
  },
  {
    date: "2026-11-22",
    changes: [
      "Patients are shown the contract, the summary sheet and the privacy notice of their order before they consent (`GET /orders/{hash}/agreement`, with client_id), get them with their receipt, and may keep them as a PDF. The quote names their versions (`texts`). Payments are answered 503 while the operator has not set them.",
      "Patients: what is registered is unproven until the registry matches in the checkout, or a code to its e-mail is answered. Until then it skips no step, no claim is filed for it, and it ends with its widget token; a RUT under another e-mail is 409 only where the registration is proven. An order that names another e-mail than a proven registration is 409 `RUT_OTHER_EMAIL` before it is paid.",
      "Plans (`PUT /api/spot/subscriptions/{rut}`) count for the provider that set them; patients see all of theirs (`subscriptions`).",
      "Limits: a right credential is never refused for wrong ones from its address; calls that show whether a RUT is registered are limited to 1,200 in ten minutes for one key, address and endpoint.",
      "A card number in the clear is refused in your bodies too (422, with the field), however it is written; in receipts its digits are replaced by dots.",
      `Webhooks: \`order.receipt_missing\`, for endpoints that ask for it: an order was paid ${RECEIPT_DUE_DAYS} days ago and its receipt has not come.`,
      "The widget's payment names the quote that was shown (`quote_sha256`); where it is not that of now it is answered 409 `quote_changed`, with the new one.",
      "`annual_cost_percentage` is the rate of the period times the periods in a year, as rates in Chile are published; it was compounded before.",
      "Mails to patients say more: the receipt names reference, card, commission, CAE and lender, and that it is no boleta; an approval and blocked access name the charge that follows, with its day.",
      "Patients are told at once, and again, of what keeps their claim from being filed; `missing_step` of the order that the widget reads says it too.",
      "A RUT without its dash is taken only as nine characters, eight digits and the check digit: `13656606` may be a body without its check digit or somebody else's RUT, and is answered 422.",
      "Collection: what an insurer approves during a day is charged on that day, also late in the evening.",
      "Receipts: an optional field that cannot be read never refuses the receipt; it is kept as it came and named in `unread_fields`. Dates and totals are read more kindly, and a doctor may be a company.",
      "Receipts: HEIC and WebP photos and the XML of electronic receipts are taken; `uploaded_files[]` is the same field. `detail` says which file or field is refused and why; what is no form at all is `no_files`.",
      "Receipts: one that is printed anew at each try (same `receipt_id` and `total`) replaces the one before.",
      "Refunds: `refund.moved` says what a refund has moved: taken off the later charge, returned to which card, given back by the bank before, or owed by bank transfer, each with the commission in it. The patient is told the same sums.",
      "Refunds: after a lost chargeback a refund takes what the bank has taken back, instead of the card that it was taken from; one that nothing can be given back for is 400 `refund_refused`, with a `reason`, and no longer a 200 with a failed refund.",
      "Refunds: one that was accepted while a debit or prepaid charge was unresolved is no longer failed where the card takes no part of it: the patient gets it by bank transfer.",
      "Orders: `plan.data.commission.amount` is 0, and `collection.status` is `cancelled`, as soon as nothing of the second instalment is left to charge.",
      "Orders: what a patient has paid of the second instalment in another way than by card is a payment whose `card` is null; `collection.status` is then `collected`. A refund of it is owed to the patient by bank transfer (`moved.by_transfer`).",
      "Orders: `latest_due_date` counts from when the patient paid, as it was shown, also where the payment is settled after midnight.",
      "Orders: of a second instalment that was written off, `plan.data.commission.amount` is 0.",
      "Payouts: `GET /api/payouts` lists what you and your centres were paid, `GET /api/payouts/{id}` says what of a payout belongs to which order.",
      "Reconciliation: two more differences, `patient_holds_too_much` and `commission_held`.",
      "An optional field that is `null` is a field left out; `customer.email` that is `null` or blank is a missing one. A query parameter that a call with effects does not know is answered 422.",
      "`POST /api/spot/widget`: `long_term_token` and `expires_in_minutes` are taken from the query too; a meta-provider's `provider_data` (`rut`, `name`, `logo_url`, `support_email`) is the clinic that the patient sees; a provider without any registered origin is answered 400, with words that say what to do.",
      "Orders of a meta-provider say their `center`, in answers and webhooks. Endpoints for meta-providers answer 403 before they ask for a second credential. `is_user_subscribed` of a company's RUT is false.",
      "A request that you can mend (a missing e-mail, a malformed amount) leaves its `Idempotency-Key` free for the mended one.",
      "Refunds: a field of another name is refused, so that a misspelt `amount` does not return everything, and so is `null` in the place of the body. An `Idempotency-Key` of a refund belongs to its `refund_reference` too.",
      "`reference` comes back exactly as you sent it, with the spaces around it.",
      "A 429 for an address carries `RateLimit-*`, and pages of your registered origins can read it.",
      "Receipts: documents are added as long as the claim is not filed, also while the insurer refuses the patient's access.",
      "Widget tokens: 120 in an hour for one order; more are answered 429. Tokens without an order are limited by address alone, as before.",
      "Receipts: `missing_document_types` may say `receipt`, of an order whose files its patient had erased: send them again.",
      "Patients: of each order their data shows why a credit was refused (`credit_refusal`).",
      "A provider that is not active any more: the links that the service has sent to its patients go on working.",
      "`<aapd-checkout>` without a `locale` opens in the language of the token, as `mountCheckout` does.",
      "Sandbox: the bank can misbehave too; a move of the clock is answered after 25 seconds at the latest.",
    ],
  },
  {
    date: "2026-11-21",
    changes: [
      "First version of this documentation, generated from the service's own declarations.",
      "Orders: `POST /orders/{hash}/cancel`, partial refunds by amount, and `Idempotency-Key` on every POST and PUT.",
      "Answers carry `code` always, `X-Request-Id` always, and `RateLimit-*` where there is a limit.",
      "Patients: `POST /api/spot/patient/data_link` sends a patient the link to their own data, to see, export, withdraw and have it erased. The widget asks for it too.",
      "Webhooks carry the Standard Webhooks headers beside the service's own signature.",
    ],
  },
];

/** The text of each day, followed by the differences of the interface that `pnpm changes --keep` found. */
export function changelogPage({ releases, deployment }: Pick<Site, "releases" | "deployment">): Page {
  // Production has no sandbox, so its changelog does not mention it.
  const isHere = (text: string) => deployment.environment === "staging" || !text.includes(" /sandbox/");
  const differencesOn = (day: string) =>
    (releases.find(({ date }) => date === day)?.differences ?? [])
      .map((difference) => ({ ...difference, where: difference.where.filter(isHere) }))
      .filter(({ where }) => where.length > 0);
  return pageOf({
    path: "/docs/changelog",
    title: "Changelog",
    lead: "Paths carry no version, because changes only add: new endpoints, fields, codes and kinds of events. Pass over what you do not know.",
    contents: "Reference",
    body: blocks(
      ...changes.map(({ date, changes: lines }) =>
        section(
          `on-${date}`,
          inHtml(html`<time datetime="${date}">`, date, html`</time>`),
          blocks(bullets(lines.filter(isHere).map((text) => line(text))), differenceList(differencesOn(date))),
        ),
      ),
    ),
  });
}

const PLACES_SHOWN = 8;

function differenceList(differences: KeptRelease["differences"]): Part {
  if (differences.length === 0) return nothing;
  const items = differences.map(({ what, breaks, where }) => {
    const more = where.length - PLACES_SHOWN;
    const places = `${where.slice(0, PLACES_SHOWN).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
    return line(breaks && strong("Breaks"), breaks && ": ", `${what}. ${places}`);
  });
  return blocks(subheading("Differences of the interface"), bullets(items));
}
