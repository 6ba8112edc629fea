/**
 * The room whose stores own each table. Other rooms use that room's functions: for values, actions, or a piece of SQL
 * that names its rows (`providers.ts`, `order-reads.ts`).
 */
export const tableOwners: Readonly<Record<string, readonly string[]>> = {
  "bff/src/platform": [
    "audit_log",
    "deployment",
    "events",
    "idempotency_keys",
    "party_connectors",
    "rate_limits",
    "restores",
    "switches",
    "timers",
  ],
  "bff/src/gateways": ["gateway_states", "portal_readings", "sealing_keys"],
  "bff/src/tenants": ["centers", "credentials", "maximum_rates", "provider_origins", "providers"],
  "bff/src/patients": ["beneficiaries", "consent_texts", "consents", "users"],
  "bff/src/notifications": ["notices"],
  "bff/src/orders": [
    "card_attempts",
    "card_removals",
    "identity_checks",
    "ledger_balance_differences",
    "ledger_balances",
    "ledger_closings",
    "ledger_transfers",
    "legal_texts",
    "order_payments",
    "order_refunds",
    "orders",
    "payment_attempts",
    "payments_otherwise",
    "refund_movements",
    "saved_card_uses",
    "saved_cards",
    "tax_documents",
  ],
  "bff/src/webhooks": ["all_webhook_attempts", "webhook_attempts", "webhook_deliveries", "webhook_endpoints"],
  "bff/src/checkout": [
    "email_changes",
    "recognitions",
    "recoveries",
    "recovery_identity_checks",
    "subscriptions",
    "widget_tokens",
  ],
  "bff/src/collection": ["chargebacks", "collection_attempts", "collection_triggers", "collections", "loan_reports"],
  "bff/src/claims": ["claims", "expense_files", "expenses", "hand_worked_claims", "missing_receipts"],
  "bff/src/settlement": [
    "card_settlement_lines",
    "card_settlements",
    "charge_returns",
    "collected_orders",
    "lender_accounts",
    "loan_cancellations",
    "payable_orders",
    "payee_accounts",
    "payees",
    "payout_items",
    "payout_terms",
    "payouts",
    "reconciliation_differences",
    "reconciliation_runs",
  ],
  "bff/src/self-service": ["data_links", "erasures", "link_code_patients", "link_codes", "rights_requests"],
  "bff/src/back-office": [
    "approval_requests",
    "handled_matters",
    "operator_links_used",
    "operator_profiles",
    "operator_sessions",
    "operators",
    "resolution_approvals",
    "resolution_job_items",
    "resolution_jobs",
    "solo_amounts",
  ],
  "bff/sandbox": [
    "sandbox_authentications",
    "sandbox_bank_transfers",
    "sandbox_calls",
    "sandbox_card_registrations",
    "sandbox_cards",
    "sandbox_claims",
    "sandbox_clock_moves",
    "sandbox_faults",
    "sandbox_kept_cards",
    "sandbox_keys",
    "sandbox_loans",
    "sandbox_messages",
    "sandbox_missed_calls",
    "sandbox_movements",
    "sandbox_notices",
    "sandbox_portals",
    "sandbox_sealing_keys",
    "sandbox_tax_documents",
    "sandbox_tax_numbers",
    "sandbox_tenants",
  ],
};

/** Statements that may use another room's tables, each with the reason. */
export const crossings: readonly { readonly file: string; readonly tables: readonly string[]; readonly why: string }[] =
  [
    {
      file: "bff/src/collection/collection-store.ts",
      tables: ["card_attempts"],
      why: "A collection is read together with the authentication that confirmed its card.",
    },
    {
      file: "bff/src/orders/order-store.ts",
      tables: ["timers"],
      why: "An order and the timer that ends it are one statement; timers are platform's, on which every room stands.",
    },
    {
      file: "bff/src/webhooks/delivery-claim-store.ts",
      tables: ["events", "providers"],
      why: "A claim of the queue brings what is to be sent and the provider's clock along, in the one statement of the hot path.",
    },
    {
      file: "bff/src/webhooks/delivery-queue-store.ts",
      tables: ["events", "timers"],
      why: "An earlier event of an order that still waits to be dispatched is found by its timer and queued first.",
    },
    {
      file: "bff/src/webhooks/delivery-store.ts",
      tables: ["providers", "timers"],
      why: "A page of deliveries says when the next attempt is due, which stands in its timer, in the provider's time.",
    },
    {
      file: "bff/src/webhooks/endpoint-store.ts",
      tables: ["credentials", "providers"],
      why: "A provider's list of endpoints is locked by its row, and its own secret serves the endpoint that has none of its own.",
    },
  ];

export const crossingOf = (file: string) => crossings.find((crossing) => crossing.file === file)?.tables ?? [];

const owners = new Map(Object.entries(tableOwners).flatMap(([room, tables]) => tables.map((table) => [table, room])));

/** The tables of other rooms that a file of code uses. */
export function foreignTables(file: string, code: string): string[] {
  const isForeign = (table: string) => {
    const owner = owners.get(table);
    return owner !== undefined && !file.startsWith(`${owner}/`);
  };
  return [...new Set(tablesIn(file, code))].filter(isForeign).toSorted();
}

const BUILT =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|from|(?:inner|left|right|full|cross)Join\w*)\(\s*\[?\s*["'`](\w+)/g;
/** A text that is a table's name, with or without an alias. The parts of a query may be separate from it. */
const NAMED = /["'`](\w+)(?: as \w+)?["'`]/g;
const WRITTEN = /\b(?:from|join|update|into|using)\s+(?:only\s+)?(\w+)\b/gi;
const WRITTEN_AFTER_A_COMMA = /\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?\s*,\s*(?:lateral\s+)?(\w+)/gi;

/** Only stores contain SQL, but a query can be built anywhere with a connection. */
function tablesIn(file: string, code: string): string[] {
  const bare = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm, "");
  const patterns = file.endsWith("-store.ts") ? [BUILT, NAMED, WRITTEN, WRITTEN_AFTER_A_COMMA] : [BUILT];
  return patterns.flatMap((pattern) => [...bare.matchAll(pattern)].map(([, table = ""]) => table));
}
