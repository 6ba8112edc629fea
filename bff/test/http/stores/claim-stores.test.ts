import { expect, test } from "vitest";
import { settleClaim } from "../../../sandbox/settle-claim.ts";
import { noteWithdrawn } from "../../../src/claims/claim-resolutions.ts";
import {
  readAwaitedClaims,
  readClaimOfOrder,
  readFiledClaimIds,
  readOrdersWithoutAccess,
  writeRenewedAccess,
  writeUnfollowed,
} from "../../../src/claims/claim-store.ts";
import {
  readExpense,
  readKeptStorageNames,
  selectFileNames,
  writePatientOfExpense,
} from "../../../src/claims/expenses/expense-store.ts";
import { claimsOfOrders, patientClaims } from "../../../src/claims/operations.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  HOUR_MS,
  PATIENTS,
  START,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { present } from "../orders/orders-world.ts";

/* Statements about claims that must reach one claim, expense or patient only. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START, options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);

/** Makes the insurer answer immediately. */
const decide = (hash: string, outcome: "approve" | "reject" | "block" | "unblock") =>
  settleClaim(
    { db: world.bff.database.db },
    { providerId: clinic.clinic.provider.id, orderHash: present(readOrderId(hash)), at: world.bff.clock.now() },
    { outcome },
  );

/** A patient of the sandbox's catalogue, none of whose accesses the insurer accepts. */
const ACCESS_NOT_ACCEPTED = "40006217-K";

test("an ended claim records no renewed access", async () => {
  const { db } = world.bff.database;
  const hash = await clinic.claimedOrder(PATIENTS.neverAnswered);
  await inTransaction(db, (tx) => noteWithdrawn(tx, clinic.resolving(), clinic.key(hash)));
  const claim = present(await readClaimOfOrder(db, clinic.key(hash)));
  await inTransaction(db, (tx) => writeRenewedAccess(tx, claim, world.bff.clock.now()));
  expect(await readClaimOfOrder(db, clinic.key(hash))).toMatchObject({ renewedAccessAt: null });
});

test("an expense moves to another record only by itself, and a claim changes only from the state that was read", async () => {
  const { db } = world.bff.database;
  const claimed = async (rut: string) =>
    present(await readClaimOfOrder(db, clinic.key(await clinic.claimedOrder(rut))));
  const claim = await claimed(PATIENTS.neverAnswered);
  const other = await claimed(ACCESS_NOT_ACCEPTED);
  const otherOrder = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  const otherRows = await rowsOfOrder(db, clinic.key(otherOrder).orderId);
  const expense = { providerId: claim.providerId, id: claim.expenseId };
  await inTransaction(db, (tx) => writePatientOfExpense(tx, expense, other.beneficiaryId));
  expect(await readExpense(db, expense)).toMatchObject({ beneficiaryId: other.beneficiaryId });

  const at = world.bff.clock.now();
  const unfollowed = () => db.selectFrom("claims").select("unfollowed_at").where("id", "=", claim.id).execute();
  await writeUnfollowed(db, { ...claim, state: "access_blocked" }, at);
  expect(await unfollowed()).toEqual([{ unfollowed_at: null }]);
  await writeUnfollowed(db, claim, at);
  expect(await unfollowed()).toEqual([{ unfollowed_at: at }]);
  expect(await rowsOfOrder(db, clinic.key(otherOrder).orderId)).toEqual(otherRows);
});

test("missing access, waiting claims and stored files are read only of the given patient", async () => {
  const { db } = world.bff.database;
  const { provider } = clinic.clinic;
  const decided = await clinic.claimedOrder(PATIENTS.neverAnswered);
  const waiting = await clinic.claimedOrder(PATIENTS.approvedOnDay12);
  const missing = await clinic.claimedOrder(ACCESS_NOT_ACCEPTED);
  await decide(decided, "approve");
  await advance(4 * HOUR_MS);
  const claimOf = async (hash: string) => present(await readClaimOfOrder(db, clinic.key(hash)));
  const withoutAccess = async (hash: string) =>
    (await readOrdersWithoutAccess(db, (await claimOf(hash)).beneficiaryId)).map(({ orderId }) => orderId);
  expect(await withoutAccess(missing)).toEqual([clinic.key(missing).orderId]);
  for (const hash of [decided, waiting]) expect(await withoutAccess(hash)).toEqual([]);

  const { orderId } = clinic.key(missing);
  expect(await patientClaims(db, (await claimOf(missing)).beneficiaryId)).toMatchObject([{ orderId }]);
  expect(await claimsOfOrders(db, [orderId])).toMatchObject([{ orderId }]);

  const filed = (providerId: string) => readFiledClaimIds(db, { providerId, after: null });
  expect(await filed(provider.id)).toEqual([(await claimOf(waiting)).id]);
  const other = (await world.newClinic()).clinic.provider.id;
  expect(await filed(other)).toEqual([]);
  const { id, insurerClaimId } = await claimOf(waiting);
  expect(await readAwaitedClaims(db, provider.id)).toEqual([{ id, insurerClaimId, onlyWaits: true }]);
  expect(await readAwaitedClaims(db, other)).toEqual([]);

  const names = await selectFileNames(db, { after: "", limit: 1_000 });
  const [first = ""] = names;
  expect(names.length).toBeGreaterThan(1);
  expect(await selectFileNames(db, { after: "", limit: 1 })).toEqual([first]);
  expect(await selectFileNames(db, { after: first, limit: 1_000 })).toEqual(names.slice(1));
  expect(await readKeptStorageNames(db, [first, "unknown"])).toEqual(new Set([first]));
});
