import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import type { FaultKind } from "../../../connectors/kit/stand-in/faults.ts";
import { readSoyioSettings } from "../../../connectors/soyio/settings.ts";
import type { DocumentSerial } from "../../../src/contract/vocabulary/document-serial.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { API_KEY, apiKey, CONNECTOR_TOKEN, type SoyioWorld, startSoyio } from "./start-soyio.ts";

let world: SoyioWorld;
/** The registry is slow: checks are pending for longer than a call takes. */
let slow: SoyioWorld;
beforeAll(async () => {
  world = await startSoyio();
  slow = await startSoyio({ pendingMs: 20 * SECOND_MS });
});
afterAll(async () => {
  await world.stop();
  await slow.stop();
});

const RUT = "40100000-3";
/** The document `314159265` of a person, whom the registry knows by default. */
const documentOf = ({ rut = RUT, serial = "314159265" } = {}) => ({
  providerId: systemIds.uuid(),
  rut: parseRut(rut),
  serial: serial as DocumentSerial,
  documentType: "CEDULA" as const,
});

const pendingChecks = async ({ db }: SoyioWorld) =>
  (await sql<{ reference: string }>`select * from pending_checks`.execute(db)).rows;

describe("the Soyio connector", () => {
  it("passes the connector check", async () => {
    const { clock, connectorUrl } = world;
    const probe = createProbe({ baseUrl: connectorUrl, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
    const report = await checkConnector(
      {
        ...{ probe, clock, token: CONNECTOR_TOKEN, ids: systemIds },
        values: testValuesSchema.parse({}),
        wait: async (milliseconds) => clock.advance(milliseconds),
        returnWaitMs: 0,
        giveCard: null,
      },
      { url: connectorUrl, parties: ["identity-registry"], callbacks: null, callbackWaitMs: 0 },
    );
    await probe.close();
    expect(report.findings.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
  });
});

describe("checks", () => {
  it.each([
    ["11111111-1", "document_not_valid"],
    ["22222222-2", "no_match"],
    ["33333333-3", "unavailable"],
    ["12345678-5", "match"],
  ])("a check of the sandbox's RUT %s is answered: %s", async (rut, outcome) => {
    expect(await world.registry.check(documentOf({ rut }))).toEqual({ outcome });
  });

  it("a check sends RUT and document number, and a reference that reveals neither", async () => {
    await world.registry.check(documentOf());
    const { body, path } = world.standIn.requests.at(-1) ?? {};
    expect(path).toBe("/api/v1/government_check_requests");
    expect(body).toEqual({
      government_check_request: {
        nin: RUT,
        document_number: "314159265",
        user_reference: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
  });

  it("a check that takes longer than a call is read by the next try, and paid once", async () => {
    const before = slow.standIn.checks.length;
    expect(await slow.registry.check(documentOf())).toEqual({ outcome: "unavailable" });
    expect(await pendingChecks(slow)).toMatchObject([{ reference: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    slow.clock.advance(20 * SECOND_MS);
    expect(await slow.registry.check(documentOf())).toEqual({ outcome: "match" });
    expect(slow.standIn.checks).toHaveLength(before + 1);
    expect(await pendingChecks(slow)).toEqual([]);
  });

  it("another check is made once the earlier one is outdated, and for another document", async () => {
    const before = slow.standIn.checks.length;
    await slow.registry.check(documentOf());
    slow.clock.advance(HOUR_MS);
    await slow.registry.check(documentOf());
    await slow.registry.check(documentOf({ serial: "100000001" }));
    expect(slow.standIn.checks).toHaveLength(before + 3);
    slow.clock.advance(20 * SECOND_MS);
    expect(await slow.registry.check(documentOf({ serial: "100000001" }))).toEqual({ outcome: "no_match" });
  });

  it.each<FaultKind>(["lost", "dropped", "error", "failed", "timed_out", "redirect", "html", "endless"])(
    "a check without a usable answer (%s) is unavailable, and the next try succeeds",
    async (fault) => {
      world.standIn.faults.add("create", fault);
      expect(await world.registry.check(documentOf())).toEqual({ outcome: "unavailable" });
      expect(await world.registry.check(documentOf())).toEqual({ outcome: "match" });
    },
  );
});

describe("an answer about another check", () => {
  type Body = { readonly government_check_request: object };
  const changed = (changes: object) => (body: unknown) => ({
    government_check_request: { ...(body as Body).government_check_request, ...changes },
  });
  const unavailable = { outcome: "unavailable" };

  it.each<[string, object]>([
    ["of another person", { user_reference: "f".repeat(64) }],
    ["that succeeded with an error", { validation_errors: [{ code: "auth-074" }] }],
  ])("(%s) proves no identity", async (_, changes) => {
    world.standIn.faults.change("create", changed(changes));
    expect(await world.registry.check(documentOf())).toEqual(unavailable);
    expect(await world.registry.check(documentOf())).toEqual({ outcome: "match" });
  });

  it("an answer with another id proves no identity", async () => {
    const document = documentOf({ rut: "22222222-2" });
    expect(await slow.registry.check(document)).toEqual(unavailable);
    slow.standIn.faults.change("read", changed({ id: "govcheck_otro", status: "successful", validation_errors: [] }));
    expect(await slow.registry.check(document)).toEqual(unavailable);
    slow.clock.advance(20 * SECOND_MS);
    expect(await slow.registry.check(document)).toEqual({ outcome: "no_match" });
  });
});

describe("a process that dies", () => {
  it.each([
    ["before", /requests$/, 1],
    // Only Soyio knows the first check: the next try makes another.
    ["after", /requests$/, 2],
    ["before", /govcheck_/, 1],
    ["after", /govcheck_/, 1],
  ] as const)("%s a request %s leaves a check that the next tries answer", async (death, path, checks) => {
    const document = documentOf({ rut: "40237731-3" });
    const before = slow.standIn.checks.length;
    slow.dieAt(death, path);
    void slow.registry.check(document);
    await expect.poll(() => slow.isDead()).toBe(true);
    slow.restart();
    await slow.registry.check(document);
    slow.clock.advance(20 * SECOND_MS);
    expect(await slow.registry.check(document)).toEqual({ outcome: "match" });
    expect(slow.standIn.checks).toHaveLength(before + checks);
  });
});

describe("the API key", () => {
  const ends = new Date(Date.now() + 15 * DAY_MS);
  let refused: SoyioWorld;
  beforeAll(async () => {
    refused = await startSoyio({ usedKey: apiKey(ends), keyExpiresAt: ends });
  });
  afterAll(() => refused.stop());

  it("the log reports a key that Soyio refuses, and every check is unavailable", async () => {
    expect(await refused.registry.check(documentOf())).toEqual({ outcome: "unavailable" });
    expect(refused.log.join("")).toContain("soyio.credentials_refused");
  });

  it("the log reports the key once a day in its last 14 days", async () => {
    const reports = () => refused.log.filter((line) => line.includes("soyio.key_expires")).length;
    expect(reports()).toBe(0);
    refused.clock.advance(2 * DAY_MS);
    await refused.registry.check(documentOf());
    await refused.registry.check(documentOf());
    expect(reports()).toBe(1);
    refused.clock.advance(DAY_MS);
    await refused.registry.check(documentOf());
    expect(reports()).toBe(2);
  });
});

describe("the settings", () => {
  const SETTINGS = {
    CONNECTOR_PORT: "0",
    CONNECTOR_TOKEN,
    CONNECTOR_DATABASE_URL: "memory://",
    SOYIO_ENVIRONMENT: "sandbox",
    SOYIO_API_KEY: API_KEY,
  };

  it("choose the host by the environment, and read when the key expires", () => {
    expect(readSoyioSettings(SETTINGS)).toMatchObject({
      party: { baseUrl: "https://sandbox.soyio.id" },
      keyExpiresAt: null,
    });
    const production = { ...SETTINGS, SOYIO_ENVIRONMENT: "production", SOYIO_API_KEY: apiKey(new Date(5_000)) };
    expect(readSoyioSettings(production)).toMatchObject({
      party: { baseUrl: "https://app.soyio.id" },
      keyExpiresAt: new Date(5_000),
    });
  });

  it("are refused by name, without their values", () => {
    const wrong = { ...SETTINGS, SOYIO_API_KEY: "ak_sandbox_el-id", SOYIO_BASE_URL: "https://otro.example" };
    expect(() => readSoyioSettings(wrong)).toThrow(/SOYIO_API_KEY: .*\nSOYIO_BASE_URL: /);
    expect(() => readSoyioSettings(wrong)).not.toThrow(/el-id|otro/);
  });
});

describe("log and database", () => {
  it("hold no key, RUT or document number", async () => {
    for (const fault of ["error", "lost"] as const) {
      world.standIn.faults.add("create", fault);
      await world.registry.check(documentOf());
    }
    slow.clock.advance(HOUR_MS);
    await slow.registry.check(documentOf());
    const written = [...world.log, ...slow.log, JSON.stringify(await pendingChecks(slow))].join("\n");
    expect(written).toContain("connector.party_unanswered");
    expect(written).toContain("govcheck_");
    for (const secret of [API_KEY, CONNECTOR_TOKEN, "40100000", "314159265"]) expect(written).not.toContain(secret);
    for (const { path } of world.standIn.requests) expect(path).not.toMatch(/40100000|314159265/);
  });
});

describe("the connector's first migration", () => {
  it("is the kit's", async () => {
    const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
    expect(await read("soyio/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
  });
});
