import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import type { FaultKind } from "../../../connectors/kit/stand-in/faults.ts";
import { settleDocument } from "../../../connectors/libredte/operator.ts";
import { readLibredteSettings } from "../../../connectors/libredte/settings.ts";
import type { Trouble } from "../../../connectors/libredte/stand-in/stand-in.ts";
import { askForVerdicts } from "../../../connectors/libredte/verdicts.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/vocabulary/durations.ts";
import { orderHashSchema } from "../../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import type { DocumentToIssue } from "../../../src/gateways/tax-documents.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { santiagoDay } from "../../../src/platform/santiago-time.ts";
import { CONNECTOR_TOKEN, HASH, ISSUER_RUT, type LibredteWorld, startLibredte } from "./start-libredte.ts";

let world: LibredteWorld;
/** Its SII takes an hour for a verdict. */
let later: LibredteWorld;
beforeAll(async () => {
  world = await startLibredte();
  later = await startLibredte({ verdictMs: HOUR_MS });
});
afterAll(async () => {
  await world.stop();
  await later.stop();
});

const DAY = santiagoDay(new Date());
const RECEIVER = "40100000-3";
const boletaOf = (changes: Partial<DocumentToIssue> = {}): DocumentToIssue => ({
  kind: "boleta",
  issuer: { name: "Operadora de prueba", rut: ISSUER_RUT },
  receiverRut: parseRut(RECEIVER),
  receiverName: "Camila Soto",
  day: DAY,
  net: clp(2_703),
  vat: clp(514),
  corrects: null,
  orderHash: orderHashSchema.parse(systemIds.uuid()),
  ...changes,
});
const exemptOf = (amount: number, changes: Partial<DocumentToIssue> = {}) =>
  boletaOf({ net: clp(0), vat: clp(0), exempt: clp(amount), ...changes });

const unknown = { outcome: "unknown" };
const sameHash = orderHashSchema.parse(systemIds.uuid());

/** The documents that LibreDTE has issued from now on. */
function fromNow({ standIn }: LibredteWorld) {
  const before = standIn.issued.length;
  return () => standIn.issued.slice(before);
}

const listedOf = async ({ taxDocuments, clock }: LibredteWorld, call: GatewayCall) =>
  (await taxDocuments.listDocuments(call.providerId, call.at, new Date(clock.now().getTime() + 1))).filter(
    ({ idempotencyKey }) => idempotencyKey === call.idempotencyKey,
  );

/** Issues a boleta, and returns its number. */
async function issue(document = boletaOf()): Promise<string> {
  const answer = await world.taxDocuments.issueDocument(world.call(), document);
  return answer.outcome === "issued" ? answer.number : expect.unreachable();
}

