/** @module-tag both-databases */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REQUEST_OPEN_DAYS } from "../../../src/back-office/approvals/approval.ts";
import { newestRequest, requestApproval, takeApproval } from "../../../src/back-office/approvals/approvals.ts";
import { mayGiveAlone, SOLO_WINDOW_MS, spendSoloLimit } from "../../../src/back-office/approvals/solo-limit.ts";
import { purgeApprovals } from "../../../src/back-office/work.ts";
import { TWO_OPERATORS_FROM_CLP } from "../../../src/contract/terms.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";

const DAY_MS = 86_400_000;
const NOW = new Date("2026-11-21T12:00:00Z");
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const rotation = (subject: string) =>
  ({ act: "credential.rotate", subject, request: { kind: "secret_key", overlap_hours: 0 } }) as const;
const ask = (subject: string, actor: string, at = NOW) =>
  inTransaction(database.db, (tx) => requestApproval(tx, rotation(subject), { id: systemIds.uuid(), actor, at }));
const approve = (subject: string, actor: string, at = NOW) =>
  inTransaction(database.db, (tx) => takeApproval(tx, rotation(subject), { actor, at }));

describe("a request", () => {
  it("is approved once by another operator, for exactly the requested values", async () => {
    await ask("one", "operator:camila");
    expect(await approve("one", "operator:camila")).toBeNull();
    const other = { ...rotation("one"), request: { kind: "secret_key", overlap_hours: 24 } };
    const by = { actor: "operator:diego", at: NOW };
    expect(await inTransaction(database.db, (tx) => takeApproval(tx, other, by))).toBeNull();
    const taken = await Promise.all([approve("one", "operator:diego"), approve("one", "operator:sofia")]);
    expect(taken.filter((each) => each !== null)).toEqual([{ askedBy: "operator:camila" }]);
    expect(await approve("one", "operator:diego")).toBeNull();
  });

  it("belongs to the operator who made it first", async () => {
    const first = await ask("two", "operator:camila");
    expect(await ask("two", "operator:diego", later(DAY_MS))).toEqual(first);
  });

  it("lapses after a week, and can then be made again by another operator", async () => {
    await ask("three", "operator:camila");
    const lapsed = later(REQUEST_OPEN_DAYS * DAY_MS + 1);
    expect(await newestRequest(database.db, { ...rotation("three"), at: lapsed })).toBeNull();
    expect(await approve("three", "operator:diego", lapsed)).toBeNull();
    expect(await ask("three", "operator:diego", lapsed)).toMatchObject({ askedBy: "operator:diego", askedAt: lapsed });
    expect(await approve("three", "operator:camila", lapsed)).toEqual({ askedBy: "operator:diego" });
  });

  it("is deleted once it has lapsed, unless it was approved", async () => {
    await ask("four", "operator:camila");
    const clock = { now: () => later(REQUEST_OPEN_DAYS * DAY_MS + 1) };
    await purgeApprovals({ db: database.db, clock });
    const rows = await database.db.selectFrom("approval_requests").select(["subject", "state"]).execute();
    expect(rows).not.toContainEqual({ subject: "four", state: "open" });
    expect(rows).toContainEqual({ subject: "one", state: "approved" });
  });
});

it("the database refuses an approval by the operator who made the request", async () => {
  const { id } = await ask("five", "operator:camila");
  const own = { state: "approved", ended_by: "operator:camila", ended_at: NOW } as const;
  const approval = database.db.updateTable("approval_requests").set(own).where("id", "=", id);
  await expect(approval.execute()).rejects.toThrow("approval_requests_two_people");
});

describe("amounts that one operator decides alone", () => {
  const give = (actor: string, amount: number, at = NOW) =>
    inTransaction(database.db, (tx) => spendSoloLimit(tx, { id: systemIds.uuid(), actor, amount: clp(amount), at }));

  it("stay below the limit within any 24 hours", async () => {
    const actor = "operator:camila";
    expect(await give(actor, 200_000)).toBe(true);
    expect(await give(actor, 99_999, later(SOLO_WINDOW_MS / 2))).toBe(true);
    expect(await give(actor, 1, later(SOLO_WINDOW_MS - 1))).toBe(false);
    expect(await mayGiveAlone(database.db, { actor, amount: clp(1), at: later(SOLO_WINDOW_MS - 1) })).toBe(false);
    // The first amount no longer counts.
    expect(await give(actor, 200_000, later(SOLO_WINDOW_MS))).toBe(true);
    expect(await give(actor, 1, later(SOLO_WINDOW_MS))).toBe(false);
    expect(await give("operator:diego", TWO_OPERATORS_FROM_CLP - 1)).toBe(true);
    expect(await give("operator:sofia", TWO_OPERATORS_FROM_CLP)).toBe(false);
  });

  it("count together when they are decided at the same moment", async () => {
    const given = await Promise.all(Array.from({ length: 8 }, () => give("operator:racer", 100_000)));
    expect(given.filter(Boolean)).toHaveLength(2);
  });

  it("have their limit in the database too", async () => {
    const row = { id: systemIds.uuid(), actor: "operator:x", at: NOW };
    const write = (amount: number, total: number) =>
      database.db
        .insertInto("solo_amounts")
        .values({ ...row, amount, total })
        .execute();
    await expect(write(1, TWO_OPERATORS_FROM_CLP)).rejects.toThrow("solo_amounts_limit");
    await expect(write(0, 0)).rejects.toThrow("solo_amounts_limit");
    await write(1, TWO_OPERATORS_FROM_CLP - 1);
  });

  it("are deleted once they no longer count", async () => {
    const clock = { now: () => later(10 * SOLO_WINDOW_MS) };
    await purgeApprovals({ db: database.db, clock });
    expect(await database.db.selectFrom("solo_amounts").selectAll().execute()).toEqual([]);
  });
});
