import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { type ConsoleBrowser, signedIn } from "./console-browser.ts";

/* Unintended input from browsers, typing errors, and failures of requests. */

let trouble: Error | null = null;
let database: TestDatabase;
let bff: TestBff;
let camila: ConsoleBrowser;
beforeAll(async () => {
  database = await openTestDatabase();
  const db = troubledDatabase(database.db, () => {
    if (trouble !== null) throw trouble;
  });
  bff = await startBff({ database: { ...database, db } });
  camila = await signedIn(bff, "camila", "operator");
});
afterAll(async () => {
  await bff.close();
  await database.close();
});

describe("an empty field of a filter", () => {
  it.each(["/exceptions?kind=&provider_id=", "/audit?actor=&act=", "/exceptions?kind=difference&provider_id="])(
    "is accepted: %s",
    async (path) => {
      expect((await camila.open(path)).status).toBe(200);
    },
  );

  it("selects all operators in the audit trail", async () => {
    const { rows } = await camila.read("/audit?actor=&act=operator.signed_in");
    expect(rows.map(({ actor }: { actor: string }) => actor)).toEqual(["operator:camila"]);
  });
});

describe("unreadable input is refused with a page, or with JSON", () => {
  const provider = () => bff.clinic.provider.id;
  it.each<[string, string, Readonly<Record<string, string | readonly string[]>>, number]>([
    ["a form of 100 kB", "/switches", { what: "x".repeat(100_000) }, 413],
    ["no pesos", "/exceptions/x/resolve", { resolution: "paid_otherwise", note: "x", amount: "0" }, 422],
    ["an undeclared field", "/switches", { what: "mails", state: "on", more: "x" }, 422],
    ["days in the wrong order", "/clinics/PROVIDER/reconciliation", { from: "2026-11-20", to: "2026-11-01" }, 422],
    ["a day that does not exist", "/clinics/PROVIDER/reconciliation", { from: "2026-02-30" }, 422],
    ["a day of another millennium", "/clinics/PROVIDER/reconciliation", { from: "0001-01-01", to: "0001-01-01" }, 422],
    ["NUL in a search", "/orders/search", { text: "a\0b" }, 422],
    ["NUL in one of several values", "/resolutions", { exception: ["x", "a\0b"], resolution: "handled" }, 422],
    ["a card number in a reason", "/exceptions/x/resolve", { resolution: "handled", note: "4051885600446623" }, 422],
  ])("%s", async (_what, path, form, status) => {
    const answer = await camila.send(path.replace("PROVIDER", provider()), form);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.text).not.toContain("4051885600446623");
  });

  it.each(["/audit?actor=a%00b", "/audit?act=%00"])("NUL in a filter: %s", async (path) => {
    expect((await camila.open(path)).status).toBe(422);
  });

  it.each([
    "/exceptions/difference:PROVIDER:a%00b@00000000",
    "/exceptions/difference:------------------------------------:a@00000000",
    "/clinics/PROVIDER/payouts/------------------------------------",
    "/orders/a%00b",
    "/clinics/a%00b",
    "/resolutions/a%00b",
  ])("an unreadable path is not found: %s", async (path) => {
    const answer = await camila.open(path.replace("PROVIDER", provider()));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  });

  it("NUL in the id of an exception to resolve", async () => {
    const path = `/exceptions/difference:${provider()}:a%00b@00000000/resolve`;
    expect((await camila.send(path, { resolution: "handled", note: "x" })).status).toBe(404);
  });

  it("a form sent to no address of the console gets no link to another host", async () => {
    const answer = await fetch(`${bff.operatorConsole}//evil.example/x`, { method: "POST" });
    expect([answer.status, (await answer.text()).includes("evil.example")]).toEqual([404, false]);
  });

  it("a time in the year 0, which the database does not have", async () => {
    expect((await camila.open("/audit?before=0000-01-01T00:00:00Z")).status).toBe(422);
  });

  it.each(["money", "statement", "ledger"])("a month of another century, for a clinic's %s", async (page) => {
    for (const month of ["0000-01", "1999-12", "9999-12"])
      expect((await camila.open(`/clinics/${provider()}/${page}?month=${month}`)).status).toBe(422);
  });

  it("a form in an obsolete character set", async () => {
    const odd = { "content-type": "application/x-www-form-urlencoded; charset=koi8-r" };
    expect((await camila.send("/switches", { what: "mails", state: "on" }, odd)).status).toBe(422);
  });

  const sendJson = async (path: string, body: object) => {
    const cookie = [...camila.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${bff.operatorConsole}${path}`, {
      method: "POST",
      headers: { cookie, origin: bff.operatorConsole, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    });
    return [answer.status, await answer.json()];
  };

  it("numbers beyond the range of money, sent by a script", async () => {
    const body = { resolution: "paid_otherwise", note: "x", amount: 9_007_199_254_740_991 };
    expect(await sendJson("/exceptions/x/resolve", body)).toMatchObject([422, { code: "invalid_input" }]);
  });

  it("an undeclared field, whose name is not repeated because it may be a secret", async () => {
    const body = { what: "mails", state: "on", hunter: "x", providerId: provider() };
    expect(await sendJson("/switches", body)).toMatchObject([
      422,
      {
        errors: [
          { path: "providerId", message: 'is not a field of this request. Did you mean "provider_id"?' },
          { path: "", message: "has unknown fields (1); allowed: what, state, provider_id" },
        ],
      },
    ]);
    const page = await camila.send("/switches", { what: "mails", state: "on", hunter: "x", hunter2: "a\0b" });
    expect([page.status, page.text.includes("hunter")]).toEqual([422, false]);
    const { text } = await camila.send("/switches", { what: "mails", state: "on", hunter: "x" });
    expect(text).toContain("Lo que enviaste trae campos desconocidos (1)");
  });
});

describe("an error while a page is made", () => {
  it.each<[string, () => Error, number, string]>([
    ["a database that is away", () => new DatabaseUnavailable("gone"), 503, "mira si quedó hecho antes de repetirlo"],
    ["a defect", () => new Error("a secret of ours"), 500, "mira si quedó hecho antes de repetirlo"],
  ])("%s shows a page that does not claim that nothing was done", async (_what, error, status, words) => {
    trouble = error();
    const answer = await camila.send("/switches", { what: "mails", state: "off" }).finally(() => {
      trouble = null;
    });
    expect([answer.status, answer.text.includes(words), answer.text.includes("secret")]).toEqual([status, true, false]);
    expect(answer.text).toContain(answer.headers.get("x-request-id"));
    expect(answer.text).not.toContain("No se hizo");
  });
});
