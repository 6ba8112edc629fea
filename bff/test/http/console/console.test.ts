import { expect, test } from "vitest";
import { consoleEndpoints } from "../../../src/back-office/console/console-endpoints.ts";
import { refusalSchema } from "../../../src/back-office/console/refusal.ts";
import type { Role } from "../../../src/back-office/operators/role.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { auditRows } from "../audit-of.ts";
import { type ConsoleBrowser, signedIn } from "./console-browser.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (days: number) => world.bff.advance(days * DAY_MS);
const providerId = () => clinic.clinic.provider.id;
const as = (name: string, role?: Role) => signedIn(world.bff, name, role);
const listed = async (browser: ConsoleBrowser, kind: string) =>
  (await browser.read(`/exceptions?kind=${kind}&provider_id=${providerId()}`)).exceptions;
const acts = (act: string) =>
  auditRows(world.bff.database.db).where("act", "=", act).where("provider_id", "=", providerId()).execute();

/** An order whose deferred part could not be charged. */
async function failedCollection(): Promise<string> {
  const hash = await clinic.justPaid(LATER.stolen);
  await advance(60);
  return hash;
}

test("an operator finds an order whose patient appears in no address and is masked until a reason is given", async () => {
  const camila = await as("camila");
  const rut = PATIENTS.approvedAfter5Days;
  const hash = await clinic.claimedOrder(rut);
  const found = await camila.send("/orders/search", { text: rut, provider_id: providerId() });
  expect([found.status, found.text.includes(`/orders/${hash}`)]).toEqual([200, true]);
  const shown = await camila.open(`/orders/${hash}`);
  expect([shown.status, shown.text.includes(rut), shown.text.includes("con sus datos ocultos")]).toEqual([
    200,
    false,
    true,
  ]);
  expect((await camila.send(`/orders/${hash}/reveal`, {})).status).toBe(422);
  const revealed = await camila.send(`/orders/${hash}/reveal`, { reason: "the patient asks for a copy" });
  const { email } = (await camila.read(`/orders/${hash}`)).patient;
  expect([revealed.status, revealed.text.includes(rut), email.includes("•")]).toEqual([200, true, true]);
  const by = { actor: "operator:camila", credential_id: null, provider_id: providerId() };
  const of = { subject_kind: "order", subject_id: hash };
  expect(await acts("order.revealed")).toEqual([
    { act: "order.revealed", ...by, ...of, details: { reason: "the patient asks for a copy" } },
  ]);
  const looks = (await acts("order.seen")).filter(({ subject_id }) => subject_id === hash);
  expect(looks.map(({ details }) => details)).toEqual([
    { revealed: false },
    { revealed: false },
    { revealed: true },
    { revealed: false },
  ]);
});

test("a viewer and finance cannot find a patient; support can, and the search is audited even if it finds nothing", async () => {
  const rut = PATIENTS.approvedAfter5Days;
  const hash = await clinic.claimedOrder(rut);
  const camila = await as("camila");
  const json = { accept: "application/json" };
  const { email } = JSON.parse((await camila.send(`/orders/${hash}/reveal`, { reason: "a copy" }, json)).text).patient;
  const people: readonly string[] = [rut, rut.replace("-", ""), email, "nobody@example.com"];
  for (const role of ["viewer", "finance"] as const) {
    const browser = await as(`a.${role}`, role);
    expect((await browser.open("/orders")).text).not.toContain("RUT");
    expect((await browser.open("/")).text).not.toContain("RUT o correo");
    for (const text of people) expect((await browser.send("/orders/search", { text })).status).toBe(403);
    const found = await browser.send("/orders/search", { text: hash });
    expect([found.status, found.text.includes(`/orders/${hash}`)]).toEqual([200, true]);
  }
  const searches = async () => {
    const rows = await auditRows(world.bff.database.db).where("act", "=", "patients.searched").execute();
    return rows.filter(({ actor }) => actor !== "operator:camila");
  };
  expect(await searches()).toEqual([]);
  const sol = await as("sol", "support");
  for (const text of people)
    expect((await sol.send("/orders/search", { text, provider_id: providerId() })).status).toBe(200);
  const rows = await searches();
  const entries = rows.map(({ actor, subject_id, details }) => `${actor} ${subject_id} ${JSON.stringify(details)}`);
  expect(entries.toSorted()).toEqual([
    'operator:sol email {"found":0}',
    'operator:sol email {"found":1}',
    'operator:sol rut {"found":1}',
    'operator:sol rut {"found":1}',
  ]);
  expect(JSON.stringify(rows)).not.toContain(rut.slice(0, 8));
});

