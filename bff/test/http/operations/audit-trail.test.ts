import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { insertSandboxKeys } from "../../../sandbox/keys/sandbox-keys-store.ts";
import type { ApprovedAct } from "../../../src/back-office/approvals/approval.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { recordConsents } from "../../../src/patients/consents.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { findOpenRestore } from "../../../src/platform/restore-store.ts";
import { findProvider } from "../../../src/tenants/providers.ts";
import { registerPatient } from "../../registered-patient.ts";
import { allTextsShown } from "../../texts-shown.ts";
import { auditRows } from "../audit-of.ts";
import { present } from "../orders/orders-world.ts";
import { beginCommandLine, writeOrder } from "./command-line.ts";

/*
 * Every operator command and all its audit rows. The commands run in sequence; data that no command creates exists
 * before the first.
 */

const { dataDir, aapd, json, withStorage } = beginCommandLine();

const CLINIC = "76.901.112-9";
const PATIENT = "40.237.731-3";
/** A RUT that orders contain, but that was never registered. */
const NAMED = "40.513.193-5";
const agreed = ["--commission", "7", "--commission-regime", "interest", "--support-email", "ayuda@mirador.example.com"];
const account = ["--bank", "Banco de Prueba", "--account-type", "checking", "--account-number", "0012345678"];
const holder = ["--holder-name", "Clínica Mirador SpA", "--holder-rut", CLINIC];

const order = systemIds.uuid();
const [newestKey, oldKey] = ["2027-01", "2025-01"];
let camila: NodeJS.ProcessEnv;
let clinic: string;
let patient: string;
let request: string;
/** The rows that existed before the command. */
let rows = 0;

beforeAll(async () => {
  const { token } = await json("operator", "add", "camila.rojas");
  camila = { AAPD_OPERATOR_TOKEN: token };
  await json("operator", "add", "diego.soto");
  clinic = (await json("provider", "create", "--name", "Mirador", "--rut", CLINIC, ...agreed, "--no-frame")).provider
    .id;
  await withStorage(async (database) => {
    const { db } = database;
    const now = systemClock.now();
    const at = { database, clock: systemClock };
    const provider = present(await findProvider(db, clinic));
    const registered = await registerPatient(at, { provider }, { rut: PATIENT, sealedInsurerAccess: "sealed" });
    patient = registered.id;
    await writeOrder(database, { providerId: clinic, id: order, state: "awaiting_payment", at: now });
    await inTransaction(db, async (tx) => {
      const asked = { kind: "rectification", about: "last_name", words: "Rojas Fuenzalida", asked_at: now } as const;
      const of = {
        provider_id: clinic,
        beneficiary_id: patient,
        state: "open",
        answered_at: null,
        answer: null,
      } as const;
      const keys = { providerId: clinic, challenge: "none", createdAt: now, endsAt: new Date("2100-01-01") };
      await insertSandboxKeys(tx, keys);
      request = systemIds.uuid();
      await tx
        .insertInto("rights_requests")
        .values({ id: request, ...of, ...asked })
        .execute();
      const texts = consentTexts("es-CL", "onboarding").filter(({ purpose }) => purpose === "health_data");
      const by = { providerId: clinic, rut: parseRut(NAMED), orderId: null, ip: "203.0.113.7", userAgent: "Test" };
      await recordConsents(tx, systemIds, texts, { ...by, shown: allTextsShown(now), acceptedAt: now });
    });
    for (const reference of ["m1", "m2"])
      await db
        .insertInto("reconciliation_differences")
        .values({
          provider_id: clinic,
          kind: "charge_not_booked",
          reference,
          party: "card_processor",
          found: 12_000,
          at: now,
          first_seen_at: now,
          last_seen_at: now,
        })
        .execute();
    rows = (await auditRows(db).execute()).length;
  });
  await writeFile(join(dataDir(), "privacy.md"), "# Privacidad\n\n{{clinic}} y {{financing_provider}}");
  const path = join(dataDir(), "keyring.json");
  const { keys } = JSON.parse(await readFile(path, "utf8"));
  const keyOf = (id: string, letter: string) => ({ id, secret: `${letter.repeat(43)}=` });
  await writeFile(path, JSON.stringify({ keys: [keyOf(newestKey, "A"), ...keys, keyOf(oldKey, "Q")] }));
});

