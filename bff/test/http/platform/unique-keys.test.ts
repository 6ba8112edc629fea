/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../database.ts";

/** The tables with a unique key without `provider_id`. */
const TABLES = [
  // A patient is one record for all clinics of a cell.
  ...[
    "users",
    "beneficiaries",
    "consents",
    "consent_texts",
    "data_links",
    "erasures",
    "rights_requests",
    "email_changes",
    "recoveries",
    "recovery_identity_checks",
    "link_codes",
    "link_code_patients",
  ],
  // Looked up before it is known whose they are.
  ...["credentials", "widget_tokens"],
  // It is the `provider_id`.
  "providers",
  // The order's id is a UUID, so that `provider_id` would add nothing.
  "events",
  // Claimed across providers; a key names what the timer is about.
  "timers",
  // The id itself allows one delivery of an event to an endpoint.
  ...["webhook_endpoints", "webhook_deliveries", "webhook_attempts"],
  // A UUID, next to a second key that holds `provider_id` or needs none.
  ...[
    "identity_checks",
    "ledger_transfers",
    "notices",
    "recognitions",
    "saved_cards",
    "charge_returns",
    "loan_cancellations",
    "centers",
  ],
  // Files of all providers lie in one place.
  "expense_files",
  // Addresses, tokens and RUTs belong to no provider; what counts by provider has it in its key.
  "rate_limits",
  // One chain.
  "audit_log",
  // Published for everybody.
  ...["maximum_rates", "legal_texts"],
  // Operators work for all providers.
  ...[
    "operators",
    "operator_profiles",
    "operator_links_used",
    "operator_sessions",
    "resolution_jobs",
    "resolution_job_items",
    "approval_requests",
    "solo_amounts",
  ],
  // A process serves all providers.
  "gateway_states",
  // Of the database itself.
  ...["deployment", "restores", "schema_migrations", "sealing_keys", "party_connectors"],
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("the unique keys without provider_id are exactly those listed with a reason", async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct tables.relname as name
    from pg_index keys
    join pg_class tables on tables.oid = keys.indrelid
    where keys.indisunique and tables.relnamespace = current_schema()::regnamespace and not starts_with(tables.relname, 'sandbox_')
      and not exists (
        select from pg_attribute a where a.attrelid = tables.oid and a.attnum = any(keys.indkey) and a.attname = 'provider_id')
    order by name`.execute(database.db);
  expect(TABLES.toSorted()).toEqual(rows.map(({ name }) => name));
});