test("a page shows the order's amounts from the tables", async () => {
  const hash = await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  await advance(8);
  const camila = await as("camila");
  const { amounts, happened } = await camila.read(`/orders/${hash}`);
  const { db } = world.bff.database;
  const order = await db
    .selectFrom("orders")
    .selectAll()
    .where("id", "=", clinic.key(hash).orderId)
    .executeTakeFirstOrThrow();
  const booked = await db
    .selectFrom("ledger_transfers")
    .select("amount")
    .where("order_id", "=", clinic.key(hash).orderId)
    .execute();
  expect(amounts.total).toBe(Number(order.total));
  const shownAmounts = happened.flatMap(({ amount }: { amount: number | null }) => (amount === null ? [] : [amount]));
  const sorted = (amounts: readonly number[]) => amounts.toSorted((one, other) => one - other);
  expect(sorted(shownAmounts)).toEqual(sorted(booked.map(({ amount }) => Number(amount))));
  const page = (await camila.open(`/orders/${hash}`)).text;
  for (const amount of shownAmounts) expect(page).toContain(`$${new Intl.NumberFormat("es-CL").format(amount)}`);
});

test("an exception is resolved from its page with a reason, once, and only as it was shown", async () => {
  await failedCollection();
  const camila = await as("camila", "finance");
  const [exception] = await listed(camila, "collection_failed");
  const path = `/exceptions/${encodeURIComponent(exception.exception)}`;
  expect((await camila.open(path)).text).toContain("Dar por perdido");
  expect((await camila.send(`${path}/resolve`, { resolution: "handled" })).status).toBe(422);
  const done = await camila.send(`${path}/resolve`, { resolution: "handled", note: "agreed with the clinic" });
  expect([done.status, done.text.includes("Hecho")]).toEqual([200, true]);
  expect((await camila.send(`${path}/resolve`, { resolution: "handled", note: "again" })).status).toBe(409);
  expect(await listed(camila, "collection_failed")).toEqual([]);
  expect(await acts("matter.handled")).toMatchObject([
    { actor: "operator:camila", details: { note: "agreed with the clinic" } },
  ]);
});

test("exceptions are listed by severity, age or amount, with totals that no filter of kinds hides", async () => {
  const failed = await failedCollection();
  await clinic.justPaid();
  await advance(4);
  const camila = await as("camila");
  const read = (query: string) => camila.read(`/exceptions?provider_id=${providerId()}${query}`);
  const kindsIn = ({ exceptions }: { exceptions: readonly { kind: string }[] }) => exceptions.map(({ kind }) => kind);
  const all = await read("");
  expect(kindsIn(all)).toEqual(["collection_failed", "receipt_missing", "receipt_missing"]);
  for (const sort of ["oldest", "newest"])
    expect(kindsIn(await read(`&sort=${sort}`))).toEqual(["receipt_missing", "collection_failed", "receipt_missing"]);
  expect((await read("&sort=newest")).exceptions).toEqual((await read("&sort=oldest")).exceptions.toReversed());
  const one = await read("&kind=collection_failed");
  expect([kindsIn(one), one.totals]).toEqual([["collection_failed"], all.totals]);
  expect(all.totals).toMatchObject([
    { kind: "collection_failed", severity: "medium", count: 1 },
    { kind: "receipt_missing", severity: "low", count: 2 },
  ]);
  const [{ since, age_seconds: age }] = all.exceptions;
  expect(age).toBe(Math.floor((world.bff.clock.now().getTime() - Date.parse(since)) / 1_000));
  const page = (await camila.open(`/exceptions?provider_id=${providerId()}`)).text;
  expect(page).toContain(`title="${failed}">${failed.slice(0, 8)}</a>`);
  const found = await camila.send("/orders/search", { text: failed.slice(0, 8), provider_id: providerId() });
  expect(found.text).toContain(`href="/orders/${failed}"`);
});

