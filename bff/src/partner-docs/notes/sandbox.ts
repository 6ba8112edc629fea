import type { SchemaNotes } from "./schema-note.ts";

const causes = "What the value causes.";
const tenantFields = {
  provider: "The new provider.",
  "provider.name": "Name that patients see.",
  "provider.rut": "RUT of the provider, as `12345678-5`.",
  credentials: "Its credentials.",
  "credentials.client_secret": "Creates and refunds orders. Secret.",
  "credentials.client_id": "The patient's own steps. Public.",
  "credentials.public_key": "Minting, expenses and lookups. Public.",
  "credentials.webhook_secret": "Signs the events of the default endpoint. Secret.",
  "credentials.secret_key": "Administration. Secret.",
};
const settingFields = {
  name: "Name that patients see. By default one is made up.",
  origins:
    "Origins of pages that may frame the checkout, in addition to `http://localhost` and `http://127.0.0.1` on the ports 3000, 4200, 5000, 5173, 8000 and 8080.",
};
const faultFields = {
  faults: "The faults, in the order in which they happen.",
  "faults.party": "The outside party that misbehaves.",
  "faults.method": "The call that misbehaves. `GET /sandbox/catalogue` lists the calls of each party.",
  "faults.kind": "What goes wrong. `GET /sandbox/catalogue` lists the kinds.",
  "faults.calls": "Number of calls that misbehave.",
};
const messageFields = (path: string) => ({
  [`${path}.id`]: "Id of the message.",
  [`${path}.message_id`]: "Id with which the service sent it.",
  [`${path}.text`]: "Plain text.",
});

/** The calls of staging. Their bodies have no names, so each note is named after its operation. */
export const sandboxNotes: SchemaNotes = {
  "readSandboxCatalogue response": {
    fields: {
      cards: "Card numbers.",
      "cards.number": "Number to type.",
      "cards.causes": causes,
      document_serials: "Serial numbers of identity documents.",
      "document_serials.causes": causes,
      people: "People with a fixed RUT.",
      "people.rut": "RUT to use, as `12345678-5`.",
      "people.causes": causes,
      email_addresses: "E-mail addresses.",
      "email_addresses.email": "Address to use.",
      "email_addresses.causes": causes,
      phone_numbers: "Phone numbers.",
      "phone_numbers.number": "Number to use, E.164.",
      "phone_numbers.causes": causes,
      bank_accounts: "Account numbers for payouts.",
      "bank_accounts.number": "Account number to use.",
      "bank_accounts.causes": causes,
      faults: "What `PUT /sandbox/faults` accepts.",
      "faults.kinds": "Kinds of faults.",
      "faults.kinds.kind": "Value for `kind`.",
      "faults.kinds.causes": "What the fault does to a call.",
      "faults.methods": "Calls that can misbehave.",
      "faults.methods.party": "Value for `party`.",
      "faults.methods.method": "Value for `method`.",
    },
  },
  "readSandboxChallenge response": {
    fields: {
      challenge: "Send it back with the solution.",
      bits: "Leading zero bits that the SHA-256 of `{challenge}.{solution}` must have.",
      expires_at: "When the challenge expires. ISO 8601, UTC.",
    },
  },
  "createSandboxKeys request": {
    fields: {
      ...settingFields,
      challenge: "The challenge from `GET /sandbox/keys/challenge`.",
      solution: "A text that solves the challenge.",
    },
  },
  "createSandboxKeys response": {
    fields: {
      ...tenantFields,
      addresses: "Base URLs of the environment.",
      "addresses.order_api": "Base URL of the order API.",
      "addresses.spot_api": "Base URL of the onboarding and expense API.",
      "addresses.widget_host": "Base URL of the checkout.",
      ends_at: "When the keys expire, unless we extend them. ISO 8601, UTC.",
    },
  },
  "createSandboxTenant request": {
    fields: {
      ...settingFields,
      meta: "`true`: a meta-provider, which registers centres and names one in each order. By default `false`.",
      return_urls:
        "Addresses to which the checkout may return patients: pages, or an app's own scheme. By default none.",
      capture_first:
        "`true`: the first instalment is captured before the credit decision, so that orders pass through `partially_paid`. By default `false`.",
      commission_percentage: "Commission in percent, with at most two decimals. By default 7.",
      commission_regime: "How the commission is taxed. By default `taxed_service`.",
      card_page:
        "`true`: patients enter their card on the card processor's page, not in the checkout. By default `false`.",
      known_patients: "`true`: patients may save cards and be recognised by a code. By default `false`.",
      unpaid_order_expiry_minutes: "Minutes after which an unpaid order is cancelled. By default it never is.",
    },
  },
  "createSandboxTenant response": { fields: tenantFields },
  "readSandboxRequests response": {
    fields: {
      requests: "The requests, newest first.",
      "requests.ended_at": "When the response was sent. ISO 8601, UTC.",
      "requests.method": "HTTP method.",
      "requests.route": "Pattern of the path, without its values.",
      "requests.status": "HTTP status of the response.",
      "requests.code": "Error code; null if the request succeeded.",
      "requests.invalid_fields": "Names of invalid fields. Empty if there were none.",
      "requests.duration_ms": "Duration in milliseconds.",
    },
  },
  "readSandboxFaults response": { fields: faultFields },
  "setSandboxFaults request": { fields: faultFields },
  "setSandboxFaults response": { fields: faultFields },
  "readSandboxClock response": {
    fields: {
      now: "The tenant's time. ISO 8601, UTC.",
      real_now: "Real time. ISO 8601, UTC.",
      ahead_seconds: "How far the tenant's time is ahead of real time, in seconds.",
      remaining_seconds: "How far the clock still has to move, in seconds. 0 when all due work is done.",
    },
  },
  "moveSandboxClock request": {
    fields: { advance: "How far to move: one to four numbers with a unit, such as `45d` or `1d12h`." },
  },
  "readSandboxNotices query": {
    fields: { to: "Only messages to this e-mail address or phone number.", limit: "Messages of each kind to return." },
  },
  "readSandboxNotices response": {
    fields: {
      notices: "E-mails, newest first.",
      ...messageFields("notices"),
      "notices.to": "E-mail address.",
      "notices.subject": "Subject line.",
      "notices.html": "HTML body.",
      messages: "Messages to phones, newest first.",
      ...messageFields("messages"),
      "messages.to": "Phone number, E.164.",
    },
  },
  "settleSandboxClaim request": {
    fields: {
      outcome: "What the insurer does.",
      reimbursed: "With `approve`: reimbursement in Chilean pesos. By default the insurer's usual share.",
      reason: "With `reject`: the insurer's reason.",
      callback: "`true`: the insurer calls back and the service polls at once. Otherwise it learns at its next poll.",
    },
  },
  "settleSandboxClaim response": {
    fields: {
      claim: "The claim at the insurer.",
      "claim.status": "State of the claim at the insurer.",
      "claim.reimbursed": "Reimbursement in Chilean pesos; null unless approved.",
      "claim.reason": "Reason of the rejection; null unless rejected.",
    },
  },
  "chargeBackInSandbox response": {
    fields: {
      chargeback: "The chargeback.",
      "chargeback.id": "Id of the chargeback.",
      "chargeback.charge_id": "Id of the charge that it reverses.",
      "chargeback.amount": "Amount in Chilean pesos.",
    },
  },
};
