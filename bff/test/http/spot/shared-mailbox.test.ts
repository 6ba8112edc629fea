/** @module-tag both-databases */

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { pseudonymise } from "../../../src/self-service/my-data/erase-everywhere.ts";
import { testDatabaseKind } from "../../database.ts";
import { untilWaiting } from "../../lock-waits.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach((beginning) => {
  ({ face, clinic } = beginning);
});

async function register(person: Record<string, unknown> = {}) {
  const query = `?public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget${query}`, { body: {} });
  const answer = await face.call("registerPatient", `/api/spot/user${query}`, {
    body: { ...CAMILA, consents: given("onboarding"), ...person, widget_token: body.widget_token },
  });
  await face.prove(clinic);
  return answer;
}

function erase(tx: Transaction, parent: { readonly beneficiary_id: string }) {
  const person = {
    beneficiaryId: parent.beneficiary_id,
    tenant: tenantOf(clinic.provider),
    rut: CAMILA.rut,
    addressedTo: null,
  };
  return pseudonymise(tx, { ...person, at: START }, { userId: systemIds.uuid(), pseudonym: systemIds.uuid() });
}

const usersOf = (email: string) =>
  face.db
    .selectFrom("users")
    .select("id")
    .where("tenant", "=", tenantOf(clinic.provider))
    .where("email_key", "=", email)
    .execute();

describe.runIf(testDatabaseKind === "postgres")("a mailbox that a parent leaves while a child signs up with it", () => {
  it("belongs to the child if the parent's erasure came first", async () => {
    const parent = await register();
    let signingUp: ReturnType<typeof register> | undefined;
    await inTransaction(face.db, async (tx) => {
      await erase(tx, parent.body);
      signingUp = register({ rut: MATIAS.rut, first_name: "Matías" });
      await untilWaiting(face.db);
    });
    const child = await signingUp;
    expect(child?.status).toBe(201);
    expect(await usersOf(CAMILA.email)).toEqual([{ id: child?.body.user_id }]);
    expect(child?.body.user_id).not.toBe(parent.body.user_id);
  });

  it("stays if the child came first", async () => {
    const parent = await register();
    const child = { ...CAMILA, rut: MATIAS.rut, tenant: tenantOf(clinic.provider) };
    let erasing: Promise<unknown> = Promise.resolve();
    await inTransaction(face.db, async (tx) => {
      await sql`insert into beneficiaries (id, tenant, rut, user_id, provider_id, first_name, last_name, phone_number, insurer, created_at, updated_at)
        values (${systemIds.uuid()}, ${child.tenant}, ${child.rut}, ${parent.body.user_id}, ${clinic.provider.id}, 'Matías', 'Rojas', '+56912345678', 'colmena', ${START}, ${START})`.execute(
        tx,
      );
      erasing = inTransaction(face.db, (other) => erase(other, parent.body));
      await untilWaiting(face.db);
    });
    await erasing;
    expect(await usersOf(CAMILA.email)).toEqual([{ id: parent.body.user_id }]);
  });
});
