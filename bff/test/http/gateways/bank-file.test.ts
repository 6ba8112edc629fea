import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BankFile, createFileBank } from "../../../connectors/bank-file/bank.ts";
import { readFile as readWritten, reportFile, writeNewFile } from "../../../connectors/bank-file/files.ts";
import { findTransfer } from "../../../connectors/bank-file/transfer-store.ts";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createConnectorApp } from "../../../connectors/kit/connector-service.ts";
import { createKeptCalls } from "../../../connectors/kit/kept-calls.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import { serveBank } from "../../../connectors/kit/serve/serve-bank.ts";
import { transferIdOf } from "../../../connectors/kit/transfer-id.ts";
import type { BankCode } from "../../../src/contract/vocabulary/banks.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { DAY_MS, HOUR_MS } from "../../../src/contract/vocabulary/durations.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { Bank } from "../../../src/gateways/bank.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { type OpenDatabase, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { packageFolder } from "../../../src/platform/program.ts";
import { listen } from "./connector-process.ts";

/* A bank whose transfers an operator makes from a file, and reports. */

const clock = movableClock(new Date());
const TOKEN = "token-del-conector-de-prueba";
let database: OpenDatabase;
let bankFile: BankFile;
let bank: Bank;

beforeAll(async () => {
  database = await openDatabase({ url: "memory://" }, silentLogger);
  await migrate(database, { clock, logger: silentLogger }, join(packageFolder, "connectors/bank-file/migrations"));
  const calls = createKeptCalls({ db: database.db, clock, logger: silentLogger });
  bankFile = { db: database.db, clock, calls };
  bank = createFileBank(bankFile);
});
afterAll(() => database.close());

const providerId = systemIds.uuid();
const newCall = (): GatewayCall => ({ providerId, idempotencyKey: systemIds.uuid(), at: clock.now() });

function inputOf({ amount = 25_000, number = "12345678", bankCode = "037" as BankCode | null, name = "Clínica" } = {}) {
  return {
    account: {
      bank: "Banco Santander",
      account_type: "checking" as const,
      account_number: number,
      holder_name: name,
      holder_rut: parseRut("76901112-9"),
    },
    ...(bankCode !== null && { bankCode }),
    amount: clp(amount),
    reference: "AAPD 2026-11-28",
  };
}

const report = (...lines: readonly string[]) =>
  reportFile(bankFile, ["id,outcome,reason", ...lines, ""].join("\n"), "ana");

/** A transfer in a file. */
async function written(given: Parameters<typeof inputOf>[0] = {}) {
  const call = newCall();
  await bank.transfer(call, inputOf(given));
  const file = await writeNewFile(bankFile, "ana");
  return { call, id: transferIdOf(call), file };
}

describe("a file for the bank's portal", () => {
  it("has each open transfer once, with its account, and quotes names as CSV", async () => {
    const name = `=Clínica "Los Andes", SpA`;
    const { id, file } = await written({ name, number: "0012345678", amount: 1_234_567 });
    expect(file).toMatchObject({ transfers: 1, total: 1_234_567 });
    expect(parse(file?.text ?? "", { columns: true })).toEqual([
      {
        id,
        rut: "76901112-9",
        name: `'${name}`,
        bank_code: "037",
        account_type: "checking",
        account_number: "0012345678",
        amount: "1234567",
        comment: "AAPD 2026-11-28",
      },
    ]);
    expect(await writeNewFile(bankFile, "ana")).toBeNull();
    expect(await readWritten(bankFile, file?.number ?? 0)).toEqual(file);
  });

  it("has a transfer of two operators who write at once only once", async () => {
    const call = newCall();
    await bank.transfer(call, inputOf());
    const files = await Promise.all([writeNewFile(bankFile, "ana"), writeNewFile(bankFile, "luis")]);
    expect(files.filter((file) => file?.text.includes(transferIdOf(call)))).toHaveLength(1);
  });

  it("has a payout above the range of a 32-bit number, and all other payouts", async () => {
    const amount = 3_000_000_000;
    const call = newCall();
    await bank.transfer(call, inputOf());
    const { call: large, id, file } = await written({ amount });
    expect(file).toMatchObject({ transfers: 2, total: amount + 25_000 });
    await report(`${id},paid,`);
    expect(await bank.inquireTransfer(large)).toMatchObject({ outcome: "sent", amount });
    expect(await bank.listTransfers(providerId, large.at, new Date(large.at.getTime() + 1))).toMatchObject([
      { id, amount },
    ]);
  });

  it("leaves out the transfers reported since when it is written again", async () => {
    const { id, file } = await written();
    await report(`${id},paid,`);
    expect(await readWritten(bankFile, file?.number ?? 0)).toMatchObject({ transfers: 0, total: 0 });
  });
});