type Answer = Awaited<ReturnType<typeof json>>;

/** A row without its actor. */
interface AuditRow {
  readonly act: string;
  readonly provider_id: string | null;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly details: object;
}
const withoutProvider = (act: string, kind: string, id: string, details: object = {}): AuditRow => ({
  act,
  provider_id: null,
  subject_kind: kind,
  subject_id: id,
  details,
});
const of = (act: string, kind: string, id: string, details: object = {}): AuditRow => ({
  ...withoutProvider(act, kind, id, details),
  provider_id: clinic,
});
const ofClinic = (act: string, details: object = {}) => of(act, "provider", clinic, details);
const ofPatient = (act: string, details: object = {}) => of(act, "beneficiary", patient, details);
const ofUnregistered = (act: string, details: object = {}) => of(act, "unregistered_patient", clinic, details);
const seen = (revealed: boolean) => of("order.seen", "order", order, { revealed });

const requested = (approval: string, act: string, about: string) =>
  withoutProvider("approval.requested", "approval", approval, { act, about });
async function openRequest(act: ApprovedAct): Promise<string[]> {
  const row = withStorage(({ db }) =>
    db
      .selectFrom("approval_requests")
      .select("id")
      .where("act", "=", act)
      .where("state", "=", "open")
      .executeTakeFirstOrThrow(),
  );
  return [(await row).id];
}
/** Camila is one of two operators added today. Another operator, added a day earlier, made the request. */
const byDiego = (act: ApprovedAct) =>
  withStorage(async ({ db }) => {
    await db
      .updateTable("approval_requests")
      .set({ asked_by: "operator:diego.soto" })
      .where("act", "=", act)
      .where("state", "=", "open")
      .execute();
    const yesterday = new Date(systemClock.now().getTime() - 25 * 3_600_000);
    await db
      .updateTable("operators")
      .set({ added_at: yesterday, approves_from: new Date(yesterday.getTime() + 24 * 3_600_000) })
      .execute();
  });

const difference = (reference: string) => `charge_not_booked:${reference}`;
/** The name of an exception changes with its facts. */
async function differenceNow(reference: string): Promise<string> {
  const { exceptions } = await json("exceptions", "list");
  const names: string[] = exceptions.map(({ exception }: { exception: string }) => exception);
  return present(names.find((name) => name.includes(`:${difference(reference)}@`)));
}
const newest = (table: "widget_tokens" | "credentials") =>
  withStorage(
    async ({ db }) =>
      (await db.selectFrom(table).select("id").orderBy("created_at", "desc").executeTakeFirstOrThrow()).id,
  );

it.each<
  readonly [
    command: string,
    rest: () => readonly string[] | Promise<readonly string[]>,
    expectedRows: (answer: Answer) => readonly AuditRow[] | Promise<readonly AuditRow[]>,
  ]
