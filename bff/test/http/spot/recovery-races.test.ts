/** @module-tag both-databases */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { hashToken } from "../../../src/checkout/open-widget-token.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { pseudonymise } from "../../../src/self-service/my-data/erase-everywhere.ts";
import { testDatabaseKind } from "../../database.ts";
import { askWhileHeld, untilWaiting } from "../../lock-waits.ts";
import type { TestAnswer } from "../../test-client.ts";
import { CAMILA, given } from "./people.ts";
import { beginEach, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
let beneficiaryId: string;
beginEach(async (beginning) => {
  ({ face, clinic } = beginning);
  const body = { ...CAMILA, consents: given("onboarding") };
  beneficiaryId = (await call("registerPatient", "", await mint(), body)).body.beneficiary_id;
  await face.prove(clinic);
});

const query = () => `?public_key=${clinic.credentials.public_key}`;
const mint = async (): Promise<string> =>
  (await face.call("mintWidgetToken", `/api/spot/widget${query()}`, { body: {} })).body.widget_token;
function call(
  name: "registerPatient" | "startRecovery" | "verifyRecovery" | "objectToEmailChange",
  path: string,
  widget_token: string,
  body: Record<string, unknown>,
): Promise<TestAnswer> {
  return face.call(name, `/api/spot/user${path}${query()}`, { body: { ...body, widget_token } });
}
const start = (token: string) => call("startRecovery", "/recovery", token, { rut: CAMILA.rut, way: "email_code" });
const startByIdentity = (token: string, email: string) =>
  call("startRecovery", "/recovery", token, {
    rut: CAMILA.rut,
    way: "identity",
    document_serial: "123456789",
    email,
  });
const verify = (token: string, code: string) =>
  call("verifyRecovery", "/recovery/verify", token, { rut: CAMILA.rut, code });
const object = (token: string) => call("objectToEmailChange", "/recovery/objection", token, {});

/** The match of a pattern in the newest mail whose subject begins with these words. */
async function mailed(subject: string, pattern: RegExp): Promise<string> {
  await face.runDue();
  const mail = (await face.mailbox(clinic)).findLast((sent) => sent.subject.startsWith(subject));
  const found = pattern.exec(mail?.text ?? "")?.[0];
  if (found === undefined) throw new Error(`There is no such mail: ${subject}`);
  return found;
}
const lastCode = () => mailed("Tu código", /\b\d{6}\b/);
async function lastObjection(): Promise<string> {
  const url = new URL(await mailed("El correo de tu cuenta cambió", /https:\/\/\S+/));
  return url.searchParams.get("widget_token") ?? "";
}

async function emailOfPatient(): Promise<string> {
  const { email } = await face.db
    .selectFrom("beneficiaries")
    .innerJoin("users", "users.id", "beneficiaries.user_id")
    .select("email")
    .where("beneficiaries.id", "=", beneficiaryId)
    .executeTakeFirstOrThrow();
  return email;
}

/** Makes a call that is answered only after a transaction that erases the patient. */
async function whileErased(ask: () => Promise<TestAnswer>): Promise<TestAnswer | undefined> {
  let asked: Promise<TestAnswer> | undefined;
  await inTransaction(face.db, async (tx) => {
    const person = { beneficiaryId, tenant: clinic.provider.id, rut: CAMILA.rut, addressedTo: null, at: START };
    await pseudonymise(tx, person, { userId: systemIds.uuid(), pseudonym: `erased:${beneficiaryId}` });
    asked = ask();
    await untilWaiting(face.db);
  });
  return asked;
}

describe.runIf(testDatabaseKind === "postgres")("a recovery during an erasure", () => {
  it.each([
    ["email_code", (token: string) => start(token)],
    ["identity", (token: string) => startByIdentity(token, "nueva@example.org")],
  ])("fails by %s once the patient is erased", async (_way, ask) => {
    const token = await mint();
    const answer = await whileErased(() => ask(token));
    expect([answer?.status, answer?.body.code]).toEqual([404, "beneficiary_not_found"]);
  });

  it("expires the code with the patient", async () => {
    const token = await mint();
    await start(token);
    const code = await lastCode();
    const answer = await whileErased(() => verify(token, code));
    expect([answer?.status, answer?.body.code]).toEqual([410, "recovery_code_expired"]);
  });
});

describe.runIf(testDatabaseKind === "postgres")("an objection during a second change of address", () => {
  it("undoes the second change too, which built on the first", async () => {
    const first = await mint();
    await startByIdentity(first, "nueva@example.org");
    await verify(first, await lastCode());
    const objection = await lastObjection();
    face.clock.advance(61_000);
    const second = await mint();
    await startByIdentity(second, "otra@example.org");
    const code = await lastCode();
    // Blocks the last write of an answered code, after that of the address. Until it commits, its writes are invisible
    // to others.
    const lastWrite = sql`select 1 from widget_tokens where token_hash = ${hashToken(second)} for update`;
    const answers = await askWhileHeld(face.db, lastWrite, [() => verify(second, code), () => object(objection)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await emailOfPatient()).toBe(CAMILA.email);
    expect((await object(await lastObjection())).body.code).toBe("widget_token_used");
    expect(await emailOfPatient()).toBe(CAMILA.email);
  });
});
