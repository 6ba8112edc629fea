import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { purgeOutdated } from "../../../src/app/purge-outdated.ts";
import { JOBS_KEPT_MS } from "../../../src/back-office/work.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { SEND_NOTIFICATION_TIMER } from "../../../src/notifications/notify-patient.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { dispatchKind } from "../../../src/platform/outbox.ts";
import { TIMERS_KEPT_MS } from "../../../src/platform/purge.ts";
import { SENT_LINKS_KEPT_MS } from "../../../src/self-service/work.ts";
import { type AfterPaidWorld, type Clinic, PATIENTS, startAfterPaid } from "../after-paid/after-paid-world.ts";

/* Every process purges data that is no longer needed, and nothing else. */

const MINUTE_MS = 60_000;
let world: AfterPaidWorld;
let clinic: Clinic;
beforeAll(async () => {
  world = await startAfterPaid();
});
beforeEach(async () => {
  await world.bff.database.db.deleteFrom("timers").execute();
  clinic = await world.newClinic();
});
afterAll(() => world.bff.close());

const db = () => world.bff.database.db;
const purge = () => {
  const { context } = world.bff;
  return purgeOutdated({ ...context, db: db(), environment: context.config.environment });
};
const pass = (milliseconds: number) => {
  const { clock } = world.bff;
  clock.set(new Date(clock.now().getTime() + milliseconds));
};
const doneTimers = () =>
  db().selectFrom("timers").select("kind").distinct().where("done_at", "is not", null).orderBy("kind").execute();

describe("timers that are done", () => {
  it("are removed if they belong to events and notifications, which record their dispatch themselves", async () => {
    await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
    expect(await clinic.mails()).not.toEqual([]);
    const kinds = (await doneTimers()).map(({ kind }) => kind);
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds).not.toContain(dispatchKind);
    expect(kinds).not.toContain(SEND_NOTIFICATION_TIMER);
    // Another poll publishes nothing again.
    const [mails, messages] = [await clinic.mails(), await clinic.messages()];
    await world.bff.runDue();
    expect([await clinic.mails(), await clinic.messages()]).toEqual([mails, messages]);
  });

  it("keep their keys for half a year if they are of other kinds, and pending ones are never removed", async () => {
    await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
    const pending = async () =>
      (await db().selectFrom("timers").select("key").where("done_at", "is", null).execute()).length;
    const before = await pending();
    expect(before).toBeGreaterThan(0);
    pass(TIMERS_KEPT_MS - MINUTE_MS);
    await purge();
    expect(await doneTimers()).not.toEqual([]);
    pass(2 * MINUTE_MS);
    await purge();
    expect(await doneTimers()).toEqual([]);
    expect(await pending()).toBe(before);
  });
});

it("records of links to a patient's data are deleted once they no longer count", async () => {
  await clinic.register(PATIENTS.approvedAfter5Days);
  const body = { rut: PATIENTS.approvedAfter5Days };
  await world.bff.callSpotApi(spotEndpoints.sendDataLink, { as: clinic.clinic, body });
  const links = async () => (await db().selectFrom("data_links").select("sent_at").execute()).length;
  await expect.poll(links).toBe(1);
  pass(SENT_LINKS_KEPT_MS - MINUTE_MS);
  await purge();
  expect(await links()).toBe(1);
  pass(2 * MINUTE_MS);
  await purge();
  expect(await links()).toBe(0);
});

it("jobs of operators are deleted with their items long after they ended, but never while running", async () => {
  const at = world.bff.clock.now();
  const ended = systemIds.uuid();
  for (const [id, ended_at] of [[ended, at] as const, [systemIds.uuid(), null] as const]) {
    const job = { id, resolution: "dismiss", note: null, actor: "operator:ana", begun_at: at, ended_at };
    await db().insertInto("resolution_jobs").values(job).execute();
    await db().insertInto("resolution_job_items").values({ job_id: id, position: 0, exception: "a" }).execute();
  }
  const jobs = async () => (await db().selectFrom("resolution_jobs").select("id").execute()).map(({ id }) => id);
  pass(JOBS_KEPT_MS - MINUTE_MS);
  await purge();
  expect(await jobs()).toContain(ended);
  pass(2 * MINUTE_MS);
  await purge();
  expect(await jobs()).toHaveLength(1);
  expect(await jobs()).not.toContain(ended);
});

it("a second process can purge the same rows at the same time without harm", async () => {
  await clinic.claimedOrder(PATIENTS.approvedAfter5Days);
  pass(TIMERS_KEPT_MS + MINUTE_MS);
  await Promise.all([purge(), purge(), purge()]);
  expect(await doneTimers()).toEqual([]);
});