test("a page says whether money moves, and whether the outside parties answer", async () => {
  const { db } = world.bff.database;
  const camila = await as("camila");
  const countsOf = async (move: string) => {
    const { moves } = await camila.read("/money");
    const { days } = moves.find((one: { move: string }) => one.move === move);
    return days.map(({ count }: { count: number }) => count);
  };
  const [paidBefore] = await countsOf("captured");
  await clinic.claimedOrder(PATIENTS.neverAnswered);
  expect((await countsOf("captured"))[0]).toBe(paidBefore + 1);
  expect((await countsOf("claims"))[0]).toBeGreaterThan(0);
  const { confirmed } = await camila.read("/money");
  expect(confirmed).toContainEqual({ party: "card-processor", seconds_ago: expect.any(Number) });
  const at = world.bff.clock.now();
  const seen = { process_id: UNKNOWN_ID, seen_at: at, background_stopped_at: null };
  // As another process stores what it has seen.
  await db
    .insertInto("gateway_states")
    .values([
      { ...seen, party: "insurer", answered_at: at, unanswered_at: null, requests_stopped_at: null },
      { ...seen, party: "bank", answered_at: null, unanswered_at: at, requests_stopped_at: at },
    ])
    .execute();
  const { gateways } = await camila.read("/gateways");
  expect(gateways).toMatchObject([
    { party: "bank", processes: 1, requests_stopped: 1, background_stopped: 0, stopped_since: at.toISOString() },
    { party: "insurer", processes: 1, requests_stopped: 0, answered_at: at.toISOString() },
  ]);
  expect((await camila.open("/gateways")).text).toContain("pacientes en 1 de 1 procesos");
});

test("a large amount needs two operators, and one operator counts once across command line and console", async () => {
  const checkout = await clinic.paidOrder({ total: 700_000, card: LATER.stolen });
  await advance(60);
  const camila = await as("camila", "finance");
  const [exception] = (await listed(camila, "collection_failed")).filter(
    ({ order_hash }: { order_hash: string }) => order_hash === checkout,
  );
  const path = `/exceptions/${encodeURIComponent(exception.exception)}`;
  const form = { resolution: "write_off", note: "nobody pays" };
  for (let tries = 0; tries < 2; tries += 1)
    expect((await camila.send(`${path}/resolve`, form)).text).toContain("Falta otra persona");
  const diego = await as("diego", "finance");
  expect((await diego.open(path)).text).toContain("camila ya pidió «Dar por perdido»");
  expect((await diego.send(`${path}/resolve`, form)).text).toContain("Hecho");
  expect(await acts("matter.write_off")).toMatchObject([
    { actor: "operator:diego", details: { approved_by: "operator:camila" } },
  ]);
});

test("many exceptions are resolved in the background, one by one, and a repeated job has no further effect", async () => {
  for (let count = 0; count < 3; count += 1) await clinic.justPaid(LATER.stolen);
  await advance(60);
  const camila = await as("camila", "finance");
  const names = (await listed(camila, "collection_failed")).map(({ exception }: { exception: string }) => exception);
  expect(names).toHaveLength(3);
  // Another process resolves one of them before the job reaches it.
  await camila.send(`/exceptions/${encodeURIComponent(names[1])}/resolve`, { resolution: "handled", note: "before" });
  const begun = await camila.send("/resolutions", {
    resolution: "handled",
    note: "a card brand that has gone",
    exceptions: names,
  });
  const [, id = ""] = /\/resolutions\/([0-9a-f-]{36})/.exec(begun.text) ?? [];
  const waiting = await camila.open(`/resolutions/${id}`);
  expect(waiting.text).toContain("0 de 3");
  expect(waiting.text).toContain('http-equiv="refresh"');
  await world.bff.runDue();
  const job = await camila.read(`/resolutions/${id}`);
  expect(job.items.map(({ state }: { state: string }) => state)).toEqual(["done", "refused", "done"]);
  expect(job.ended_at).not.toBeNull();
  expect((await camila.open(`/resolutions/${id}`)).text).not.toContain('http-equiv="refresh"');
  expect(await acts("matter.handled")).toHaveLength(3);
  // The process died before it recorded the end, so the timer runs again.
  await world.bff.database.db.updateTable("timers").set({ done_at: null }).where("key", "=", id).execute();
  await world.bff.runDue();
  expect(await acts("matter.handled")).toHaveLength(3);
});

/**
 * Creates orders whose deferred part of 294,000 pesos each could not be charged. Returns the names of their exceptions.
 */
