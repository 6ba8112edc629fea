/**
 * What partners rely on, and the test that holds it. A run fails in which a test named here is not there or does not
 * pass (`hold-statements.ts`), and `docs/reference/interface-conformance.md` is this list.
 */
export interface Statement {
  readonly says: string;
  /** The test's file under `test/http`, and its title as it stands there. */
  readonly file: string;
  readonly title: string;
}

/** The statements by what they are about. */
export const statements: Readonly<Record<string, readonly Statement[]>> = {
  "What the service does": [
    {
      says: "The patient pays 30 % by card at once",
      file: "conformance-orders",
      title:
        "pending → paid when checkout completes: 30% captured and the 70% loan authorised. Fully paid in the books.",
    },
    {
      says: "The remaining 70 % is financed",
      file: "conformance-orders",
      title:
        "pending → paid when checkout completes: 30% captured and the 70% loan authorised. Fully paid in the books.",
    },
    {
      says: "The 70 % and a commission are collected when the insurer approves, on that day",
      file: "claims/claims",
      title: "on day 12 has its order collected that day, and the patient told",
    },
    {
      says: "An approval late in the evening is charged on that day",
      file: "claims/claims",
      title: "late in the evening has its order collected on that day",
    },
    {
      says: "It is collected early when access is blocked for 3 days",
      file: "claims/claims",
      title: "is told at once, with a link, and collects 72 hours after it was first seen",
    },
    {
      says: "Blocked access from the start counts",
      file: "claims/claims",
      title: "from the start, before the claim could be filed, counts as well",
    },
    {
      says: "Access regained ends the count",
      file: "claims/claims",
      title: "and regained by giving it again counts no more",
    },
    {
      says: "It is collected at day 45 without approval",
      file: "collection/collection",
      title: "is due at 09:00 of day 45, and shows it",
    },
    {
      says: "A rejection changes nothing about day 45",
      file: "claims/claims",
      title: "a claim that is rejected changes nothing about day 45; the patient is told why",
    },
    {
      says: "The first trigger wins",
      file: "collection/collection",
      title: "that comes first wins for ever, of many at the same moment exactly one",
    },
    {
      says: "The commission is collected with the 70 %",
      file: "collection/collection",
      title: "is collected then, with the commission, and not before",
    },
    {
      says: "The card that paid is reused for the deferred charge",
      file: "collection/collection",
      title: "is collected then, with the commission, and not before",
    },
    {
      says: "Declined charges are retried",
      file: "collection/collection",
      title: "is tried four times in ten days, then left to people; the order stays paid",
    },
    {
      says: "A receipt is mandatory: without it no claim",
      file: "spot/claim-filing",
      title: "is filed when the expense comes after the payment",
    },
    {
      says: "The service files the claim with the insurer",
      file: "spot/claim-filing",
      title: "is filed when the payment comes after the expense",
    },
    {
      says: "The patient is notified of the claim",
      file: "spot/claim-filing",
      title: "tells the patient once that it was filed, and what was paid",
    },
    {
      says: "order_token is the hash of the order",
      file: "conformance-orders",
      title: "hash: string, UUID. The order_token.",
    },
    { says: "widget_token is a UUID", file: "spot/conformance", title: "widget_token is a UUID" },
    {
      says: "A RUT is taken with or without dots",
      file: "conformance-orders",
      title: "customer.rut: with or without dots",
    },
    {
      says: "A meta-provider's order selects a centre that was onboarded",
      file: "spot/conformance",
      title: "a centre that was onboarded is what an order's provider_rut selects",
    },
    {
      says: "The widget reads event_type and user_data",
      file: "spot/conformance",
      title: "reading a token returns event_type and user_data",
    },
    {
      says: "The widget is opened at the widget host",
      file: "spot/widget-post",
      title: "tells where the widget is opened",
    },
    {
      says: "The widget is framed by the partner's pages",
      file: "widget-host",
      title: "is framable by exactly the token's origins",
    },
  ],
  "Fields of an order": [
    { says: "hash is a UUID string", file: "conformance-orders", title: "hash: string, UUID. The order_token." },
    {
      says: "status is one of the order states",
      file: "conformance-orders",
      title: "(creation) POST /orders succeeds → pending. Response 201; paid_amount 0.",
    },
    {
      says: "reference is the partner's own id",
      file: "conformance-orders",
      title: "reference: the partner's internal order id",
    },
    {
      says: "reference comes back as it was sent",
      file: "orders/orders-post",
      title: "gives the reference back exactly as it was sent, spaces too",
    },
    {
      says: "total_amount is an integer in CLP",
      file: "conformance-orders",
      title: "total_amount: integer, CLP, no decimals",
    },
    {
      says: "total_amount has no decimals",
      file: "conformance-orders",
      title: "total_amount: integer, CLP, no decimals",
    },
    {
      says: "paid_amount is 0 at creation",
      file: "conformance-orders",
      title: "paid_amount: 0 at creation; equals total_amount when paid",
    },
    {
      says: "paid_amount is the total when paid",
      file: "conformance-orders",
      title: "paid_amount: 0 at creation; equals total_amount when paid",
    },
    {
      says: "pending_amount is the total at creation",
      file: "conformance-orders",
      title: "pending_amount: equals total_amount at creation; 0 when paid",
    },
    {
      says: "pending_amount is 0 when paid",
      file: "conformance-orders",
      title: "pending_amount: equals total_amount at creation; 0 when paid",
    },
    {
      says: "customer.rut is a string",
      file: "conformance-orders",
      title: "customer: rut, first_name, last_name, email, phone_number (all strings)",
    },
    {
      says: "customer.first_name is a string",
      file: "conformance-orders",
      title: "customer: rut, first_name, last_name, email, phone_number (all strings)",
    },
    {
      says: "customer.last_name is a string",
      file: "conformance-orders",
      title: "customer: rut, first_name, last_name, email, phone_number (all strings)",
    },
    {
      says: "customer.email is a string",
      file: "conformance-orders",
      title: "customer: rut, first_name, last_name, email, phone_number (all strings)",
    },
    {
      says: "customer.phone_number is a string",
      file: "conformance-orders",
      title: "customer: rut, first_name, last_name, email, phone_number (all strings)",
    },
    {
      says: "plan.name is a string",
      file: "conformance-orders",
      title: "plan: name (string, a plan identifier) and data (installments array and commission object)",
    },
    {
      says: "plan.data.installments is an array",
      file: "conformance-orders",
      title: "plan: name (string, a plan identifier) and data (installments array and commission object)",
    },
    {
      says: "plan.data.commission is an object",
      file: "conformance-orders",
      title: "plan: name (string, a plan identifier) and data (installments array and commission object)",
    },
    {
      says: "created_at is an ISO 8601 timestamp in UTC",
      file: "conformance-orders",
      title: "created_at: ISO 8601 UTC timestamp",
    },
  ],
  "Widget tokens": [
    { says: "The token is a UUID", file: "spot/conformance", title: "widget_token is a UUID" },
    { says: "The standard lifetime is 1 hour", file: "spot/conformance", title: "%s" },
    { says: "The long lifetime is 30 days, with long_term_token=true", file: "spot/conformance", title: "%s" },
    {
      says: "long_term_token=true is taken from the query",
      file: "spot/widget-post",
      title: "takes %s from the query too",
    },
    {
      says: "expires_in_minutes is taken from the query",
      file: "spot/widget-post",
      title: "takes %s from the query too",
    },
    {
      says: "expires_in_minutes of 15 is the least",
      file: "spot/conformance",
      title: "custom lifetime is an integer 15 to 43200, not %j",
    },
    {
      says: "expires_in_minutes of 43200 is the most",
      file: "spot/conformance",
      title: "custom lifetime is an integer 15 to 43200, not %j",
    },
    {
      says: "expires_in_minutes is an integer",
      file: "spot/conformance",
      title: "custom lifetime is an integer 15 to 43200, not %j",
    },
    { says: "A token is used once", file: "spot/conformance", title: "is single use" },
    {
      says: "A used token is refused",
      file: "spot/user-post",
      title: "widget_token_used: without an order the end of the onboarding ends the token, once",
    },
    { says: "Minting answers a token and a url", file: "spot/widget-post", title: "tells where the widget is opened" },
    {
      says: "Minting needs a public_key",
      file: "spot/widget-post",
      title: "for no, unknown, wrong-kind and inactive credentials",
    },
    {
      says: "provider_data of another than a meta-provider is 400",
      file: "spot/conformance",
      title: "provider_data is for meta-providers only; otherwise 400",
    },
    {
      says: "provider_data is the sub-clinic that the patient sees",
      file: "spot/widget-get",
      title: "shows a meta-provider's patient the sub-clinic that it names",
    },
    {
      says: "A token that does not exist is 404",
      file: "spot/conformance",
      title: "a token that does not exist is 404, one that expired 410",
    },
    {
      says: "A token that expired is 410",
      file: "spot/conformance",
      title: "a token that does not exist is 404, one that expired 410",
    },
  ],
  "Form of an expense": [
    {
      says: "uploaded_files is required",
      file: "spot/conformance",
      title: "uploaded_files is required and repeatable",
    },
    {
      says: "uploaded_files is repeatable",
      file: "spot/conformance",
      title: "uploaded_files is required and repeatable",
    },
    { says: "1 file is enough", file: "spot/conformance", title: "1 to 5 files for each expense" },
    { says: "5 files are taken", file: "spot/conformance", title: "1 to 5 files for each expense" },
    { says: "A file of 2 MB is taken", file: "spot/conformance", title: "at most 2 MB for each file" },
    {
      says: "The first file is the receipt, further files are documents",
      file: "spot/claim-filing",
      title: "is held for the medical order that the service needs, and filed when it comes",
    },
    { says: "name is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    { says: "date is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    { says: "receipt_id is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    { says: "receipt_rut is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    { says: "doctor_rut is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    { says: "total is optional", file: "spot/conformance", title: "%s is recommended, and not required" },
    {
      says: "total is a number or a string",
      file: "spot/gastos-post",
      title: "keeps the fields as they are understood",
    },
    {
      says: "An optional field that cannot be read refuses nothing",
      file: "spot/gastos-post",
      title: "is never refused for an optional field: what cannot be read is kept as it came, and named",
    },
    {
      says: "skip_pay_order_id is the order's hash",
      file: "spot/conformance",
      title: "with skip_pay_order_id the expense is AAPD, without it a standard one",
    },
    {
      says: "Whitespace around skip_pay_order_id is ignored",
      file: "spot/conformance",
      title: "surrounding whitespace of skip_pay_order_id is ignored",
    },
    {
      says: "What PHP, axios, Python and Java send is read",
      file: "spot/gastos-post",
      title: "reads what %s really sends",
    },
  ],
  "Subscription status": [
    {
      says: "is_subscribed is true with an active plan",
      file: "spot/conformance",
      title: "is true with an active plan, which is no trial, and false with a cancelled one",
    },
    {
      says: "is_subscribed is true in a valid free trial",
      file: "spot/conformance",
      title: "is true in a valid free trial, fewer than 2 expenses sent, and says that it is one",
    },
    {
      says: "A free trial is valid with fewer than 2 expenses",
      file: "spot/is-user-subscribed",
      title: "counts a free trial down: fewer than two expenses sent",
    },
    { says: "is_subscribed is false for who is no user", file: "spot/conformance", title: "is false for non-users" },
    {
      says: "is_subscribed is false with a cancelled plan",
      file: "spot/conformance",
      title: "is true with an active plan, which is no trial, and false with a cancelled one",
    },
    {
      says: "is_subscribed is false with an exhausted trial",
      file: "spot/is-user-subscribed",
      title: "counts a free trial down: fewer than two expenses sent",
    },
    {
      says: "is_free_trial tells a trial from a paid plan",
      file: "spot/conformance",
      title: "is true in a valid free trial, fewer than 2 expenses sent, and says that it is one",
    },
    {
      says: "is_free_trial is false with a paid plan",
      file: "spot/conformance",
      title: "is true with an active plan, which is no trial, and false with a cancelled one",
    },
  ],
  "States of an order": [
    {
      says: "An order is created as pending",
      file: "conformance-orders",
      title: "(creation) POST /orders succeeds → pending. Response 201; paid_amount 0.",
    },
    {
      says: "Creation answers 201 with paid_amount 0",
      file: "conformance-orders",
      title: "(creation) POST /orders succeeds → pending. Response 201; paid_amount 0.",
    },
    {
      says: "pending becomes partially_paid when the first 30 % is captured",
      file: "conformance-orders",
      title: "pending → partially_paid when the first 30% instalment is captured; webhook on every status change",
    },
    {
      says: "partially_paid becomes paid when the loan is financed",
      file: "conformance-orders",
      title: "partially_paid → paid when the loan is approved and financed in full; webhook order.paid, exactly once",
    },
    {
      says: "order.paid is delivered once",
      file: "conformance-orders",
      title: "partially_paid → paid when the loan is approved and financed in full; webhook order.paid, exactly once",
    },
    {
      says: "pending becomes paid when 30 % is captured and the loan authorised",
      file: "conformance-orders",
      title:
        "pending → paid when checkout completes: 30% captured and the 70% loan authorised. Fully paid in the books.",
    },
    {
      says: "A full refund makes refunded, with order.refunded",
      file: "conformance-orders",
      title: "paid → refunded by PUT /orders/{hash}/refund, full refund processed; webhook order.refunded",
    },
    {
      says: "A partial refund makes partially_refunded, with a webhook",
      file: "conformance-orders",
      title: "paid → partially_refunded when a partial refund is issued; webhook on the status change",
    },
    {
      says: "A cancellation before payment makes cancelled, with a webhook",
      file: "conformance-orders",
      title: "pending → cancelled by cancellation before payment; webhook on the status change",
    },
    {
      says: "AAPD orders go from pending to paid directly",
      file: "conformance-orders",
      title:
        "rule 1: the direct path pending to paid is the one AAPD orders take; they do not pass through partially_paid",
    },
    {
      says: "A refund may be requested at any time after paid",
      file: "conformance-orders",
      title: "rule 2: a refund may be requested at any time after paid",
    },
    {
      says: "A claim needs the order paid and the expense sent, in either order",
      file: "spot/claim-filing",
      title: "is filed when the expense comes after the payment",
    },
    { says: "A claim is filed once", file: "spot/claim-filing", title: "is filed once, whatever is told again" },
    {
      says: "An expense without an order makes no claim",
      file: "spot/claim-filing",
      title: "is never made of a plain expense, nor of an order that was not paid",
    },
  ],
  "POST /orders": [
    {
      says: "client_secret is required",
      file: "conformance-orders",
      title: "errors: 401 missing or invalid client_secret (client_id is not accepted)",
    },
    {
      says: "client_id is not accepted",
      file: "conformance-orders",
      title: "errors: 401 missing or invalid client_secret (client_id is not accepted)",
    },
    { says: "reference is required", file: "conformance-orders", title: "%s is required" },
    { says: "total_amount is required", file: "conformance-orders", title: "%s is required" },
    {
      says: "total_amount may be a numeric string",
      file: "conformance-orders",
      title: "total_amount: a numeric string is also accepted",
    },
    { says: "total_amount must not be negative", file: "orders/orders-post", title: "total_amount_negative for %j" },
    { says: "customer.rut is required", file: "conformance-orders", title: "customer.%s is required" },
    { says: "customer.first_name is required", file: "conformance-orders", title: "customer.%s is required" },
    { says: "customer.last_name is required", file: "conformance-orders", title: "customer.%s is required" },
    { says: "customer.email is required", file: "conformance-orders", title: "customer.%s is required" },
    {
      says: "customer.email that is null or blank is missing",
      file: "orders/orders-post",
      title: "customer_email_required for the e-mail %j",
    },
    {
      says: "customer.email may go beyond ASCII (decided: answered in its normal form)",
      file: "orders/orders-post",
      title: "takes the e-mail %s, and answers it in its normal form",
    },
    { says: "customer.phone_number is required", file: "conformance-orders", title: "customer.%s is required" },
    {
      says: "customer.rut is taken with or without dots",
      file: "conformance-orders",
      title: "customer.rut: with or without dots",
    },
    {
      says: "provider_rut is for meta-providers only",
      file: "orders/orders-post",
      title: "provider_rut_not_allowed for who is no meta-provider",
    },
    {
      says: "provider_rut selects one of the own centres",
      file: "orders/orders-post",
      title: "center_not_found for a meta-provider that names no centre of its own",
    },
    { says: "A business error is 400", file: "conformance-orders", title: "errors: 400 business validation error" },
    {
      says: "A schema error is 422",
      file: "conformance-orders",
      title: "errors: 422 schema validation error (malformed RUT, missing fields)",
    },
    { says: "A duplicate reference is 409", file: "conformance-orders", title: "errors: 409 duplicate reference" },
    {
      says: "Another provider may use the same reference",
      file: "orders/orders-post",
      title: "not for another provider's reference",
    },
    {
      says: "The answer is the whole order",
      file: "orders/orders-post",
      title: "is the whole order, pending, nothing paid",
    },
  ],
  "Other calls of the order API": [
    {
      says: "GET answers the same shape with the current state",
      file: "conformance-orders",
      title: "response 200: same shape as POST /orders, with the current state; used to reconcile against webhooks",
    },
    {
      says: "GET takes client_secret or client_id",
      file: "conformance-orders",
      title: "response 200: same shape as POST /orders, with the current state; used to reconcile against webhooks",
    },
    {
      says: "GET without a credential is 401",
      file: "conformance-orders",
      title: "errors: 401 missing or invalid credential; 404 unknown hash",
    },
    {
      says: "GET of an unknown hash is 404",
      file: "conformance-orders",
      title: "errors: 401 missing or invalid credential; 404 unknown hash",
    },
    {
      says: "A malformed serial is 422",
      file: "conformance-orders",
      title: "a malformed serial gives 422, and a rejected identity gives 422",
    },
    {
      says: "A rejected identity is 422",
      file: "conformance-orders",
      title: "a malformed serial gives 422, and a rejected identity gives 422",
    },
    {
      says: "A payment before readiness is 400 with a code",
      file: "conformance-orders",
      title: "payment before readiness answers 400 with codes such as processor_customer_identity_not_validated",
    },
    {
      says: "What is missing is told one after the other",
      file: "orders/payment-post",
      title: "what is missing, one after the other",
    },
    {
      says: "A refund is total or partial",
      file: "conformance-orders",
      title: "PUT /orders/{hash}/refund: total or partial refund",
    },
    { says: "A refund needs client_secret", file: "orders/refund-put", title: "401 for client_id" },
    { says: "A payment takes client_id only", file: "orders/payment-post", title: "401 for client_secret" },
  ],
  is_user_subscribed: [
    {
      says: "public_key is required",
      file: "spot/conformance",
      title: "401 has the detail `Invalid or unknown public key`",
    },
    {
      says: "The 401 has the detail `Invalid or unknown public key`",
      file: "spot/conformance",
      title: "401 has the detail `Invalid or unknown public key`",
    },
    {
      says: "rut is taken with or without dots",
      file: "spot/conformance",
      title: "takes the rut with or without dots",
    },
    {
      says: "false does not mean that a submission is 404",
      file: "spot/conformance",
      title: "false does not guarantee a 404 of the submission: an exhausted trial is still a beneficiary",
    },
    {
      says: "A company's RUT is not subscribed",
      file: "spot/is-user-subscribed",
      title: "is false for a company, which has no plan",
    },
  ],
  "POST /api/spot/gastos": [
    {
      says: "With skip_pay_order_id it is AAPD",
      file: "spot/conformance",
      title: "with skip_pay_order_id the expense is AAPD, without it a standard one",
    },
    {
      says: "Without it it is a standard expense",
      file: "spot/conformance",
      title: "with skip_pay_order_id the expense is AAPD, without it a standard one",
    },
    {
      says: "It is idempotent for an order",
      file: "spot/conformance",
      title: "is idempotent per order: resubmitting reuses the existing expense",
    },
    {
      says: "Ten at once make one expense",
      file: "spot/gastos-post",
      title: "makes one expense of ten submissions at once",
    },
    {
      says: "An order of another patient is 400 processing_error",
      file: "spot/conformance",
      title: "an order that is tied to another RUT is 400 processing_error",
    },
    {
      says: "A RUT without a beneficiary is 404 beneficiary_not_found",
      file: "spot/conformance",
      title: "a rut without a beneficiary is 404 beneficiary_not_found; an unknown key 401 invalid_provider",
    },
    {
      says: "A derived service without its document is held",
      file: "spot/gastos-post",
      title: "holds a derived service without its medical order, until it comes",
    },
    {
      says: "An unknown key is 401 invalid_provider",
      file: "spot/gastos-post",
      title: "invalid_provider for an unknown key, another kind of credential and an inactive provider",
    },
    { says: "No file is 400 no_files", file: "spot/gastos-post", title: "%s, and nothing of it is left" },
    { says: "Six files are 400 too_many_files", file: "spot/gastos-post", title: "%s, and nothing of it is left" },
    {
      says: "A file over 2 MB is 400 file_too_large",
      file: "spot/gastos-post",
      title: "%s, and nothing of it is left",
    },
    {
      says: "An unreadable file is 400 processing_error",
      file: "spot/gastos-post",
      title: "%s, and nothing of it is left",
    },
    { says: "What is no form is no_files", file: "spot/gastos-post", title: "no_files for what is no form" },
    { says: "Errors are {detail, code}", file: "spot/conformance", title: "errors are {detail: string, code: string}" },
  ],
  "Other calls of onboarding": [
    {
      says: "POST /api/spot/user creates user and beneficiary",
      file: "spot/user-post",
      title: "creates the user and the beneficiary, with the RUT and the phone as they are kept",
    },
    {
      says: "A RUT under another e-mail is 409 RUT_OTHER_EMAIL",
      file: "spot/conformance",
      title: "a RUT that is registered under another e-mail is 409 RUT_OTHER_EMAIL",
    },
    {
      says: "Centres need the scope cnpl.meta_prestador",
      file: "spot/conformance",
      title: "centres need the scope cnpl.meta_prestador, which the profile tells, else 403",
    },
    {
      says: "Without the scope centres are 403",
      file: "spot/centers-post",
      title: "403 scope_missing for a provider that is no meta-provider",
    },
    {
      says: "The profile tells the scopes",
      file: "spot/conformance",
      title: "centres need the scope cnpl.meta_prestador, which the profile tells, else 403",
    },
    {
      says: "Centres are onboarded",
      file: "spot/centers-post",
      title: "200 makes centres and tells them in the order in which they were sent",
    },
  ],
  Authentication: [
    { says: "client_secret creates orders and refunds", file: "providers", title: "open what they are for" },
    { says: "client_id is the patient's", file: "providers", title: "open what they are for" },
    {
      says: "public_key is sent in the query",
      file: "providers",
      title: "a credential that is sent elsewhere than where it belongs is 401",
    },
    {
      says: "client_secret never appears in a browser",
      file: "widget-host",
      title: "takes no secret, even where the API would",
    },
    {
      says: "client_id where client_secret is needed is 401",
      file: "conformance-orders",
      title: "rule 2: client_id to an endpoint that needs client_secret gives 401",
    },
    {
      says: "An inactive provider is 401",
      file: "conformance-orders",
      title: "rule 3: credentials of an inactive provider give 401",
    },
    {
      says: "No Authorization header is 401",
      file: "conformance-orders",
      title: "rule 4: missing Authorization header on POST /orders gives 401",
    },
    {
      says: "The wrong environment is 401",
      file: "conformance-orders",
      title: "rule 5: a credential of the wrong environment gives 401; the key carries no environment prefix",
    },
    {
      says: "The key carries no environment prefix",
      file: "providers",
      title: "look as decided, with no environment in them",
    },
    {
      says: "A missing permission is 403",
      file: "spot/centers-post",
      title: "403 scope_missing for a provider that is no meta-provider",
    },
    {
      says: "Staging moves no real money",
      file: "conformance-orders",
      title: "rule 7: in staging no real money moves: the sandbox's parties know of every charge",
    },
    {
      says: "secret_key is a header",
      file: "spot/centers-post",
      title: "401 without a secret_key, with another provider's, and with an unknown public_key",
    },
  ],
  Webhooks: [
    {
      says: "The signature is HMAC-SHA256 of the raw body",
      file: "webhooks",
      title: "reaches the endpoint once, as the contract says, signed over the raw body",
    },
    {
      says: "The header is sha256= and hex",
      file: "webhooks",
      title: "reaches the endpoint once, as the contract says, signed over the raw body",
    },
    {
      says: "There are 6 attempts",
      file: "webhooks",
      title: "is tried six times, each its delay after the end of the one before",
    },
    {
      says: "The delays are 1, 5, 15, 30 and 60 minutes",
      file: "webhook-schedule",
      title:
        "a partner that moves its sandbox clock by two hours receives all six attempts, each its delay after the one before",
    },
    {
      says: "An attempt has 10 seconds",
      file: "webhooks",
      title: "a 2xx after 10 seconds is too late, no answer at all too, and other endpoints wait for neither",
    },
    {
      says: "Each carries event_id",
      file: "webhooks",
      title: "reaches the endpoint once, as the contract says, signed over the raw body",
    },
    {
      says: "A repeat has the same event_id",
      file: "webhooks",
      title:
        "a worker that dies in the middle is noted as interrupted, and the receiver gets the event under the same id",
    },
    {
      says: "reference is returned",
      file: "webhooks",
      title: "reaches the endpoint once, as the contract says, signed over the raw body",
    },
    {
      says: "Nothing is sent again after it was accepted",
      file: "webhooks",
      title: "is tried no more once it was accepted",
    },
    {
      says: "order.changed goes to who asks for it",
      file: "webhooks",
      title: "is told as order.changed beside its own kind only to those who ask, under an id of its own",
    },
    {
      says: "Kinds are chosen by the endpoint",
      file: "webhooks",
      title: "is not told to an endpoint that asks for other kinds",
    },
    { says: "A redirect is a failure", file: "webhooks", title: "a redirect is a failure and is not followed" },
    {
      says: "Every status change is told",
      file: "conformance-orders",
      title: "pending → partially_paid when the first 30% instalment is captured; webhook on every status change",
    },
    {
      says: "order.refunded is told",
      file: "conformance-orders",
      title: "paid → refunded by PUT /orders/{hash}/refund, full refund processed; webhook order.refunded",
    },
    {
      says: "order.cancelled is told",
      file: "conformance-orders",
      title: "pending → cancelled by cancellation before payment; webhook on the status change",
    },
    {
      says: "The secret rotates with an overlap",
      file: "webhook-endpoints",
      title: "rotates its secret with an overlap, in which both verify",
    },
  ],
  Errors: [
    {
      says: "detail is there on all endpoints",
      file: "conformance-orders",
      title: "the human-readable text is in detail on all endpoints; code is there to be matched on",
    },
    {
      says: "code is there to be matched on",
      file: "conformance-orders",
      title: "the human-readable text is in detail on all endpoints; code is there to be matched on",
    },
    {
      says: "An order's 404 has an object in detail",
      file: "conformance-orders",
      title: "order endpoints: detail is a string or, for 404, an object {error_code, message}",
    },
    {
      says: "400: missing customer.email",
      file: "conformance-orders",
      title: "400: missing customer.email; negative total_amount; payment readiness probe",
    },
    {
      says: "400: negative total_amount",
      file: "conformance-orders",
      title: "400: missing customer.email; negative total_amount; payment readiness probe",
    },
    {
      says: "400: payment readiness",
      file: "conformance-orders",
      title: "400: missing customer.email; negative total_amount; payment readiness probe",
    },
    { says: "404: unknown order hash", file: "conformance-orders", title: "404: unknown order hash" },
    {
      says: "409: duplicate reference",
      file: "conformance-orders",
      title: "409: duplicate order reference on POST /orders; a unique reference per attempt recovers",
    },
    {
      says: "422: malformed RUT",
      file: "conformance-orders",
      title:
        "422: malformed RUT (no check digit); malformed identity-document serial; identity rejected; schema errors",
    },
    {
      says: "422: malformed serial",
      file: "conformance-orders",
      title:
        "422: malformed RUT (no check digit); malformed identity-document serial; identity rejected; schema errors",
    },
    {
      says: "422: rejected identity",
      file: "conformance-orders",
      title:
        "422: malformed RUT (no check digit); malformed identity-document serial; identity rejected; schema errors",
    },
    {
      says: "The service cannot bypass a rejected identity",
      file: "conformance-orders",
      title: "the service cannot bypass identity rejection: no card, no payment",
    },
  ],
  "Known patients": [
    {
      says: "A code and a press pay an order of a known patient",
      file: "orders/known-patients",
      title: "pays with a code and a press",
    },
    {
      says: "The request answers the same for anybody, by the same work",
      file: "hostile/known-patients",
      title: "is told the same of a patient who is known and of one who is not, by the same work",
    },
    {
      says: "The code goes to the registered telephone, or e-mail",
      file: "hostile/known-patients",
      title: "that is lost on its way to %s comes by mail when it is asked for again",
    },
    {
      says: "The message with a code names clinic, amount now, total and the card's last four",
      file: "hostile/known-patients",
      title: "has the message name clinic, amounts and card with the code, in two parts at most",
    },
    {
      says: "A code is valid for one card: another card needs another code",
      file: "hostile/known-patients",
      title: "cannot pay with another saved card than the one that the message named",
    },
    {
      says: "A code is verified only if a page was shown",
      file: "hostile/known-patients",
      title: "is refused if no page of the order was shown, even after its server read the page, and charges nothing",
    },
    {
      says: "A card is kept by a consent of its own",
      file: "orders/known-patients",
      title: "never %s",
    },
    {
      says: "Saved cards are offered with brand, last four digits and expiry, as the issuer knows them",
      file: "orders/ends-of-trust",
      title: "it expires before the last charge; its replacement is offered as its issuer knows it",
    },
    {
      says: "A new telephone or e-mail, an objection, a lost chargeback or an erasure end recognition",
      file: "orders/ends-of-trust",
      title: "%s, and the ordinary way is open",
    },
    {
      says: "A lost identity match is asked for again",
      file: "orders/ends-of-trust",
      title: "half a year has passed since the registry was asked, though the patient was recognised meanwhile",
    },
    {
      says: "The consent is revocable in Mis datos",
      file: "orders/known-patients",
      title: "sees where a card was saved and used, and removes it",
    },
    {
      says: "Saved cards are erased at the processor with the patient",
      file: "orders/ends-of-trust",
      title: "an erasure that is done, nor is anything kept",
    },
    {
      says: "What the issuer asks for is asked as for any card",
      file: "orders/ends-of-trust",
      title: "as with any card: %s",
    },
  ],
  Limits: [
    { says: "1 to 5 files", file: "spot/conformance", title: "1 to 5 files for each expense" },
    { says: "2 MB for each file", file: "spot/conformance", title: "at most 2 MB for each file" },
  ],
};