describe("a transfer", () => {
  it("is pending until an operator reports it, and is then sent, once", async () => {
    const { call, id } = await written();
    expect(await bank.inquireTransfer(call)).toMatchObject({ outcome: "pending", transferId: id });
    const range = [call.at, new Date(call.at.getTime() + 30 * DAY_MS)] as const;
    const listed = async () =>
      (await bank.listTransfers(providerId, ...range)).filter((line) => line.id.startsWith(id));
    expect(await listed()).toEqual([]);
    clock.advance(HOUR_MS);
    expect(await report(`${id},paid,`)).toEqual({ stored: 1, known: 0 });
    expect(await report(`${id},paid,`)).toEqual({ stored: 0, known: 1 });
    expect(await bank.transfer(call, inputOf())).toEqual({ outcome: "sent", transferId: id, amount: 25_000 });
    expect(await listed()).toMatchObject([{ id, amount: 25_000, accountEnding: "5678", at: clock.now() }]);
    clock.advance(DAY_MS);
    await report(`${id},returned,account_closed`);
    const returned = { outcome: "returned", transferId: id, amount: 25_000, reason: "account_closed" };
    expect(await bank.inquireTransfer(call)).toEqual({ ...returned, returnedAt: clock.now() });
    expect(await listed()).toMatchObject([{ id }, { kind: "return", reason: "account_closed", at: clock.now() }]);
  });

  it("leaves no account in the database once it is reported", async () => {
    const { id } = await written();
    await report(`${id},refused,account_unknown`);
    expect(await findTransfer(database.db, id)).toMatchObject({ account: null, accountEnding: "5678" });
  });

  it("to a bank without a code is refused", async () => {
    const refused = { outcome: "refused", reason: "bank_unknown" };
    expect(await bank.transfer(newCall(), inputOf({ bankCode: null }))).toEqual(refused);
  });
});

describe("a report", () => {
  it("is refused completely, with the line's number, if one line contradicts a stored outcome", async () => {
    const [{ id: good }, { id: refused }] = [await written(), await written()];
    await report(`${refused},refused,account_closed`);
    const waiting = newCall();
    await bank.transfer(waiting, inputOf());
    for (const [line, message] of [
      ["T000,paid,", "Line 3: id is not the id of a transfer."],
      [`T${"A".repeat(24)},paid,`, `Line 3: T${"A".repeat(24)} is not a transfer of this connector.`],
      [`${refused},paid,`, "Line 3: the transfer is already refused."],
      [`${refused},returned,account_closed`, "Line 3: only a paid transfer can come back."],
      [`${good},refused,`, "Line 3: paid takes no reason, and the other outcomes need one."],
      [`${transferIdOf(waiting)},paid,`, "Line 3: the transfer is not in a file yet."],
    ] as const)
      await expect(report(`${good},paid,`, line)).rejects.toThrow(message);
    expect(await report(`${good},paid,`)).toEqual({ stored: 1, known: 0 });
    await writeNewFile(bankFile, "ana");
  });
});

/** An operator who makes and reports each transfer at once, by the sandbox's account numbers. */
function withOperator(inner: Bank): Bank {
  const since = new Map<string, { readonly id: string; readonly number: string; readonly at: number }>();
  const act = async (key: string) => {
    const { id, number, at } = since.get(key) ?? { id: "", number: "", at: 0 };
    if (id === "") return;
    await writeNewFile(bankFile, "ana");
    const age = clock.now().getTime() - at;
    if (number === "1000000001") return void (await report(`${id},refused,account_unknown`));
    if (number === "1000000005" && age < 6 * HOUR_MS) return;
    await report(`${id},paid,`);
    if (number === "1000000006" && age >= 20 * HOUR_MS) await report(`${id},returned,account_closed`);
  };
  return {
    ...inner,
    async transfer(call, input) {
      const outcome = await inner.transfer(call, input);
      if (outcome.outcome !== "pending") return outcome;
      const { idempotencyKey } = call;
      const at = since.get(idempotencyKey)?.at ?? clock.now().getTime();
      since.set(idempotencyKey, { id: outcome.transferId, number: input.account.account_number, at });
      await act(idempotencyKey);
      return inner.transfer(call, input);
    },
    async inquireTransfer(call) {
      await act(call.idempotencyKey);
      return inner.inquireTransfer(call);
    },
  };
}

it("the connector passes the connector check with a script as the operator", async () => {
  const server = await listen();
  const serve = (service: Parameters<typeof serveBank>[0]) => serveBank(service, withOperator(bank));
  server.serve(createConnectorApp({ token: TOKEN, logger: silentLogger, serve }));
  const probe = createProbe({ baseUrl: server.url, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
  const report = await checkConnector(
    {
      ...{ probe, clock, token: TOKEN, ids: systemIds },
      values: testValuesSchema.parse({ account: inputOf().account, returned_account_number: "1000000006" }),
      wait: async (milliseconds) => clock.advance(milliseconds),
      returnWaitMs: 10 * DAY_MS,
      giveCard: null,
    },
    { url: server.url, parties: ["bank"], callbacks: null, callbackWaitMs: 0 },
  );
  await probe.close();
  await server.close();
  expect(report.findings.filter(({ result }) => result !== "passed")).toEqual([]);
  expect(report.verdict).toBe("conforms");
});

it("the connector's first migration is the kit's", async () => {
  const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
  expect(await read("bank-file/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
});
