import { readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/app/config.ts";
import { openStorage } from "../../../src/app/open-storage.ts";
import { emailSchema } from "../../../src/contract/vocabulary/email.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { phoneSchema } from "../../../src/contract/vocabulary/phone.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { findOrder } from "../../../src/orders/order-reads.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { registerBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { writeRequired } from "../../../src/platform/deployment-store.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { testDatabaseKind } from "../../database.ts";
import { present } from "../orders/orders-world.ts";
import { beginCommandLine, writeOrder } from "./command-line.ts";

const { dataDir, environment, aapd, json, withStorage } = beginCommandLine();

const create = ["provider", "create", "--name", "Centro Médico Mirador Andino Ltda.", "--rut", "76.901.112-9"];
const interest = ["--commission-regime", "interest"];
const agreed = ["--commission", "6.5", ...interest, "--support-email", "ayuda@mirador.example.com"];
const contact = [...agreed, "--no-frame"];

/** Checks the provider with an order of 40,000 pesos on 2026-11-20, paid out on 2026-12-01. */
async function checkTrialBalance(providerId: string): Promise<void> {
  const atEnd = ["ledger", "balances", providerId, "--at", "2026-11-30"];
  const { at, clinics, accounts, total } = await json(...atEnd);
  expect([at, clinics, total]).toEqual(["2026-11-30", 1, { debit: 40_000, credit: 40_000, balance: 0 }]);
  expect(accounts).toContainEqual({ account: "order", debit: 0, credit: 40_000, balance: -40_000 });
  const { out } = await aapd(atEnd);
  expect(out).toMatch(/^account,debit,credit,balance\norder,0,40000,-40000\n/);
  expect(out).toMatch(/\ntotal,40000,40000,0\n$/);
  expect((await aapd([...atEnd, "--table"])).out).toMatch(/\norder +0 +40\.000 +-40\.000\n/);
  expect((await json("ledger", "balances", "--all", "--at", "2026-12-01")).total.balance).toBe(0);
  const afterPayout = (await json(...atEnd.slice(0, 4), "2026-12-01")).accounts;
  expect(afterPayout).toContainEqual({ account: "bank", debit: 0, credit: 38_800, balance: -38_800 });
  for (const wrong of [[], ["--all", providerId]])
    expect((await aapd(["ledger", "balances", ...wrong])).error).toContain("Name a provider, or use --all");
  expect((await aapd(["ledger", "balances", "--all", "--at", "2026-02-30"])).error).toContain(
    "a day such as 2026-12-03",
  );
}

/** Checks the same provider; the order's reference is its hash. */
async function checkStatement(providerId: string, order: string): Promise<void> {
  const clinic = `${providerId},Centro Médico Mirador Andino Ltda.`;
  const november = await aapd(["ledger", "statement", providerId, "--month", "2026-11"]);
  expect(november.out).toBe(
    [
      "payee,name,at,kind,order,reference,refund_reference,payout,amount,balance",
      `${clinic},2026-11-01T00:00:00-03:00,opening,,,,,,0`,
      `${clinic},2026-11-20T12:00:00-03:00,sale,${order},${order},,,40000,40000`,
      `${clinic},2026-11-30T23:59:59-03:00,closing,,,,,,40000`,
      "",
    ].join("\n"),
  );
  const { accounts } = await json("ledger", "statement", providerId, "--month", "2026-12");
  expect(accounts).toMatchObject([
    {
      payee: providerId,
      opening: 40_000,
      sums: { sales: 0, refunds: 0, fees: 0, fee_vat: 0, payouts: -38_800 },
      closing: 1_200,
      movements: [{ kind: "payout", order, reference: order, payout: "p", amount: -38_800, balance: 1_200 }],
    },
  ]);
}

describe("pnpm aapd", () => {
  it("creates a provider, shows its credentials once, and never its secrets again", async () => {
    const { provider, credentials } = await json(...create, ...contact, "--meta", "--inactive");
    expect(provider).toMatchObject({ rut: "76901112-9", active: false, commission_percentage: 6.5 });
    expect(provider.scopes).toEqual(["cnpl.meta_prestador"]);
    expect(Object.keys(credentials).sort()).toEqual([
      "client_id",
      "client_secret",
      "public_key",
      "secret_key",
      "webhook_secret",
    ]);
    const shown = await json("provider", "show", "76.901.112-9");
    const text = JSON.stringify(shown);
    expect(text).toContain(credentials.public_key);
    for (const kind of ["client_secret", "secret_key", "webhook_secret"]) expect(text).not.toContain(credentials[kind]);
    const { code, out } = await aapd(["provider", "activate", provider.id]);
    expect([code, out]).toEqual([0, "Active.\n"]);
  });

  it("switches charges off for a provider, lists them as off, and switches them on again", async () => {
    const { provider } = await json("provider", "show", "76901112-9");
    const off = { off: [{ what: "charges", provider_id: provider.id }] };
    expect(await json("switch", "charges", "off", "--provider", "76901112-9")).toEqual(off);
    expect(await json("switch")).toEqual(off);
    expect((await aapd(["switch", "charges", "on", "--provider", provider.id])).out).toBe("Everything is on.\n");
  });

  it("names operators, verifies the audit trail and reseals", async () => {
    const { token } = await json("operator", "add", "camila.rojas");
    const as = { AAPD_OPERATOR_TOKEN: token };
    expect((await aapd(["switch", "mails", "off"], as)).code).toBe(0);
    expect((await aapd(["switch", "mails", "on"], as)).code).toBe(0);
    const wrong = await aapd(["switch"], { AAPD_OPERATOR_TOKEN: "op_x" });
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining("does not belong to a current operator")]);
    const actors = await withStorage(({ db }) =>
      db.selectFrom("audit_log").select("actor").where("act", "=", "switch.on").orderBy("at", "desc").execute(),
    );
    expect(actors[0]?.actor).toBe("operator:camila.rojas");
    expect(await json("operator", "end", "camila.rojas")).toEqual({ operator: "camila.rojas", ended: true });
    expect((await json("operator", "list")).operators).toMatchObject([{ operator: "camila.rojas" }]);
    const { rows, head } = await json("audit", "verify");
    expect(head).toMatch(new RegExp(`^${rows}:`));
    expect(await json("keys", "reseal")).toMatchObject({ resealed: 0, left: [] });
    expect(await json("audit", "verify", "--since", head)).toMatchObject({ rows: rows + 1 });
    await withStorage(({ db }) => sql`delete from audit_log where chain_number = 1`.execute(db));
    const broken = await aapd(["audit", "verify"]);
    expect([broken.code, broken.error]).toEqual([1, expect.stringContaining("broken at row 1")]);
  });

  it("compares the keys, and retires one that nothing needs", async () => {
    const compared = async () => (await json("keys", "compare")).keys;
    expect(await compared()).toHaveLength(1);
    const path = join(dataDir(), "keyring.json");
    const text = await readFile(path, "utf8");
    const [first] = JSON.parse(text).keys;
    const write = (ids: readonly string[]) =>
      writeFile(path, JSON.stringify({ keys: [first, ...ids.map((id) => ({ id, secret: `${"A".repeat(43)}=` }))] }));
    await write(["old"]);
    expect(await compared()).toEqual([
      { key: first.id, place: 1, database: "same", required: false },
      { key: "old", place: 2, database: "same", required: false },
    ]);
    const refused = async (id: string) => (await aapd(["keys", "retire", id])).error;
    expect(await refused(first.id)).toContain("is the newest key");
    expect(await refused("never")).toContain("was never used");
    const made = `guess:old.${"A".repeat(43)}`;
    await withStorage(({ db }) =>
      sql`insert into rate_limits (key, window_ends_at, points) values (${made}, '2100-01-01', 1)`.execute(db),
    );
    expect(await refused("old")).toContain("still needed: old: 1 in rate_limits.key");
    await withStorage(({ db }) => sql`delete from rate_limits where key = ${made}`.execute(db));
    await withStorage(({ db }) => writeRequired(db, "old"));
    await write([]);
    expect((await compared())[1]).toEqual({ key: "old", place: null, database: "same", required: true });
    expect(await json("keys", "retire", "old")).toEqual({ retired: "old" });
    expect((await compared())[1]).toMatchObject({ required: false });
    await writeFile(path, text);
  });

  it("changes a provider's terms, and the widget's look", async () => {
    const change = ["provider", "change", "76901112-9"];
    const service = [
      "--commission-regime",
      "taxed_service",
      "--issuer-name",
      "AAPD Chile SpA",
      "--issuer-rut",
      "65.900.004-0",
    ];
    const first = [
      "--commission",
      "5,9",
      ...service,
      "--accent",
      "#0A7D55",
      "--font",
      "serif",
      "--density",
      "compact",
      "--labels",
      "inside",
      "--expire-unpaid-after",
      "60",
      "--known-patients",
      "--identity-trusted-days",
      "90",
      "--minors",
    ];
    const { provider } = await json(...change, ...first);
    expect(provider).toMatchObject({
      commission_percentage: 5.9,
      commission_tax: { regime: "taxed_service", issuer: { name: "AAPD Chile SpA", rut: "65900004-0" } },
      appearance: { accent: "#0A7D55", font: "serif", density: "compact", labels: "inside" },
      unpaid_order_expiry_minutes: 60,
      known_patients: true,
      identity_trusted_days: 90,
      takes_minors: true,
    });
    const again = await aapd([...change, "--no-font", "--no-labels", "--no-expire-unpaid-after", "--no-minors"]);
    expect([again.code, again.error]).toEqual([0, ""]);
    expect(again.out).toMatch(/minors +refused\n/);
    expect(again.out).toMatch(/commission +5.9 %, a service with VAT of AAPD Chile SpA, 65900004-0\n/);
    expect(again.out).toMatch(/appearance +accent #0A7D55, density compact\n/);
    expect(again.out).toMatch(/unpaid orders +stay\n/);
    expect(again.out).toMatch(/known patients +yes, for 90 days\n/);
    expect(await json("provider", "show", "76901112-9")).toMatchObject({
      provider: {
        ...provider,
        appearance: { accent: "#0A7D55", density: "compact" },
        unpaid_order_expiry_minutes: null,
        takes_minors: false,
      },
    });
    const nothing = await aapd([...change]);
    expect([nothing.code, nothing.error]).toEqual([1, "Nothing to change: see `aapd provider change --help`.\n"]);
    const wrong = await aapd([...change, "--accent", "green"]);
    expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining("accent")]);
  });

  it("sets origins and the webhook, and rotates", async () => {
    const origins = await json(
      "provider",
      "set-origins",
      "76901112-9",
      "https://mirador.example",
      "http://127.0.0.1:4000",
    );
    expect(origins.origins).toEqual(["https://mirador.example", "http://127.0.0.1:4000"]);
    const returning = await json("provider", "set-return-urls", "76901112-9", "cl.mirador.app:/paid");
    expect(returning.return_urls).toEqual(["cl.mirador.app:/paid"]);
    expect((await aapd(["provider", "set-return-urls", "76901112-9", "mirador:/paid"])).code).toBe(1);
    const webhook = ["provider", "set-webhook", "76901112-9"];
    const first = await json(...webhook, "http://127.0.0.1:4000/hook");
    expect(first.endpoint.kinds).not.toContain("order.changed");
    const second = await json(...webhook, "http://127.0.0.1:4000/other", "--kind", "order.paid", "order.changed");
    expect(second.endpoint).toMatchObject({ id: first.endpoint.id, kinds: ["order.paid", "order.changed"] });
  });

  it("rotates a credential once a second operator approves, and revokes one alone", async () => {
    const rotate = ["provider", "rotate", "76901112-9", "client_id", "--overlap-hours", "24"];
    const { is_done, approval, credentials } = await json(...rotate);
    expect([is_done, credentials]).toEqual([false, {}]);
    const own = await aapd(["approvals", "approve", approval]);
    expect([own.code, own.error]).toEqual([1, expect.stringContaining("You made this request yourself")]);
    await withStorage(({ db }) => db.updateTable("approval_requests").set({ asked_by: "operator:diego" }).execute());
    expect((await json("approvals", "list")).approvals).toMatchObject([
      {
        approval,
        act: "credential.rotate",
        provider: expect.stringContaining("Mirador"),
        request: { kind: "client_id", overlap_hours: 24 },
      },
    ]);
    const { secret } = await json("approvals", "approve", approval);
    expect(secret).toEqual({ name: "client_id", value: expect.stringMatching(/^ci_/) });
    expect((await json("approvals", "list")).approvals).toEqual([]);
    expect((await aapd(["approvals", "approve", approval])).error).toContain("no open request");
    const clientIds = async () => {
      const shown = await json("provider", "show", "76901112-9");
      return shown.credentials.filter(({ kind }: { kind: string }) => kind === "client_id");
    };
    expect(await clientIds()).toHaveLength(2);
    expect(await json("provider", "revoke", "76901112-9", "client_id")).toMatchObject({ revoked: 2 });
    expect(await clientIds()).toEqual([]);
  });

  it("changes the support e-mail once a second operator runs the same command, and only by itself", async () => {
    const change = ["provider", "change", "76901112-9", "--support-email", "nueva@mirador.example.com"];
    const both = await aapd([...change, "--name", "Otra"]);
    expect([both.code, both.error]).toEqual([1, expect.stringContaining("in a separate command")]);
    expect((await aapd(change)).out).toContain("Nothing is done yet");
    const email = async () => (await json("provider", "show", "76901112-9")).provider.support_email;
    expect(await email()).not.toBe("nueva@mirador.example.com");
    await withStorage(({ db }) => db.updateTable("approval_requests").set({ asked_by: "operator:diego" }).execute());
    expect((await aapd(change)).out).toContain("The support e-mail is changed.");
    expect(await email()).toBe("nueva@mirador.example.com");
    expect((await aapd(change)).error).toContain("already");
  });

  it("seeds the demo's clinic repeatedly, with new credentials only on request", {
    tags: ["both-databases"],
  }, async () => {
    const seed = ["seed", "--origin", "http://127.0.0.1:4000", "--webhook-url", "http://127.0.0.1:4000/webhooks/aapd"];
    const first = await json(...seed, "--new-credentials");
    expect(first.provider).toMatchObject({ name: "Clínica Los Aromos del Sur SpA", rut: "76900001-1" });
    expect(first.credentials.client_secret).toMatch(/^cs_/);
    const again = await json(...seed);
    expect(again.provider.id).toBe(first.provider.id);
    expect(again.credentials).toBeUndefined();
    const logo_url = "http://127.0.0.1:4000/logo.png";
    const withLogo = await json(...seed, "--logo-url", logo_url);
    expect([again.provider.logo_url, withLogo.provider.logo_url]).toEqual([null, logo_url]);
    expect((await json(...seed)).provider).toMatchObject({ id: first.provider.id, logo_url });
    const renewed = await json(...seed, "--new-credentials");
    expect(renewed.credentials.client_secret).not.toBe(first.credentials.client_secret);
    const { providers } = await json("provider", "list");
    const names: string[] = providers.map(({ name }: { name: string }) => name);
    // Adds to the orders of earlier tests, if those have run.
    const seeded = names.filter((name) => name !== "Centro Médico Mirador Andino Ltda.");
    expect(seeded).toEqual(["Clínica Los Aromos del Sur SpA", "Red Salud Quillay"]);
  });

  it.each([
    ["a provider that is not there", ["provider", "show", "65.900.004-0"], "no provider with the RUT 65900004-0"],
    ["a webhook inside our network", ["provider", "set-webhook", "76901112-9", "https://10.0.0.1/"], "public address"],
    ["a malformed RUT", ["provider", "create", "--name", "x", "--rut", "1-9", ...contact], "RUT"],
    ["no origin, and no word that there is none", [...create, ...agreed], "--origin"],
    ["no commission", [...create, ...interest, "--support-email", "a@example.com"], "--commission <"],
    [
      "a commission without its regime",
      [...create, "--commission", "7", "--support-email", "a@example.com"],
      "--commission-regime",
    ],
    [
      "a taxed service without an issuer",
      [...create, ...agreed.slice(0, 2), "--commission-regime", "taxed_service", ...agreed.slice(4), "--no-frame"],
      "--issuer-name",
    ],
    [
      "an issuer of interest without a RUT",
      [...create, ...contact, "--issuer-name", "AAPD"],
      "add --issuer-name and --issuer-rut",
    ],
    [
      "an issuer without a regime",
      ["provider", "change", "76901112-9", "--issuer-name", "AAPD"],
      "add --commission-regime",
    ],
    [
      "too long an overlap",
      ["provider", "rotate", "76901112-9", "client_id", "--overlap-hours", "1000"],
      "0 to 30 days",
    ],
    ["an unknown credential", ["provider", "rotate", "76901112-9", "password"], "Allowed choices"],
  ])("refuses %s with an explanation, without a stack trace", async (_what, args, words) => {
    const { code, out, error } = await aapd(args);
    expect([code, out]).toEqual([1, ""]);
    expect(error).toContain(words);
    expect(error).not.toMatch(/\n {4}at /);
  });

  it("sets, lists and shows the texts that patients accept, and refuses invalid ones", async () => {
    const file = join(dataDir(), "privacy.md");
    const set = ["texts", "set", "privacy_notice", "--file", file];
    await writeFile(file, "# Privacidad\n\n{{clinic}} y {{lender}}");
    const wrong = await aapd([...set, "--version", "2026-12"]);
    expect([wrong.code, wrong.error]).toEqual([
      1,
      "{{lender}} is not a name that can be filled in.\n{{financing_provider}} is missing.\n",
    ]);
    await writeFile(file, "# Privacidad\n\n{{clinic}} y {{financing_provider}}");
    const early = await aapd([...set, "--version", "2026-12", "--locale", "en"]);
    expect([early.code, early.error]).toEqual([1, "Set the Spanish text of this version first.\n"]);
    expect(await json(...set, "--version", "2026-12")).toEqual({
      kind: "privacy_notice",
      version: "2026-12",
      locale: "es-CL",
    });
    expect((await aapd([...set, "--version", "2026-12"])).error).toMatch(/^This version already has a text/);
    const { texts, missing } = await json("texts", "list");
    const shown = texts.filter(
      ({ shown_now, locale }: { shown_now: boolean; locale: string }) => shown_now && locale === "es-CL",
    );
    expect(shown.map(({ kind, version }: { kind: string; version: string }) => `${kind} ${version}`)).toEqual([
      "contract muestra-3",
      "privacy_notice 2026-12",
      "summary_sheet muestra-3",
      "withdrawal muestra-2",
    ]);
    expect(missing).toEqual([]);
    expect((await aapd(["texts", "show", "privacy_notice"])).out).toBe(
      "# Privacidad\n\n{{clinic}} y {{financing_provider}}\n",
    );
    expect((await aapd(["texts", "show", "privacy_notice", "--locale", "en"])).error).toBe("There is no such text.\n");
    expect((await aapd([...set.slice(0, 3), "--version", "v", "--file", "nowhere.md"])).error).toMatch(
      /nowhere.md cannot be read/,
    );
    const inEnglish = [...set, "--locale", "en", "--version"];
    expect((await aapd([...inEnglish, "2027-01"])).error).toBe("Set the Spanish text of this version first.\n");
    expect(await json(...inEnglish, "2026-12")).toMatchObject({ version: "2026-12", locale: "en" });
  });

  it("refuses a commission above the maximum rate without a recorded legal basis", async () => {
    await json("legal", "set-maximum-rate", "31.5", "--source", "CMF, noviembre de 2026", "--since", "2026-11-01");
    const clinic = ["provider", "create", "--name", "Quillay Ñuñoa", "--rut", "76.902.223-6", "--no-frame"];
    const support = ["--support-email", "ayuda@quillay.example.com", ...interest];
    const refused = await aapd([...clinic, ...support, "--commission", "100"]);
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("1158.73 % a year for 45 days")]);
    expect(refused.error).toContain("the maximum is 31.5 % since 2026-11-01 (CMF, noviembre de 2026)");
    const basis = ["--legal-basis", "Servicio con IVA, informe legal 14 del 2 de noviembre"];
    const { provider } = await json(...clinic, ...support, "--commission", "7", ...basis);
    expect((await aapd(["provider", "change", provider.id, "--commission", "2.72"])).code).toBe(1);
    expect((await json("provider", "change", provider.id, "--commission", "2.71")).provider).toMatchObject({
      commission_percentage: 2.71,
    });
    const kept = await withStorage(({ db }) =>
      sql<{ details: unknown }>`select details from audit_log where provider_id = ${provider.id} order by at`.execute(
        db,
      ),
    );
    expect(kept.rows[0]?.details).toEqual({ commission_legal_basis: basis[1] });
    const noDay = ["legal", "set-maximum-rate", "20", "--source", "CMF", "--since", "2026-02-30"];
    expect((await aapd(noDay)).error).toContain("a day such as 2026-12-03");
    const lower = ["legal", "set-maximum-rate", "20", "--source", "CMF, diciembre de 2026", "--since", "2026-12-01"];
    const above = { provider_id: provider.id, name: "Quillay Ñuñoa", yearly_rate: 31.4 };
    expect((await json(...lower)).above).toContainEqual(above);
    expect((await aapd(lower)).out).toContain(`  ${provider.id}  Quillay Ñuñoa  31.4 %\n`);
    await json("legal", "set-maximum-rate", "1000", "--source", "a test's end", "--since", "2026-11-02");
    await json("legal", "set-maximum-rate", "1000", "--source", "a test's end", "--since", "2026-12-01");
  });

  it("names each invalid variable", async () => {
    const { code, error } = await aapd(["provider", "list"], { ORDER_API_PORT: "x", LOG_LEVEL: "loud" });
    expect(code).toBe(1);
    expect(
      error
        .trim()
        .split("\n")
        .map((line) => line.split(":")[0]),
    ).toEqual(["ORDER_API_PORT", "LOG_LEVEL"]);
  });

  it("exercises a patient's rights under the data law, each act with an audit row in the operator's name", async () => {
    const { provider } = await json(...create, ...contact, "--rut", "76.903.334-3");
    const RUT = "40.237.731-3";
    await withStorage(({ db }) =>
      inTransaction(db, async (tx) => {
        const person = {
          tenant: tenantOf({ id: provider.id, environment: "staging" }),
          rut: parseRut(RUT),
          providerId: provider.id,
          email: emailSchema.parse("camila@example.com"),
          firstName: "Camila",
          lastName: "Rojas Fuentes",
          phoneNumber: phoneSchema.parse("+56 9 1234 5678"),
          insurer: "colmena",
          sealedInsurerAccess: "sealed",
        } as const;
        await registerBeneficiary(tx, systemIds, person, new Date("2026-11-21T12:00:00Z"));
      }),
    );
    const about = [RUT, "--provider", provider.id];
    expect((await json("patients", "export", ...about)).patient).toMatchObject({ email: "camila@example.com" });
    expect(await json("patients", "send-link", ...about)).toEqual({ sent: true });
    expect(await json("patients", "send-link", ...about)).toEqual({ sent: false });
    expect(await json("patients", "send-link", ...about, "--purpose", "insurer_access")).toEqual({ sent: true });
    expect(await json("patients", "withdraw", RUT, "insurer_access", "--provider", provider.id)).toEqual({
      withdrawn: "insurer_access",
      effects: ["insurer_access_destroyed"],
      owed: 0,
    });
    expect(await json("patients", "erase", ...about)).toEqual({ status: "erased", kept: [] });
    expect(await json("patients", "export", ...about)).toMatchObject({ patient: null, orders: [], owed: 0 });
    const acts = await withStorage(({ db }) =>
      db.selectFrom("audit_log").select(["act", "actor"]).where("act", "like", "patient_data.%").execute(),
    );
    expect(acts.map(({ act }) => act).toSorted()).toEqual([
      "patient_data.consent_withdrawn",
      "patient_data.erased",
      "patient_data.erasure_requested",
      "patient_data.link_sent",
      "patient_data.read",
      "patient_data.read",
    ]);
    expect(acts.every(({ actor }) => actor.startsWith("operator:"))).toBe(true);
    const { code, error } = await aapd(["patients", "export", "12.345.678-K", "--provider", provider.id]);
    expect([code, error.includes("It is not a RUT.")]).toEqual([1, true]);
  });

  it("exercises the rights of unregistered people in clinics' orders too", async () => {
    const { provider } = await json(...create, ...contact, "--rut", "65.900.004-0");
    const about = ["40.513.193-5", "--provider", provider.id];
    const [cancelled, refused, open] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()];
    const orderOf = (id: string) => ({ providerId: provider.id, orderId: present(readOrderId(id)) });
    await withStorage(async ({ db }) => {
      const at = new Date("2026-11-21T12:00:00Z");
      for (const [id, state] of [
        [cancelled, "cancelled"],
        [refused, "payment_failed"],
        [open, "awaiting_payment"],
      ] as const)
        await writeOrder({ db }, { providerId: provider.id, id, state, at });
      const attempt = systemIds.uuid();
      const ending = { as: "failed", code: "credit_declined", reasons: ["El monto supera el cupo."] };
      await sql`insert into order_payments (provider_id, order_id, id, number, kind, status, amount, card, created_at, updated_at)
        values (${provider.id}, ${refused}, ${attempt}, 1, 'first', 'failed', 12000,
          '{"id": "c1", "holderName": "CAMILA ROJAS"}', ${at}, ${at})`.execute(db);
      await sql`insert into payment_attempts (provider_id, order_id, id, state, capture_first, ending, quote, started_at,
          updated_at, ended_at)
        values (${provider.id}, ${refused}, ${attempt}, 'failed', false, ${JSON.stringify(ending)}, '{}', ${at}, ${at}, ${at})
      `.execute(db);
    });
    const kept = { what: "credit_decisions", because: "consumer_law" };
    // An order that was never paid has nothing to charge.
    const toPay = ["--purpose", "pay_early", "--order", open];
    // An unregistered patient has no insurer to enter.
    expect(await json("patients", "send-link", ...about, "--purpose", "insurer_access")).toEqual({ sent: false });
    expect(await json("patients", "send-link", ...about, ...toPay)).toEqual({ sent: false });
    for (const half of [
      ["--order", open],
      ["--purpose", "card_change"],
      ["--purpose", "insurer_access", "--order", open],
    ])
      expect((await aapd(["patients", "send-link", ...about, ...half])).error).toContain(
        "--order is required with --purpose",
      );
    expect(await json("patients", "export", ...about)).toMatchObject({ patient: null, orders: [{}, {}, {}] });
    // An unregistered patient has no insurer access, no saved card and no open claim.
    for (const [purpose, effects] of [
      ["later_charge", []],
      ["insurer_access", []],
      ["saved_card", []],
      ["health_data", ["no_more_claims"]],
    ] as const)
      expect(await json("patients", "withdraw", about[0], purpose, "--provider", provider.id)).toMatchObject({
        effects,
      });
    expect(await json("patients", "erase", ...about)).toEqual({
      status: "waiting",
      kept: [{ what: "contact", because: "order_open" }, kept],
    });
    const inWords = async () => (await aapd(["patients", "erase", ...about])).out.split("\n")[0];
    expect(await inWords()).toBe(
      "Erased as far as possible now; nobody is registered under this RUT, so erase again when nothing is open or owed any more.",
    );
    await withStorage(({ db }) =>
      db.updateTable("orders").set({ state: "cancelled" }).where("id", "=", orderOf(open).orderId).execute(),
    );
    expect(await json("patients", "erase", ...about)).toEqual({ status: "erased", kept: [kept] });
    expect(await inWords()).toBe("Erased.");
    expect((await json("patients", "export", ...about)).orders).toMatchObject([
      {
        order_token: refused,
        customer: { phone_number: "" },
        credit_refusal: { reasons: ["El monto supera el cupo."] },
      },
    ]);
    expect(await withStorage(({ db }) => findOrder(db, orderOf(cancelled)))).toMatchObject({
      customer: { rut: "", firstName: "", email: "" },
    });
  });

  it("prints the books of a month, the balances, and the orders of each payout", async () => {
    const { provider } = await json(...create, ...contact, "--rut", "76.902.223-6");
    const [order, payout, refused] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()];
    const at = (day: string) => new Date(`2026-${day}T15:00:00Z`);
    await withStorage(async ({ db }) => {
      await writeOrder({ db }, { providerId: provider.id, id: order, state: "awaiting_payment", at: at("11-20") });
      for (const [day, debit, credit, amount, cause] of [
        ["11-20", "card_processor", "order", 12_000, "capture:a"],
        ["11-20", "financing_provider", "order", 28_000, "loan:a"],
        ["12-01", "order", "bank", 38_800, "payout:p:o"],
      ] as const)
        await sql`insert into ledger_transfers (id, provider_id, order_id, debit, credit, amount, cause, at)
          values (${systemIds.uuid()}, ${provider.id}, ${order}, ${debit}, ${credit}, ${amount}, ${cause}, ${at(day)})`.execute(
          db,
        );
      await sql`insert into payees (provider_id, id, kind) values (${provider.id}, ${provider.id}, 'provider')`.execute(
        db,
      );
      await sql`insert into payable_orders (provider_id, order_id, payee_id, fee_basis_points, moved_at)
        values (${provider.id}, ${order}, ${provider.id}, 300, null)`.execute(db);
      for (const [id, day, state, transfer, refusal] of [
        [refused, "2026-11-29", "refused", null, 'cuenta "cerrada", dice el banco'],
        [payout, "2026-11-30", "paid", "t1", null],
        [systemIds.uuid(), "2026-12-01", "sending", null, null],
      ] as const) {
        await sql`insert into payouts (provider_id, id, payee_id, day, amount, state, sealed_bank_account, account_hash,
            transfer_id, refusal, created_at, settled_at)
          values (${provider.id}, ${id}, ${provider.id}, ${day}, 38800, ${state}, 's', 'h', ${transfer}, ${refusal},
            ${at("11-30")}, ${state === "sending" ? null : at("11-30")})`.execute(db);
        await sql`insert into payout_items (provider_id, payout_id, order_id, net, fee, fee_vat)
          values (${provider.id}, ${id}, ${order}, ${state === "sending" ? 100 : 38_800}, 1200, 192)`.execute(db);
      }
    });
    const november = [provider.id, "--month", "2026-11"];
    const { entries } = await json("ledger", "entries", ...november);
    expect(entries.map(({ cause, amount }: { cause: string; amount: number }) => [cause, amount])).toEqual([
      ["capture:a", 12_000],
      ["loan:a", 28_000],
    ]);
    expect((await aapd(["ledger", "entries", ...november])).out).toContain(
      `2026-11-20T12:00:00-03:00,card_processor,order,12000,capture:a,${order}\n`,
    );
    const { balances } = await json("ledger", "balances", provider.id);
    expect(balances).toContainEqual({ account: "order", balance: -1_200 });
    expect(balances.reduce((sum: number, { balance }: { balance: number }) => sum + balance, 0)).toBe(0);
    await checkTrialBalance(provider.id);
    await checkStatement(provider.id, order);
    expect((await json("payouts", "list", ...november)).payouts).toMatchObject([
      { payout: refused, day: "2026-11-29", state: "refused" },
      { payout, day: "2026-11-30", state: "paid", transfer: "t1", amount: 38_800 },
    ]);
    expect((await aapd(["payouts", "list", ...november])).out).toContain(',"cuenta ""cerrada"", dice el banco",');
    const december = [provider.id, "--month", "2026-12"];
    expect((await json("payouts", "list", ...december)).payouts).toMatchObject([{ state: "sending" }]);
    // A payout in transit does not count as paid yet.
    const onItsWay = { payee: provider.id, state: "sending", net: 100, fee: 1_200, fee_vat: 192 };
    expect((await json("payouts", "statement", ...december)).totals).toEqual([onItsWay]);
    expect((await json("payouts", "list", provider.id, "--month", "2027-01")).payouts).toEqual([]);
    expect((await json("payouts", "show", provider.id, payout)).items).toEqual([
      { order, net: 38_800, fee: 1_200, fee_vat: 192 },
    ]);
    expect((await aapd(["payouts", "show", provider.id, "nothing"])).error).toContain("no such payout");
    expect((await aapd(["payouts", "statement", ...november])).out).toBe(
      [
        "day,payout,payee,state,order,net,fee,fee_vat",
        `2026-11-29,${refused},${provider.id},refused,${order},38800,1200,192`,
        `2026-11-30,${payout},${provider.id},paid,${order},38800,1200,192`,
        `total,,${provider.id},paid,,38800,1200,192`,
        "",
      ].join("\n"),
    );
    expect((await aapd(["ledger", "entries", provider.id, "--month", "2026-13"])).error).toContain("such as 2026-11");
  });

  it("stops all work after a restore until every list was compared", async () => {
    const moment = ["--to", "2026-11-22T14:05:00Z"];
    expect((await aapd(["restore", "check"])).error).toContain("No work is held back");
    expect((await aapd(["restore", "begin", "--to", "yesterday"])).error).toContain("must be a moment");
    expect((await aapd(["restore", "begin", "--to", "2126-01-01T00:00:00Z"])).error).toContain("in the future");
    expect((await aapd(["restore", "begin", ...moment])).code).toBe(0);
    expect((await aapd(["restore", "begin", ...moment])).error).toContain("already held back");
    expect((await aapd(["restore", "check"])).error).toContain("CONNECTOR_URL");
    // This address has no server, so that no list can be read.
    const parties = {
      CONNECTOR_URL: "http://127.0.0.1:9",
      CONNECTOR_TOKEN: "a-token-of-sixteen",
      CARD_CHALLENGE_ORIGIN: "http://127.0.0.1:9",
      FINANCING_PROVIDER_NAME: "Financiera",
      SMTP_URL: "smtp://127.0.0.1:9",
      MESSAGING_URL: "http://127.0.0.1:9",
      MESSAGING_TOKEN: "a-token-of-sixteen",
    };
    const { code, out } = await aapd(["restore", "check"], parties);
    expect([code, out]).toEqual([0, expect.stringContaining("The list of card_processor is not available")]);
    expect(out).toContain("Work is held back");
  });

  // PostgreSQL may be shared by any number of processes.
  if (testDatabaseKind === "pglite")
    it("refuses a data folder that a running server uses, and names that server", {
      tags: ["both-databases"],
    }, async () => {
      const open = await openStorage(readConfig({ DATA_DIR: dataDir() }), silentLogger);
      try {
        const { code, error } = await aapd(["provider", "list"]);
        expect(code).toBe(1);
        expect(error).toContain("is in use by this process itself");
      } finally {
        await open.database.close();
      }
    });

  it("signs an operator in while a server uses the data folder, with a separate name for each role", async () => {
    const open = await openStorage(readConfig(environment()), silentLogger);
    try {
      const linkOf = async (...more: string[]) => {
        const { code, out } = await aapd(["operator", "sign-in", "--json", ...more]);
        return [code, JSON.parse(out)];
      };
      const name = userInfo().username;
      const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:4060\/sign-in\/link\/\S+$/);
      expect(await linkOf()).toEqual([0, { url, operator: name }]);
      expect(await linkOf("--role", "support")).toEqual([0, { url, operator: `${name}.support` }]);
      expect(await linkOf("--name", "paula", "--role", "support")).toEqual([0, { url, operator: "paula" }]);
    } finally {
      await open.database.close();
    }
  });
});