async function lostParts(count: number): Promise<string[]> {
  for (let made = 0; made < count; made += 1) await clinic.paidOrder({ total: 420_000, card: LATER.stolen });
  await advance(60);
  return failedCollections();
}
async function failedCollections(): Promise<string[]> {
  const exceptions = await listed(await as("vera", "viewer"), "collection_failed");
  return exceptions.map(({ exception }: { exception: string }) => exception);
}
const writeOff = (browser: ConsoleBrowser, name: string) =>
  browser.send(`/exceptions/${encodeURIComponent(name)}/resolve`, { resolution: "write_off", note: "nobody pays" });

async function writeOffTogether(browser: ConsoleBrowser, exceptions: readonly string[]): Promise<string[]> {
  const begun = await browser.send("/resolutions", { resolution: "write_off", note: "nobody pays", exceptions });
  const [, id = ""] = /\/resolutions\/([0-9a-f-]{36})/.exec(begun.text) ?? [];
  await world.bff.runDue();
  const { items, ended_at } = await browser.read(`/resolutions/${id}`);
  expect(ended_at).not.toBeNull();
  return items.map(({ state }: { state: string }) => state);
}

// In the short check: bff/test/http/operations/approvals.test.ts:
// is approved once by another operator, for exactly the requested values.
test("a job above one person's limit does nothing before a second operator starts the same job", {
  tags: ["long"],
}, async () => {
  const names = await lostParts(4);
  const camila = await as("camila.jobs", "finance");
  expect(await writeOffTogether(camila, names)).toEqual(names.map(() => "second_operator"));
  expect(await acts("matter.write_off")).toEqual([]);
  expect(await writeOffTogether(camila, names)).toEqual(names.map(() => "second_operator"));
  const diego = await as("diego.jobs", "finance");
  expect(await writeOffTogether(diego, names)).toEqual(names.map(() => "done"));
  expect((await acts("matter.write_off")).map(({ details }) => details)).toEqual(
    names.map(() => expect.objectContaining({ approved_by: "operator:camila.jobs" })),
  );
});

// In the short check: bff/test/http/operations/approvals.test.ts: stay below the limit within any 24 hours.
test("the second amount of a day needs two people, on the page, in a job and in the hour after midnight", {
  tags: ["long"],
}, async () => {
  const [first = "", second = "", third = ""] = await lostParts(3);
  // Ten minutes to midnight in Santiago.
  world.bff.clock.set(new Date("2027-03-01T02:50:00Z"));
  const camila = await as("camila.days", "finance");
  expect((await writeOff(camila, first)).text).toContain("Hecho");
  expect((await writeOff(camila, second)).text).toContain("Falta otra persona");
  expect(await writeOffTogether(camila, [third])).toEqual(["second_operator"]);
  world.bff.clock.set(new Date("2027-03-01T03:10:00Z"));
  expect((await writeOff(camila, second)).text).toContain("Falta otra persona");
  expect(await acts("matter.write_off")).toHaveLength(1);
  world.bff.clock.set(new Date("2027-03-02T02:51:00Z"));
  const later = await as("camila.days", "finance");
  expect((await writeOff(later, third)).text).toContain("Hecho");
});

// In the short check: bff/test/http/operations/approvals.test.ts:
// count together when they are decided at the same moment.
test("concurrent commands together stay within one person's limit", { tags: ["long"] }, async () => {
  const names = await lostParts(4);
  const camila = await as("camila.races", "finance");
  const answers = await Promise.all(names.map((name) => writeOff(camila, name)));
  expect(answers.filter(({ text }) => text.includes("Hecho"))).toHaveLength(1);
  expect(await acts("matter.write_off")).toHaveLength(1);
  const [diego, sofia] = [await as("diego.races", "finance"), await as("sofia.races", "finance")];
  const open = await failedCollections();
  expect(open).toHaveLength(3);
  // Two operators approve the same request at once, and it is executed once.
  await Promise.all(open.flatMap((name) => [writeOff(diego, name), writeOff(sofia, name)]));
  expect(await acts("matter.write_off")).toHaveLength(4);
});

