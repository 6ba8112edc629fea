import { describe, expect, it, test } from "vitest";
import { SANDBOX_BANK_ACCOUNT } from "../../../sandbox/bank-account.ts";
import { REQUEST_OPEN_DAYS } from "../../../src/back-office/approvals/approval.ts";
import { resolveAll } from "../../../src/back-office/exceptions/resolve-all.ts";
import { NEW_OPERATOR_WAITS_MS, TOKEN_VALID_MS } from "../../../src/back-office/operators/operator.ts";
import { identifyOperator } from "../../../src/back-office/operators.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  HOUR_MS,
  LATER,
  START,
  UNRECONCILED,
} from "../after-paid/after-paid-world.ts";
import { type ConsoleBrowser, signedIn } from "../console/console-browser.ts";
import { present } from "../orders/orders-world.ts";
import { beginCommandLine } from "./command-line.ts";

/*
 * One operator, Mallory, tries every way to move money or gain power alone, on the command line and on the console.
 * Ana, the other operator, does nothing, or made an honest request long ago.
 */

describe("one hostile operator in the command line", () => {
  const { aapd, json, withStorage } = beginCommandLine();
  const CLINIC = "76.901.112-9";
  let mallory: NodeJS.ProcessEnv;

  /** Ages everything done so far, because commands use the real clock. */
  const age = (milliseconds: number) =>
    withStorage(async ({ db }) => {
      const shifted = (at: Date) => new Date(at.getTime() - milliseconds);
      for (const one of await db.selectFrom("operators").selectAll().execute())
        await db
          .updateTable("operators")
          .set({
            added_at: shifted(one.added_at),
            token_made_at: shifted(present(one.token_made_at)),
            approves_from: shifted(present(one.approves_from)),
          })
          .where("id", "=", one.id)
          .execute();
      for (const one of await db.selectFrom("approval_requests").selectAll().execute())
        await db
          .updateTable("approval_requests")
          .set({ asked_at: shifted(one.asked_at) })
          .where("id", "=", one.id)
          .execute();
    });
  const operators = async () => (await json("operator", "list")).operators;
  const provider = async () => json("provider", "show", CLINIC);

  it("is one of two operators who were added more than a day ago", async () => {
    mallory = { AAPD_OPERATOR_TOKEN: (await json("operator", "add", "mallory")).token };
    await json("operator", "add", "ana");
    await age(2 * NEW_OPERATOR_WAITS_MS);
    const agreed = ["--commission", "7", "--commission-regime", "interest", "--support-email", "ayuda@example.com"];
    await json("provider", "create", "--name", "Mirador", "--rut", CLINIC, ...agreed, "--no-frame");
  });

  it.each<readonly [path: string, args: readonly string[]]>([
    ["adds an accomplice", ["operator", "add", "accomplice"]],
    ["adds an accomplice for the console", ["operator", "add", "clerk", "--role", "finance"]],
    ["takes the other operator's role away", ["operator", "change-role", "ana", "viewer"]],
    ["redirects a clinic's warnings", ["provider", "change", CLINIC, "--support-email", "mallory@evil.example"]],
    ["takes a client_secret", ["provider", "rotate", CLINIC, "client_secret"]],
    ["takes a secret_key", ["provider", "rotate", CLINIC, "secret_key"]],
    ["takes a webhook_secret", ["provider", "rotate", CLINIC, "webhook_secret"]],
    ["keeps an old token alive", ["operator", "renew"]],
  ])("%s: nothing is done, however often, and their own approval is refused", async (_path, args) => {
    const before = [await operators(), await provider()];
    for (const _time of [1, 2]) {
      const { code, out } = await aapd([...args, "--json"], mallory);
      expect([code, JSON.parse(out).is_done]).toEqual([0, false]);
      if (args[1] === "rotate") expect(JSON.parse(out).credentials).toEqual({});
    }
    const { approvals } = JSON.parse((await aapd(["approvals", "list", "--json"], mallory)).out);
    for (const { approval, may_approve } of approvals) {
      expect(may_approve).toBe(false);
      const own = await aapd(["approvals", "approve", approval], mallory);
      expect([own.code, own.error]).toEqual([1, expect.stringContaining("You made this request yourself")]);
    }
    expect([await operators(), await provider()]).toEqual(before);
  });

  it("cannot approve an honest request that has lapsed, nor another one in its place", async () => {
    const support = ["provider", "change", CLINIC, "--support-email"];
    const asAna = (email: string) =>
      withStorage(({ db }) =>
        db
          .updateTable("approval_requests")
          .set({ asked_by: "operator:ana", asked_at: systemClock.now() })
          .where("request", "like", `%${email}%`)
          .where("state", "=", "open")
          .execute(),
      );
    const { approval } = JSON.parse((await aapd([...support, "honest@example.com", "--json"], mallory)).out);
    await asAna("honest@example.com");
    await age(REQUEST_OPEN_DAYS * DAY_MS + 1);
    expect((await aapd(["approvals", "approve", approval], mallory)).error).toContain("no open request");
    expect((await aapd([...support, "honest@example.com"], mallory)).out).toContain("Nothing is done yet");
    await asAna("honest@example.com");
    expect((await aapd([...support, "evil@example.com"], mallory)).out).toContain("Nothing is done yet");
    expect((await provider()).provider.support_email).toBe("ayuda@example.com");
  });

  it("cannot reuse a name, use a removed operator's or changed token, or go without a token in production", async () => {
    const token = `${mallory.AAPD_OPERATOR_TOKEN}x`;
    expect((await aapd(["operator", "list"], { AAPD_OPERATOR_TOKEN: token })).error).toContain(
      "does not belong to a current operator",
    );
    expect((await aapd(["operator", "add", "ana"], mallory)).error).toContain("An operator has or had this name");
    const identified = withStorage(({ db }) =>
      identifyOperator(
        { db, clock: systemClock, keyring: { hmac: () => "", hmacsOfAllKeys: () => [""] }, environment: "production" },
        { token: null, machineUser: "mallory", managesOperators: "adds" },
      ),
    );
    await expect(identified).rejects.toThrow("AAPD_OPERATOR_TOKEN");
  });

  it("may remove a credential and an operator alone, and both are audited", async () => {
    expect((await aapd(["provider", "revoke", CLINIC, "secret_key"], mallory)).code).toBe(0);
    const rows = await withStorage(({ db }) =>
      db.selectFrom("audit_log").select(["act", "actor"]).where("act", "=", "credential.revoked").execute(),
    );
    expect(rows).toEqual([{ act: "credential.revoked", actor: "operator:mallory" }]);
  });

  it("can only request a new token with an expired one", async () => {
    await age(TOKEN_VALID_MS);
    for (const args of [
      ["operator", "list"],
      ["approvals", "list"],
      ["provider", "revoke", CLINIC, "client_id"],
      ["operator", "add", "late"],
    ])
      expect((await aapd(args, mallory)).error).toContain("Your token expired");
    // Both tokens have expired, so neither operator can approve, and the holder of the keyring renews them.
    expect((await aapd(["operator", "renew"], mallory)).error).toContain("holder of the keyring");
  });
});

