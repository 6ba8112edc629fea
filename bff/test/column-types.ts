/**
 * Column types that the database does not know: the kind of a text, or the shape of a JSON value. Only types of the
 * contract and the platform are here, since the platform knows no feature; a feature's types are narrowed in its store.
 * A column with a constrained list of values (`state in ('open', 'done')`) needs no line.
 */
export const COLUMN_TYPES: Readonly<Record<string, string>> = {
  "beneficiaries.insurer": "Insurer",
  "beneficiaries.phone_number": "Phone",
  "beneficiaries.rut": "Rut",
  "card_attempts.decline_reason": "DeclineReason",
  "card_attempts.order_id": "OrderId",
  "card_removals.order_id": "OrderId",
  "centers.rut": "Rut",
  "charge_returns.order_id": "OrderId",
  "chargebacks.order_id": "OrderId",
  "claims.order_id": "OrderId",
  "hand_worked_claims.order_id": "OrderId",
  "collection_attempts.decline_limit": "DeclineLimit",
  "collection_attempts.decline_reason": "DeclineReason",
  "collection_attempts.order_id": "OrderId",
  "collection_triggers.order_id": "OrderId",
  "collections.order_id": "OrderId",
  "expenses.order_id": "OrderId",
  "expenses.subtypes": "ExpenseSubtype",
  "loan_cancellations.order_id": "OrderId",
  "orders.commission_tax": "CommissionTax",
  "payable_orders.order_id": "OrderId",
  "payment_attempts.agreement": "{ locale: Locale; texts: LegalTextName[]; values: Record<string, string> }",
  "payment_attempts.quote": "Quote",
  "payout_items.order_id": "OrderId",
  "payouts.day": "CalendarDay",
  "providers.appearance": "Appearance",
  "providers.commission_tax": "CommissionTax",
  "reconciliation_differences.kind": "DifferenceKind",
  "reconciliation_differences.order_id": "OrderId",
  "reconciliation_differences.party": "ReconciledParty",
  "reconciliation_runs.unavailable": "ReconciledParty[]",
  "recognitions.order_id": "OrderId",
  "recoveries.email": "Email",
  "saved_card_uses.order_id": "OrderId",
  "saved_cards.brand": "CardBrand",
  "saved_cards.order_id": "OrderId",
  "sandbox_authentications.order_hash": "OrderId",
  "sandbox_card_registrations.decline_reason": "DeclineReason",
  "sandbox_card_registrations.order_hash": "OrderId",
  "sandbox_cards.brand": "CardBrand",
  "sandbox_cards.order_hash": "OrderId",
  "sandbox_claims.order_hash": "OrderId",
  "sandbox_loans.order_hash": "OrderId",
  "sandbox_messages.to_number": "Phone",
  "sandbox_movements.order_hash": "OrderId",
  "sandbox_sealing_keys.private_key": "Readonly<Record<string, string>>",
  "sandbox_sealing_keys.public_key": "SealingKey",
  "tax_documents.order_id": "OrderId",
  "users.email": "Email",
  "webhook_attempts.outcome": '"succeeded" | "failed" | "interrupted"',
  "webhook_deliveries.kind": 'WebhookEventKind | "endpoint.test"',
  "webhook_endpoints.kinds": "WebhookEventKind",
  "widget_tokens.locale": "Locale",
  "widget_tokens.order_id": "OrderId",
  "widget_tokens.provider_data": "Record<string, unknown>",
  "widget_tokens.rut": "Rut",
  "widget_tokens.user_data": "UserData",
};

/** The modules that export these types. */
export const IMPORTS: Readonly<Record<string, string>> = {
  Appearance: "../../contract/widget-tokens.ts",
  CalendarDay: "../santiago-time.ts",
  CardBrand: "../../contract/orders.ts",
  CommissionTax: "../../contract/vocabulary/commission-tax.ts",
  DeclineLimit: "../../contract/errors.ts",
  DeclineReason: "../../contract/errors.ts",
  DifferenceKind: "../../contract/reconciliation.ts",
  Email: "../../contract/vocabulary/email.ts",
  ExpenseSubtype: "../../contract/expenses.ts",
  Insurer: "../../contract/onboarding.ts",
  LegalTextName: "../../contract/vocabulary/legal-text.ts",
  Locale: "../../contract/widget-tokens.ts",
  OrderId: "../../contract/vocabulary/identifiers.ts",
  Phone: "../../contract/vocabulary/phone.ts",
  Quote: "../../contract/quote.ts",
  ReconciledParty: "../../contract/reconciliation.ts",
  Rut: "../../contract/vocabulary/rut.ts",
  SealingKey: "../../contract/widget-tokens.ts",
  UserData: "../../contract/widget-tokens.ts",
  WebhookEventKind: "../../contract/webhook-events.ts",
};

/** A view with the rows of a table. PostgreSQL does not know that a view's column is never null. */
export const VIEWS: Readonly<Record<string, string>> = { all_webhook_attempts: "webhook_attempts" };

/** Views under a table's former name, for the previous version only. The next release drops them. */
export const FORMER_NAMES: readonly string[] = ["card_authentications", "card_registrations"];

/** The row type of a table whose name cannot change and contains a retired word. */
export const ROW_NAMES: Readonly<Record<string, string>> = { handled_matters: "HandledExceptionsRow" };