/** The permissions of each role, with one request for each. */
const DOORS: readonly (readonly [
  what: string,
  allowed: readonly Role[],
  ask: (browser: ConsoleBrowser) => Promise<number>,
])[] = [
  ["look", ["viewer", "support", "finance", "operator"], async (browser) => (await browser.open("/exceptions")).status],
  [
    "reveal",
    ["operator"],
    async (browser) => (await browser.send(`/orders/${UNKNOWN_ID}/reveal`, { reason: "x" })).status,
  ],
  [
    "give money away",
    ["finance", "operator"],
    async (browser) => (await browser.send("/exceptions/none/resolve", { resolution: "write_off", note: "x" })).status,
  ],
  [
    "answer patients",
    ["support", "operator"],
    async (browser) =>
      (await browser.send("/exceptions/none/resolve", { resolution: "grant_request", note: "x" })).status,
  ],
  [
    "give money away together",
    ["finance", "operator"],
    async (browser) =>
      (await browser.send("/resolutions", { resolution: "write_off", note: "x", exceptions: "none" })).status,
  ],
  ["switch", ["operator"], async (browser) => (await browser.send("/switches", { what: "mails", state: "on" })).status],
  [
    "rotate credentials",
    ["operator"],
    async (browser) =>
      (await browser.send(`/clinics/${UNKNOWN_ID}/credentials`, { kind: "secret_key", overlap_hours: "0" })).status,
  ],
  [
    "revoke credentials",
    ["operator"],
    async (browser) => (await browser.send(`/clinics/${UNKNOWN_ID}/credentials/revoke`, { kind: "secret_key" })).status,
  ],
  [
    "change a support e-mail",
    ["operator"],
    async (browser) =>
      (await browser.send(`/clinics/${UNKNOWN_ID}/support-email`, { support_email: "a@example.com" })).status,
  ],
  [
    "approve",
    ["support", "finance", "operator"],
    async (browser) => (await browser.send(`/approvals/${UNKNOWN_ID}/approve`, {})).status,
  ],
  [
    "replay webhooks",
    ["support", "operator"],
    async (browser) =>
      (await browser.send(`/clinics/${UNKNOWN_ID}/webhooks/${UNKNOWN_ID}/replay`, { since: "2026-11-01" })).status,
  ],
  ["read the audit trail", ["finance", "operator"], async (browser) => (await browser.open("/audit")).status],
];
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

test.each(DOORS)("the roles that may %s: %j", async (_what, allowed, ask) => {
  for (const role of ["viewer", "support", "finance", "operator"] as const) {
    const status = await ask(await as(`a.${role}`, role));
    expect([role, status !== 403]).toEqual([role, allowed.includes(role)]);
  }
});

test("a leaked credential is revoked by one operator; the new one needs two, and is shown once and kept nowhere", async () => {
  const camila = await as("camila");
  const path = `/clinics/${providerId()}/credentials`;
  const ask = async (secret: string) =>
    (await fetch(`${world.bff.orderApi}/orders/${UNKNOWN_ID}`, { headers: { authorization: `Bearer ${secret}` } }))
      .status;
  const leaked = clinic.clinic.credentials.client_secret;
  expect(await ask(leaked)).toBe(404);
  expect((await camila.send(`${path}/revoke`, { kind: "client_secret" })).text).toContain("Ya no sirve ninguna");
  expect(await ask(leaked)).toBe(401);
  const requested = await camila.send(path, { kind: "client_secret", overlap_hours: "0" });
  expect([requested.text.includes("Falta otra persona"), requested.text.includes("cs_")]).toEqual([true, false]);
  const [own] = (await camila.read("/approvals")).approvals;
  expect(own).toMatchObject({ act: "credential.rotate", subject: providerId(), may_approve: false });
  expect((await camila.send(`/approvals/${own.approval}/approve`, {})).status).toBe(409);
  const dora = await as("dora");
  expect((await dora.open("/approvals")).text).toContain("Aprobar y hacer");
  const approved = await dora.send(`/approvals/${own.approval}/approve`, {});
  const [, value = ""] = />(cs_[^<]+)</.exec(approved.text) ?? [];
  expect(await ask(value)).toBe(404);
  expect((await dora.send(`/approvals/${own.approval}/approve`, {})).status).toBe(409);
  for (const page of [`/clinics/${providerId()}`, "/approvals"])
    expect((await camila.open(page)).text).not.toContain(value);
  const { db } = world.bff.database;
  for (const table of ["audit_log", "approval_requests"] as const)
    expect(JSON.stringify(await db.selectFrom(table).selectAll().execute())).not.toContain(value);
});