describe("one hostile operator on the console", () => {
  let world: AfterPaidWorld;
  let clinic: Clinic;
  beginEach({ at: START, options: () => UNRECONCILED }, (beginning) => {
    ({ world, clinic } = beginning);
  });
  const providerId = () => clinic.clinic.provider.id;
  const advance = (milliseconds: number) => world.bff.advance(milliseconds);
  const sign = (name: string) => signedIn(world.bff, name);
  const listed = async (browser: ConsoleBrowser, kind: string): Promise<string[]> =>
    (await browser.read(`/exceptions?kind=${kind}&provider_id=${providerId()}`)).exceptions.map(
      ({ exception }: { exception: string }) => exception,
    );
  async function approvesNoneOfTheirOwn(browser: ConsoleBrowser, name: string): Promise<void> {
    const { approvals } = await browser.read("/approvals");
    const own = approvals.filter(({ requested_by }: { requested_by: string }) => requested_by === `operator:${name}`);
    expect(own.length).toBeGreaterThan(0);
    for (const { approval, may_approve } of own) {
      const { status } = await browser.send(`/approvals/${approval}/approve`, { note: "it is fine" });
      expect([may_approve, status]).toEqual([false, 409]);
    }
  }

  test("gets no credential, support e-mail or second session to approve with", async () => {
    const path = `/clinics/${providerId()}`;
    const before = (await (await sign("mallory")).read(path)) as object;
    for (const kind of ["client_secret", "secret_key", "client_id", "public_key"]) {
      const { text } = await (await sign("mallory")).send(`${path}/credentials`, { kind, overlap_hours: "0" });
      expect([text.includes("Falta otra persona"), /(?:cs|ak|ci|PK)_\w/.test(text)]).toEqual([true, false]);
    }
    for (const _time of [1, 2]) {
      const { text } = await (await sign("mallory")).send(`${path}/support-email`, { support_email: "m@evil.example" });
      expect(text).toContain("Falta otra persona");
    }
    await approvesNoneOfTheirOwn(await sign("mallory"), "mallory");
    expect(await (await sign("mallory")).read(path)).toEqual(before);
  });

  test("cannot redirect a clinic's payouts, because another account needs two confirmations", async () => {
    await clinic.agreeOnPayouts("0099887766");
    await clinic.justPaid();
    await advance(2 * DAY_MS);
    const changed = { ...SANDBOX_BANK_ACCOUNT, account_number: "6660006666" };
    await (await sign("mallory.account")).send(`/clinics/${providerId()}/account`, changed);
    await clinic.justPaid();
    await advance(DAY_MS);
    const browser = await sign("mallory.account");
    const [exception] = await listed(browser, "payee_account_changed");
    const confirm = { resolution: "confirm_account", note: "called" };
    const path = `/exceptions/${encodeURIComponent(present(exception))}/resolve`;
    for (const _time of [1, 2]) expect((await browser.send(path, confirm)).text).toContain("Falta otra persona");
    await approvesNoneOfTheirOwn(browser, "mallory.account");
    await advance(DAY_MS);
    const transfers = await clinic.sandbox.bank.listTransfers(providerId(), new Date(0), new Date("2100-01-01"));
    expect(transfers.map(({ accountEnding }) => accountEnding)).not.toContain("6666");
  });

  // In the short check: bff/test/http/operations/approvals.test.ts: stay below the limit within any 24 hours.
  test("cannot write off more than the limit within 24 hours, in any way or around midnight", {
    tags: ["long"],
  }, async () => {
    for (const _one of [1, 2, 3]) await clinic.paidOrder({ total: 300_000, card: LATER.stolen });
    await advance(60 * DAY_MS);
    const mallory = await sign("mallory.money");
    const [first, second] = await listed(mallory, "collection_failed");
    const writeOff = async (browser: ConsoleBrowser, name = "") =>
      (
        await browser.send(`/exceptions/${encodeURIComponent(name)}/resolve`, {
          resolution: "write_off",
          note: "insolvent",
        })
      ).text;
    expect(await writeOff(mallory, first)).toContain("Hecho");
    expect(await writeOff(mallory, second)).toContain("Falta otra persona");
    await approvesNoneOfTheirOwn(mallory, "mallory.money");
    const left = await listed(mallory, "collection_failed");
    expect(left).toHaveLength(2);
    const job = { resolution: "write_off", note: "insolvent", exceptions: left };
    await mallory.send("/resolutions", job, { accept: "application/json" });
    await world.bff.runDue();
    const { context, database, clock } = world.bff;
    const operations = { db: database.db, clock, ids: context.ids, environment: "staging" as const };
    const { resolved } = await resolveAll(
      operations,
      { kind: "collection_failed", providerId: providerId(), fact: null },
      { resolution: "write_off", actor: "operator:mallory.money", note: null },
    );
    expect(resolved.map(({ isDone }) => isDone)).toEqual([false, false]);
    await advance(23 * HOUR_MS);
    expect(await writeOff(await sign("mallory.money"), second)).toContain("Falta otra persona");
    expect(await listed(await sign("mallory.money"), "collection_failed")).toHaveLength(2);
  });
});