>([
  [
    "operator add",
    () => ["paula", "--role", "support"],
    ({ approval }) => [requested(approval, "operator.add", "paula")],
  ],
  [
    "operator change-role",
    () => ["diego.soto", "viewer"],
    ({ approval }) => [requested(approval, "operator.change_role", "diego.soto")],
  ],
  ["operator renew", () => [], ({ approval }) => [requested(approval, "operator.reissue_token", "camila.rojas")]],
  ["approvals list", () => [], () => []],
  [
    "approvals refuse",
    () => openRequest("operator.change_role"),
    ({ approval }) => [
      withoutProvider("approval.refused", "approval", approval, {
        act: "operator.change_role",
        about: "diego.soto",
        requested_by: "operator:camila.rojas",
      }),
    ],
  ],
  [
    "provider create",
    () => ["--name", "Quillay", "--rut", "76.902.223-6", ...agreed, "--no-frame", "--legal-basis", "informe 14"],
    ({ provider: { id } }) => [
      {
        ...withoutProvider("provider.created", "provider", id, { commission_legal_basis: "informe 14" }),
        provider_id: id,
      },
    ],
  ],
  [
    "provider change",
    () => [CLINIC, "--commission", "5.9", "--legal-basis", "informe 15"],
    () => [
      ofClinic("provider.changed", {
        from: expect.objectContaining({ commissionBasisPoints: 700 }),
        to: expect.objectContaining({ commissionBasisPoints: 590 }),
        commission_legal_basis: "informe 15",
      }),
    ],
  ],
  [
    "provider set-origins",
    () => [CLINIC, "https://mirador.example"],
    () => [ofClinic("provider.origins_set", { origins: ["https://mirador.example"] })],
  ],
  [
    "provider set-return-urls",
    () => [CLINIC, "cl.mirador.app:/paid"],
    () => [ofClinic("provider.return_urls_set", { return_urls: ["cl.mirador.app:/paid"] })],
  ],
  [
    "provider set-webhook",
    () => [CLINIC, "http://127.0.0.1:4000/hook"],
    ({ endpoint }) => [of("webhook.set", "webhook_endpoint", endpoint.id)],
  ],
  [
    "provider rotate",
    () => [CLINIC, "client_secret"],
    ({ approval }) => [{ ...requested(approval, "credential.rotate", clinic), provider_id: clinic }],
  ],
  [
    "approvals approve",
    async () => {
      await byDiego("credential.rotate");
      return openRequest("credential.rotate");
    },
    async ({ approval }) => [
      {
        ...withoutProvider("approval.approved", "approval", approval, {
          act: "credential.rotate",
          about: clinic,
          requested_by: "operator:diego.soto",
        }),
        provider_id: clinic,
      },
      ofClinic("credential.rotated", { kind: "client_secret", credential_id: await newest("credentials") }),
    ],
  ],
  [
    "provider revoke",
    () => [CLINIC, "webhook_secret"],
    () => [ofClinic("credential.revoked", { kind: "webhook_secret", ended: 1 })],
  ],
  [
    "provider change",
    () => [CLINIC, "--support-email", "otra@mirador.example.com"],
    ({ approval }) => [{ ...requested(approval, "provider.set_support_email", clinic), provider_id: clinic }],
  ],
  ["operator end", () => ["diego.soto"], () => [withoutProvider("operator.ended", "operator", "diego.soto")]],
  ["provider deactivate", () => [CLINIC], () => [ofClinic("provider.deactivated")]],
  ["provider activate", () => [CLINIC], () => [ofClinic("provider.activated")]],
  ["claim-keys", () => [clinic], () => [ofClinic("provider.sandbox_keys_claimed")]],
  [
    "payouts set-terms",
    () => [CLINIC, "--fee", "3.5", "--fee-regime", "taxed_service", ...account, ...holder],
    () => [
      ofClinic("payout_terms.set", { fee_basis_points: 350, fee_regime: "taxed_service", bank_account: "changed" }),
    ],
  ],
  ["lender set-account", () => [CLINIC, ...account, ...holder], () => [ofClinic("lender_account.set")]],
  [
    "legal set-maximum-rate",
    () => ["900", "--source", "CMF", "--since", "2026-11-01"],
    () => {
      const rate = { basis_points: 90_000, source: "CMF", since: "2026-11-01" };
      return [withoutProvider("legal.maximum_rate_set", "environment", "staging", rate)];
    },
  ],
  [
    "texts set",
    () => ["privacy_notice", "--version", "2026-12", "--file", join(dataDir(), "privacy.md")],
    () => [withoutProvider("legal.text_set", "legal_text", "privacy_notice", { version: "2026-12", locale: "es-CL" })],
  ],
  ["switch mails off", () => [], () => [withoutProvider("switch.off", "switch", "mails")]],
  ["switch mails on", () => [], () => [withoutProvider("switch.on", "switch", "mails")]],
  ["switch charges off", () => ["--provider", CLINIC], () => [of("switch.off", "switch", "charges")]],
  ["switch charges on", () => ["--provider", CLINIC], () => [of("switch.on", "switch", "charges")]],
  ["orders search", () => [order], () => [seen(false)]],
  ["orders show", () => [order], () => [seen(false)]],
  ["orders show", () => [order, "--reveal"], () => [seen(true)]],
  [
    "exceptions resolve",
    async () => [await differenceNow("m1"), "handled", "--note", "cartola 24-11"],
    () => [of("matter.handled", "difference", difference("m1"), { note: "cartola 24-11" })],
  ],
  [
    "exceptions resolve-all",
    () => ["difference", "handled", "--note", "cartola 25-11"],
    () => [of("matter.handled", "difference", difference("m2"), { note: "cartola 25-11" })],
  ],
  ["patients request", () => [request], () => [ofPatient("patient_data.read", { request })]],
  ["patients export", () => [PATIENT, "--provider", CLINIC], () => [ofPatient("patient_data.read")]],
  [
    "patients send-link",
    () => [PATIENT, "--provider", CLINIC],
    async () => [ofPatient("patient_data.link_sent", { widget_token: await newest("widget_tokens") })],
  ],
  [
    "patients send-link",
    () => [PATIENT, "--provider", CLINIC, "--purpose", "insurer_access"],
    async () => {
      const link = { purpose: "insurer_access", widget_token: await newest("widget_tokens") };
      return [ofPatient("patient_link.sent", link)];
    },
  ],
  [
    "patients withdraw",
    () => [PATIENT, "insurer_access", "--provider", CLINIC],
    () => [
      ofPatient("patient_data.consent_withdrawn", {
        purpose: "insurer_access",
        effects: ["insurer_access_destroyed"],
      }),
    ],
  ],
  [
    "patients erase",
    () => [PATIENT, "--provider", CLINIC],
    () => [ofPatient("patient_data.erased"), ofPatient("patient_data.erasure_requested")],
  ],
  ["patients export", () => [NAMED, "--provider", CLINIC], () => [ofUnregistered("patient_data.read")]],
  [
    "patients withdraw",
    () => [NAMED, "health_data", "--provider", CLINIC],
    () => [ofUnregistered("patient_data.consent_withdrawn", { purpose: "health_data", effects: ["no_more_claims"] })],
  ],
  ["patients erase", () => [NAMED, "--provider", CLINIC], () => [ofUnregistered("patient_data.erasure_requested")]],
  [
    "patients erase",
    async () => {
      await withStorage(({ db }) =>
        db.updateTable("orders").set({ state: "cancelled" }).where("provider_id", "=", clinic).execute(),
      );
      return [NAMED, "--provider", CLINIC];
    },
    () => [ofUnregistered("patient_data.erased")],
  ],
  [
    "keys reseal",
    () => [],
    ({ resealed: values, files }) => {
      expect(values).toBeGreaterThan(0);
      return [withoutProvider("keys.resealed", "key", newestKey, { values, files })];
    },
  ],
  ["keys retire", () => [oldKey], () => [withoutProvider("keys.retired", "key", oldKey)]],
  [
    "restore begin",
    () => ["--to", "2026-11-22T14:05:00Z"],
    async () => {
      const { id } = present(await withStorage(({ db }) => findOpenRestore(db)));
      return [withoutProvider("restore.begun", "restore", id)];
    },
  ],
])("aapd %s", async (command, rest, expectedRows) => {
  const { code, out, error } = await aapd([...command.split(" "), ...(await rest()), "--json"], camila);
  expect([code, error]).toEqual([0, ""]);
  const written = await withStorage(async ({ db }) => (await auditRows(db).execute()).slice(rows));
  rows += written.length;
  const by = { actor: "operator:camila.rojas", credential_id: null };
  expect(written).toEqual((await expectedRows(JSON.parse(out))).map((row) => ({ ...row, ...by })));
});