test("a clinic's support e-mail changes once a second operator requests the same, and not after a refusal", async () => {
  const [camila, dora] = [await as("camila"), await as("dora")];
  const path = `/clinics/${providerId()}/support-email`;
  const email = async () => (await camila.read(`/clinics/${providerId()}`)).clinic.support_email;
  const before = await email();
  const change = { support_email: "nueva@clinic.example.com" };
  expect((await camila.send(path, change)).text).toContain("Falta otra persona");
  const [{ approval }] = (await dora.read("/approvals")).approvals;
  expect((await (await as("vera", "viewer")).send(`/approvals/${approval}/refuse`, {})).status).toBe(403);
  expect((await (await as("fran", "finance")).send(`/approvals/${approval}/approve`, {})).status).toBe(409);
  expect((await dora.send(`/approvals/${approval}/refuse`, {})).status).toBe(200);
  expect((await dora.send(path, change)).text).toContain("Falta otra persona");
  expect(await email()).toBe(before);
  expect((await camila.send(path, change)).text).toContain("Hecho");
  expect(await email()).toBe(change.support_email);
});

test("a resolution that needs two is approved by its id, with the second operator's own note", async () => {
  await clinic.paidOrder({ total: 700_000, card: LATER.stolen });
  await advance(60);
  const [camila, diego] = [await as("camila"), await as("diego", "finance")];
  const [{ exception }] = await listed(camila, "collection_failed");
  const path = `/exceptions/${encodeURIComponent(exception)}`;
  expect((await camila.send(`${path}/resolve`, { resolution: "write_off", note: "insolvent" })).text).toContain(
    "Falta otra persona",
  );
  const [{ approval }] = (await diego.read("/approvals")).approvals;
  expect((await camila.send(`/approvals/${approval}/approve`, { note: "me again" })).status).toBe(409);
  expect((await diego.send(`/approvals/${approval}/approve`, { note: "seen the ruling" })).text).toContain("Hecho");
  expect(await listed(camila, "collection_failed")).toEqual([]);
  expect(await acts("matter.write_off")).toMatchObject([
    { actor: "operator:diego", details: { note: "seen the ruling", approved_by: "operator:camila" } },
  ]);
});

test("every address is available as a page and as data, and the data has only declared fields", async () => {
  const hash = await failedCollection();
  const camila = await as("camila");
  const [exception] = await listed(camila, "collection_failed");
  const params: Record<string, string> = {
    hash,
    name: exception.exception,
    id: providerId(),
    payout: UNKNOWN_ID,
    endpoint: UNKNOWN_ID,
  };
  const missing = new Set([
    "/clinics/{id}/payouts/{payout}",
    "/clinics/{id}/webhooks/{endpoint}",
    "/exceptions/{name}/documents/{number}",
    "/resolutions/{id}",
  ]);
  for (const { method, path } of Object.values(consoleEndpoints)) {
    if (method !== "GET") continue;
    const address = path.replace(/\{(\w+)\}/g, (_braces, name: string) => encodeURIComponent(params[name] ?? ""));
    const page = await camila.open(address);
    expect([path, page.status]).toEqual([path, missing.has(path) ? 404 : 200]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).not.toMatch(/<script|\son\w+=|undefined|\[object/);
    if (!missing.has(path)) await camila.read(address);
  }
});

test("text from outside is escaped", async () => {
  const camila = await as("camila");
  const hash = await clinic.newOrder({ reference: "<script>alert(1)</script>" });
  const { text } = await camila.open(`/orders/${hash}`);
  expect(text).toContain("&lt;script&gt;");
  expect(text).not.toContain("<script>");
});

test.each([
  "/nowhere",
  `/orders/${UNKNOWN_ID}`,
  "/orders/x",
  "/exceptions/x",
  `/clinics/${UNKNOWN_ID}`,
  "/clinics/x",
  "/resolutions/x",
])("%s does not exist", async (path) => {
  const camila = await as("camila");
  expect((await camila.open(path)).status).toBe(404);
});

test("a script can read the list of addresses, and is refused in the declared format", async () => {
  const { operatorConsole } = world.bff;
  const anybody = await fetch(`${operatorConsole}/openapi.json`, { headers: { accept: "application/json" } });
  expect([anybody.status, refusalSchema.parse(await anybody.json()).code]).toEqual([401, "not_signed_in"]);
  const vera = await as("vera", "viewer");
  const document = await vera.read("/openapi.json");
  expect([document.openapi, document.servers[0].url]).toEqual(["3.1.0", operatorConsole]);
  const refused = await vera.send("/switches", { what: "mails", state: "off" }, { accept: "application/json" });
  expect([refused.status, refusalSchema.parse(JSON.parse(refused.text)).code]).toEqual([403, "not_allowed"]);
});
