import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setCookie } from "../../../src/back-office/console/mount-console.ts";
import { signInByLink } from "../../../src/back-office/console/sign-in/sign-in-link.ts";
import { addOperator } from "../../../src/back-office/operators/add-operator.ts";
import { removeOperator } from "../../../src/back-office/operators.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { auditRows } from "../audit-of.ts";
import { consoleBrowser, linkFor, signedIn } from "./console-browser.ts";

const MINUTE_MS = 60_000;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const operations = () => ({ db: bff.database.db, clock: bff.clock, ids: systemIds, keyring: bff.context.keyring });
const acts = (act: string) => auditRows(bff.database.db).where("act", "=", act).execute();
/** The audit rows of an operator who signs in or out. */
const camilas = {
  actor: "operator:camila.rojas",
  credential_id: null,
  provider_id: null,
  subject_kind: "operator",
  subject_id: "camila.rojas",
};

describe("a link of the command line", () => {
  it("is not used up by being opened, signs in once, and the sign-in is audited", async () => {
    const browser = consoleBrowser(bff);
    const secret = linkFor(bff, "camila.rojas", "operator");
    const shown = await browser.open(`/sign-in/link/${secret}`);
    expect([shown.status, shown.text.includes(secret)]).toEqual([200, true]);
    const signed = await browser.send("/sign-in/link", { secret });
    expect([signed.status, signed.headers.get("location")]).toEqual([303, "/"]);
    const cookie = signed.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect((await browser.open("/")).status).toBe(200);
    expect(await acts("operator.signed_in")).toEqual([
      { act: "operator.signed_in", ...camilas, details: { by: "link" } },
    ]);
    expect((await consoleBrowser(bff).send("/sign-in/link", { secret })).status).toBe(403);
  });

  it("signs in only one of many concurrent users", async () => {
    const secret = linkFor(bff, "camila.rojas", "operator");
    const tries = Array.from({ length: 5 }, () => consoleBrowser(bff).send("/sign-in/link", { secret }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([303, 403, 403, 403, 403]);
  });

  it("is invalid after ten minutes, when changed, or with another purpose of the keyring", async () => {
    const late = linkFor(bff, "camila.rojas", "operator");
    const used = linkFor(bff, "camila.rojas", "operator");
    bff.clock.set(new Date(bff.clock.now().getTime() + 10 * MINUTE_MS));
    const other = bff.context.keyring.seal("{}", "another.purpose");
    for (const secret of [late, `${used.slice(0, -2)}AA`, other, "x", "a.b"])
      expect((await consoleBrowser(bff).send("/sign-in/link", { secret })).status).toBe(403);
  });

  it("creates no operator in production", async () => {
    const inProduction = { ...operations(), environment: "production" as const };
    expect(await signInByLink(inProduction, linkFor(bff, "nobody.yet", "operator"))).toBeNull();
    await addOperator(operations(), { name: "paula", role: "viewer", email: null, actor: "keyring:root" });
    expect(await signInByLink(inProduction, linkFor(bff, "paula", "operator"))).not.toBeNull();
    // A link does not change the role of an existing operator.
    const paula = await signedIn(bff, "paula", "operator");
    expect((await paula.send("/switches", { what: "mails", state: "off" })).status).toBe(403);
  });

  it("sets a cookie that only this host sets, over https", () => {
    const set: string[] = [];
    const response = { append: (_name: string, value: string) => void set.push(value) };
    const cookie = { name: "aapd_operator", value: "x", maxAgeSeconds: 60 };
    setCookie({ consoleUrl: "https://console.example.com" }, response as never, cookie);
    expect(set).toEqual(["__Host-aapd_operator=x; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax"]);
  });
});

describe("a session", () => {
  it("ends after half an hour without a request, and after ten hours in any case", async () => {
    const idle = await signedIn(bff, "camila.rojas");
    const busy = await signedIn(bff, "camila.rojas");
    for (let minutes = 0; minutes < 60; minutes += 20) {
      bff.clock.set(new Date(bff.clock.now().getTime() + 20 * MINUTE_MS));
      expect((await busy.open("/switches")).status).toBe(200);
    }
    expect((await idle.open("/switches")).headers.get("location")).toBe("/sign-in");
    for (let minutes = 60; minutes < 10 * 60; minutes += 20) {
      expect((await busy.open("/switches")).status).toBe(200);
      bff.clock.set(new Date(bff.clock.now().getTime() + 20 * MINUTE_MS));
    }
    expect((await busy.open("/switches")).status).toBe(303);
  });

  it("ends with its operator, and at sign-out", async () => {
    const diego = await signedIn(bff, "diego.soto");
    await removeOperator(operations(), { name: "diego.soto", actor: "operator:root" });
    expect((await diego.open("/switches")).status).toBe(303);
    // A name is never reused, not even by a link.
    const again = linkFor(bff, "diego.soto", "operator");
    expect((await consoleBrowser(bff).send("/sign-in/link", { secret: again })).status).toBe(403);
    const camila = await signedIn(bff, "camila.rojas");
    const cookie = [...camila.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    await camila.send("/sign-out", {});
    expect((await consoleBrowser(bff).open("/switches", { cookie })).status).toBe(303);
    expect(await acts("operator.signed_out")).toEqual([{ act: "operator.signed_out", ...camilas, details: {} }]);
  });

  it("keeps no token in any table", async () => {
    const camila = await signedIn(bff, "camila.rojas");
    const [token = ""] = camila.cookies.values();
    const rows = await bff.database.db.selectFrom("operator_sessions").selectAll().execute();
    expect(token.length).toBeGreaterThan(40);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe("a form", () => {
  it("does nothing if it comes from another origin, or without an origin", async () => {
    const camila = await signedIn(bff, "camila.rojas");
    for (const origin of ["https://evil.example.com", "null", bff.orderApi]) {
      const answer = await camila.send("/switches", { what: "mails", state: "off" }, { origin });
      expect(answer.status).toBe(403);
    }
    expect(await bff.database.db.selectFrom("switches").selectAll().execute()).toEqual([]);
  });
});

describe("a script with an operator's token", () => {
  it("reads and acts through JSON, without a cookie", async () => {
    // Disables the sign-ins of staging. The holder of the keyring adds the first two operators.
    await bff.database.db.updateTable("operators").set({ ended_at: bff.clock.now() }).execute();
    const added = await addOperator(operations(), {
      name: "night-job",
      role: "operator",
      email: null,
      actor: "keyring:root",
    });
    const token = added.isDone ? added.secret?.value : null;
    const headers = {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    };
    const off = await fetch(`${bff.operatorConsole}/switches`, {
      method: "POST",
      headers,
      body: JSON.stringify({ what: "mails", state: "off" }),
    });
    expect([off.status, await off.json()]).toEqual([
      200,
      { what: "mails", state: "off", clinic: null, is_changed: true },
    ]);
    const read = await fetch(`${bff.operatorConsole}/switches`, { headers });
    expect(await read.json()).toMatchObject({ off: [{ what: "mails", provider_id: null, clinic: null }] });
    const on = await fetch(`${bff.operatorConsole}/switches`, {
      method: "POST",
      headers,
      body: JSON.stringify({ what: "mails", state: "on" }),
    });
    expect(on.status).toBe(200);
  });

  it("gets a JSON error for a wrong or missing token, and is never sent to the sign-in", async () => {
    const headers = { accept: "application/json", authorization: "Bearer op_wrong" };
    const answer = await fetch(`${bff.operatorConsole}/exceptions`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: "not_signed_in" }]);
    const page = await consoleBrowser(bff).open("/exceptions");
    expect([page.status, page.headers.get("location")]).toEqual([303, "/sign-in"]);
  });
});