describe("the LibreDTE connector", () => {
  it("passes the connector check", async () => {
    const { clock, connectorUrl } = world;
    const probe = createProbe({ baseUrl: connectorUrl, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
    const report = await checkConnector(
      {
        ...{ probe, clock, token: CONNECTOR_TOKEN, ids: systemIds },
        values: testValuesSchema.parse({ tax_issuer: { name: "Operadora de prueba", rut: ISSUER_RUT } }),
        wait: async (milliseconds) => clock.advance(milliseconds),
        returnWaitMs: 0,
        giveCard: null,
      },
      { url: connectorUrl, parties: ["tax-documents"], callbacks: null, callbackWaitMs: 0 },
    );
    await probe.close();
    expect(report.findings.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
  });
});

describe("a boleta", () => {
  it("is issued with VAT, and its PDF is at its address", async () => {
    const issued = fromNow(world);
    const call = world.call();
    const answer = await world.taxDocuments.issueDocument(call, boletaOf());
    const [made] = issued();
    expect(made).toMatchObject({ dte: 39, neto: 2_703, iva: 514, exento: 0, total: 3_217, receiver: 40_100_000 });
    expect(answer).toEqual({ outcome: "issued", number: String(made?.folio), url: expect.any(String) });
    const { url } = answer as { readonly url: string };
    expect(url).not.toContain("40100000");
    const pdf = await fetch(url);
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(await listedOf(world, call)).toMatchObject([{ kind: "boleta", amount: 3_217, at: world.clock.now() }]);
  });

  it("is exempt if the amount is interest", async () => {
    const issued = fromNow(world);
    await issue(exemptOf(30_800));
    expect(issued()).toMatchObject([{ dte: 41, neto: 0, iva: 0, exento: 30_800, total: 30_800 }]);
  });

  it("is refused for another issuer, and nothing is sent", async () => {
    const before = world.standIn.drafts.size;
    const issuer = { name: "Otra", rut: parseRut("76902223-6") };
    expect(await world.taxDocuments.issueDocument(world.call(), boletaOf({ issuer }))).toEqual({
      outcome: "refused",
      reason: "issuer_not_authorised",
    });
    expect(world.standIn.drafts.size).toBe(before);
  });

  it("leaves no RUT and no name in the database once it is issued", async () => {
    await issue();
    const { rows } = await sql`select * from documents`.execute(world.libredte.db);
    const calls = await sql`select * from connector_calls`.execute(world.libredte.db);
    expect(JSON.stringify([rows, calls.rows])).not.toMatch(/40100000|Camila/);
  });
});

describe("a nota de crédito", () => {
  it.each([
    ["annuls the whole boleta", boletaOf(), {}, { CodRef: 1, TpoDocRef: 39 }],
    ["corrects a part of it", boletaOf(), { net: clp(840), vat: clp(160) }, { CodRef: 3, TpoDocRef: 39 }],
    ["annuls an exempt boleta", exemptOf(1_000), {}, { CodRef: 1, TpoDocRef: 41 }],
  ])("%s, and names its day", async (_name, boleta, changes, reference) => {
    const number = await issue(boleta);
    const issued = fromNow(world);
    const note = { ...boleta, kind: "credit_note" as const, corrects: number, receiverName: undefined, ...changes };
    expect(await world.taxDocuments.issueDocument(world.call(), note)).toMatchObject({ outcome: "issued" });
    const [made] = issued();
    expect(made).toMatchObject({ dte: 61, total: note.net + note.vat + (note.exempt ?? 0) });
    expect(made?.neto).toBe(note.net);
    expect(made?.draft.Referencia).toMatchObject([{ ...reference, FolioRef: Number(number), FchRef: boleta.day }]);
  });

  it("waits until the SII has accepted the boleta", async () => {
    const boleta = boletaOf();
    const answer = await later.taxDocuments.issueDocument(later.call(), boleta);
    const corrects = answer.outcome === "issued" ? answer.number : null;
    const call = later.call();
    const note = { ...boleta, kind: "credit_note" as const, corrects };
    expect(await later.taxDocuments.issueDocument(call, note)).toEqual(unknown);
    later.clock.advance(HOUR_MS);
    expect(await later.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
  });

  it("stays unknown, and is reported, if LibreDTE does not know the boleta", async () => {
    const note = boletaOf({ kind: "credit_note", corrects: "99999" });
    expect(await world.taxDocuments.issueDocument(world.call(), note)).toEqual(unknown);
    expect(world.log.join("")).toContain("libredte.boleta_unknown");
  });
});

describe("the SII's verdict", () => {
  it("is in list and inquiry if it rejects a document, and no repeat issues another", async () => {
    const issued = fromNow(later);
    const call = later.call();
    const boleta = boletaOf();
    const answer = await later.taxDocuments.issueDocument(call, boleta);
    const [made] = issued();
    later.standIn.reject(39, made?.folio ?? 0);
    expect(await later.taxDocuments.inquireDocument(call)).toEqual(answer);
    await askForVerdicts(later.libredte);
    expect(await listedOf(later, call)).not.toMatchObject([{ rejected: true }]);
    later.clock.advance(HOUR_MS);
    await askForVerdicts(later.libredte);
    expect(await listedOf(later, call)).toMatchObject([{ rejected: true }]);
    const rejected = { outcome: "rejected", number: String(made?.folio) };
    expect(await later.taxDocuments.inquireDocument(call)).toEqual(rejected);
    expect(await later.taxDocuments.issueDocument(call, boleta)).toEqual(rejected);
    expect(issued()).toHaveLength(1);
  });

  it("is read for all other documents if LibreDTE fails for one", async () => {
    const { clock, standIn, taxDocuments } = later;
    const calls = [later.call(), later.call()];
    const issued = fromNow(later);
    for (const call of calls) await taxDocuments.issueDocument(call, boletaOf());
    for (const { dte, folio } of issued()) standIn.reject(dte, folio);
    clock.advance(2 * HOUR_MS);
    let failing: unknown;
    for (const _ of calls) {
      standIn.faults.change("state", (body, { params }) => {
        failing ??= params.folio;
        return failing === params.folio ? "Error interno" : body;
      });
      await askForVerdicts(later.libredte);
    }
    const listed = await Promise.all(calls.map((call) => listedOf(later, call)));
    expect(listed.flat().filter(({ rejected }) => rejected === true)).toHaveLength(1);
  });

  it("is asked for by an inquiry too, and never again once it is known", async () => {
    const call = later.call();
    await later.taxDocuments.issueDocument(call, boletaOf());
    later.clock.advance(2 * HOUR_MS);
    expect(await later.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
    later.standIn.faults.add("state", "failed");
    later.clock.advance(2 * HOUR_MS);
    expect(await later.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
    expect(later.log.join("")).not.toContain("party_unanswered");
  });
});

describe("what LibreDTE refuses", () => {
  it.each<[Trouble, string]>([
    ["no_numbers", "no_numbers_left"],
    ["no_signature", "issuer_not_authorised"],
  ])("%s is answered: %s, and another key issues it later", async (trouble, reason) => {
    const issued = fromNow(world);
    const call = world.call();
    world.standIn.trouble(trouble);
    const refused = { outcome: "refused", reason };
    expect(await world.taxDocuments.issueDocument(call, boletaOf())).toEqual(refused);
    expect(await world.taxDocuments.inquireDocument(call)).toEqual(refused);
    expect(issued()).toEqual([]);
    await issue();
    expect(issued()).toHaveLength(1);
  });

  it.each<Trouble>(["invalid", "folio_exists"])(
    "(%s) is not tried again until an operator decides, because it may use up a number",
    async (trouble) => {
      const issued = fromNow(world);
      const call = world.call();
      world.standIn.trouble(trouble);
      for (const _ of [1, 2]) {
        expect(await world.taxDocuments.issueDocument(call, boletaOf({ orderHash: sameHash }))).toEqual(unknown);
        world.clock.advance(HOUR_MS);
      }
      expect(issued()).toEqual([]);
      const settled = { ...call, folio: null, by: "ana", because: "Se cargó un CAF nuevo" };
      expect(await settleDocument(world.libredte, settled)).toBe("again");
      expect(await world.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
      expect(await settleDocument(world.libredte, settled)).toBe("not_open");
      expect(issued()).toHaveLength(1);
    },
  );
});

describe("an answer of LibreDTE that is none", () => {
  it.each<[route: string, fault: FaultKind]>([
    ["draft", "lost"],
    ["draft", "error"],
    ["draft", "twice"],
    ["generate", "lost"],
    ["generate", "error"],
    ["generate", "html"],
    ["generate", "redirect"],
    ["generate", "twice"],
    ["find", "failed"],
    ["find_draft", "lost"],
  ])("to %s (%s) issues one document", async (route, fault) => {
    const issued = fromNow(world);
    const [call, document] = [world.call(), boletaOf()];
    world.standIn.faults.add(route, fault);
    await world.taxDocuments.issueDocument(call, document);
    expect(await world.taxDocuments.issueDocument(call, document)).toMatchObject({ outcome: "issued" });
    expect(issued()).toHaveLength(1);
  });

  it.each<FaultKind>(["dropped", "failed", "timed_out"])(
    "to the generation (%s) is repeated only after LibreDTE has had time to finish",
    async (fault) => {
      const issued = fromNow(world);
      const [call, document] = [world.call(), boletaOf()];
      world.standIn.faults.add("generate", fault);
      for (const _ of [1, 2]) expect(await world.taxDocuments.issueDocument(call, document)).toEqual(unknown);
      expect(issued()).toEqual([]);
      world.clock.advance(10 * MINUTE_MS);
      expect(await world.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
      expect(issued()).toHaveLength(1);
    },
  );

  it.each<[string, (body: object) => object]>([
    ["no number", (body) => ({ ...body, folio: null })],
    ["an empty number", (body) => ({ ...body, folio: "" })],
    ["the number 0", (body) => ({ ...body, folio: 0 })],
    ["a negative number", (body) => ({ ...body, folio: -1 })],
    ["no total", (body) => ({ ...body, total: null })],
    ["another type", (body) => ({ ...body, dte: 41 })],
    ["the name of another document", (body) => ({ ...body, extra: { aapd: "DAAAAAAAAAAAAAAAAAAAAAAAA" } })],
  ])("to the generation, with %s, is replaced by the document itself", async (_, change) => {
    const issued = fromNow(world);
    const [call, document] = [world.call(), boletaOf()];
    world.standIn.faults.change("generate", (body) => change(body as object));
    expect(await world.taxDocuments.issueDocument(call, document)).toEqual(unknown);
    const number = String(issued()[0]?.folio);
    expect(await world.taxDocuments.issueDocument(call, document)).toMatchObject({ outcome: "issued", number });
    expect(issued()).toHaveLength(1);
  });

  it("about the total of a draft is asked for again, and needs no operator", async () => {
    const [call, document] = [world.call(), boletaOf()];
    world.standIn.faults.change("find_draft", (body) => (body as object[]).map((each) => ({ ...each, total: null })));
    expect(await world.taxDocuments.issueDocument(call, document)).toEqual(unknown);
    expect(await world.taxDocuments.issueDocument(call, document)).toMatchObject({ outcome: "issued" });
  });

  it("is settled by an operator if draft and document are gone", async () => {
    const [call, document] = [world.call(), boletaOf()];
    const drafts = new Set(world.standIn.drafts.keys());
    world.standIn.faults.add("generate", "dropped");
    await world.taxDocuments.issueDocument(call, document);
    for (const code of world.standIn.drafts.keys()) if (!drafts.has(code)) world.standIn.deleteDraft(code);
    world.clock.advance(HOUR_MS);
    expect(await world.taxDocuments.inquireDocument(call)).toEqual(unknown);
    expect(world.log.join("")).toContain("libredte.document_lost");
    const by = { by: "ana", because: "Página de LibreDTE" };
    expect(await settleDocument(world.libredte, { ...call, folio: 99_999, ...by })).toBe("not_found");
    const another = await issue(boletaOf({ net: clp(1_000), vat: clp(190) }));
    expect(await settleDocument(world.libredte, { ...call, folio: Number(another), ...by })).toBe("differs");
    const folio = Number(await issue());
    expect(await settleDocument(world.libredte, { ...call, folio, ...by })).toBe("differs");
    expect(await settleDocument(world.libredte, { ...call, folio: null, ...by })).toBe("again");
    expect(await world.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
  });

  it("is settled with the number that an operator found", async () => {
    const [call, document] = [world.call(), boletaOf({ net: clp(2_000), vat: clp(380) })];
    world.standIn.trouble("invalid");
    await world.taxDocuments.issueDocument(call, document);
    const [draft] = [...world.standIn.drafts.values()].slice(-1);
    world.standIn.issueForeign({ ...(draft ?? expect.unreachable()), LibreDTE: { extra: {} } });
    const folio = world.standIn.issued.at(-1)?.folio ?? 0;
    const settling = { ...call, folio, by: "ana", because: "Emitida en la página de LibreDTE" };
    expect(await settleDocument(world.libredte, settling)).toBe("issued");
    expect(await world.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued", number: String(folio) });
    // The same number for another call.
    const other = world.call();
    world.standIn.trouble("invalid");
    await world.taxDocuments.issueDocument(other, document);
    expect(await settleDocument(world.libredte, { ...settling, ...other })).toBe("differs");
  });
});

describe("a process that dies", () => {
  it.each([
    ["before", /dte_emitidos\/buscar/],
    ["after", /dte_emitidos\/buscar/],
    ["before", /emitir/],
    ["after", /emitir/],
    ["before", /dte_tmps/],
    ["after", /dte_tmps/],
    ["before", /generar/],
    ["after", /generar/],
    ["before", /actualizar_estado/],
    ["after", /actualizar_estado/],
  ] as const)("%s a request %s issues one document", async (death, path) => {
    const issued = fromNow(later);
    const [call, document] = [later.call(), boletaOf()];
    if (path.source.includes("actualizar")) {
      await later.taxDocuments.issueDocument(call, document);
      later.clock.advance(2 * HOUR_MS);
    }
    later.dieAt(death, path);
    void later.taxDocuments.issueDocument(call, document);
    await expect.poll(() => later.isDead()).toBe(true);
    await later.restart();
    later.clock.advance(10 * MINUTE_MS);
    expect(await later.taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
    expect(issued()).toHaveLength(1);
  });
});

describe("one key", () => {
  it("issues one document if three processes continue it at once", async () => {
    const issued = fromNow(world);
    const [call, document] = [world.call(), boletaOf()];
    const first = world.taxDocuments;
    await world.restart();
    const { taxDocuments } = world;
    await Promise.all([
      first.issueDocument(call, document),
      taxDocuments.issueDocument(call, document),
      taxDocuments.issueDocument(call, document),
    ]);
    expect(await taxDocuments.inquireDocument(call)).toMatchObject({ outcome: "issued" });
    expect(issued()).toHaveLength(1);
  });

  it("issues one document next to another for the same person, day and amount", async () => {
    const issued = fromNow(world);
    const [one, other] = [world.call(), world.call()];
    world.standIn.faults.add("generate", "lost");
    expect(await world.taxDocuments.issueDocument(one, boletaOf())).toEqual(unknown);
    const second = await world.taxDocuments.issueDocument(other, boletaOf());
    const first = await world.taxDocuments.inquireDocument(one);
    expect(first).toMatchObject({ outcome: "issued", number: String(issued()[0]?.folio) });
    expect(second).toMatchObject({ outcome: "issued", number: String(issued()[1]?.folio) });
  });

  it("finds its document by name if the database was restored to before the call", async () => {
    const issued = fromNow(later);
    const [call, document] = [later.call(), boletaOf()];
    const answer = await later.taxDocuments.issueDocument(call, document);
    later.standIn.issueForeign({ ...issued()[0]?.draft, LibreDTE: { extra: {} } } as never);
    later.clock.advance(2 * DAY_MS);
    await later.restart("restored_to_nothing");
    expect(await later.taxDocuments.inquireDocument(call)).toEqual(unknown);
    expect(later.log.join("")).toContain("libredte.document_not_recorded");
    expect(await later.taxDocuments.issueDocument(call, document)).toEqual(answer);
    expect(issued()).toHaveLength(2);
    expect(await later.taxDocuments.inquireDocument(later.call())).toEqual({ outcome: "not_found" });
  });
});

describe("the settings", () => {
  it("are refused by name, without their values", () => {
    const settings = {
      CONNECTOR_PORT: "0",
      CONNECTOR_TOKEN,
      CONNECTOR_DATABASE_URL: "memory://",
      LIBREDTE_HASH: HASH,
      LIBREDTE_ISSUER_RUT: "76.901.112-9",
    };
    expect(readLibredteSettings(settings)).toMatchObject({
      issuerRut: ISSUER_RUT,
      item: "Comisión",
      party: { baseUrl: "https://libredte.cl" },
    });
    const wrong = { ...settings, LIBREDTE_ISSUER_RUT: "76.901.112-0", LIBREDTE_URL: "http://otro.example" };
    expect(() => readLibredteSettings(wrong)).toThrow(/LIBREDTE_URL: .*\nLIBREDTE_ISSUER_RUT: /);
    expect(() => readLibredteSettings(wrong)).not.toThrow(/76.901|otro/);
  });
});

describe("the log", () => {
  it("holds no hash, RUT or name", async () => {
    world.standIn.faults.add("draft", "error");
    await world.taxDocuments.issueDocument(world.call(), boletaOf());
    const written = [...world.log, ...later.log].join("\n");
    expect(written).toContain("connector.party_unanswered");
    const basic = Buffer.from(`${HASH}:X`).toString("base64");
    for (const secret of [HASH, basic, CONNECTOR_TOKEN, "40100000", "Camila"]) expect(written).not.toContain(secret);
  });
});

describe("the connector's first migration", () => {
  it("is the kit's", async () => {
    const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
    expect(await read("libredte/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
  });
});
