import express from "express";
import * as z from "zod";
import { readRut } from "../../../src/contract/vocabulary/rut.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import { createFaults, type Faults } from "../../kit/stand-in/faults.ts";

/*
 * Plays LibreDTE's API on this machine, and the SII behind it: drafts, issued documents and verdicts, as the server of
 * the community edition answers. It trusts no total, and separates VAT itself.
 */

export interface StandInConfig {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hash: string;
  /** The issuer's RUT, without its check digit. */
  readonly issuer: number;
  /** How long the SII takes for its verdict. */
  readonly verdictMs: number;
  /** Where its pages are, without a slash at the end. */
  readonly baseUrl: string;
}

/** Trouble that an operator of LibreDTE meets, and the status of its error. */
export type Trouble = "no_signature" | "no_numbers" | "invalid" | "folio_exists";
const TROUBLES: Readonly<Record<Trouble, number>> = {
  no_signature: 506,
  no_numbers: 508,
  invalid: 510,
  folio_exists: 409,
};

const itemSchema = z.strictObject({
  IndExe: z.literal(1).optional(),
  NmbItem: z.string().min(1).max(80),
  QtyItem: z.literal(1),
  PrcItem: z.int().positive(),
});
const draftSchema = z.strictObject({
  Encabezado: z.strictObject({
    IdDoc: z.strictObject({
      TipoDTE: z.union([z.literal(39), z.literal(41), z.literal(61)]),
      FchEmis: z.iso.date(),
      MntBruto: z.literal(1).optional(),
    }),
    Emisor: z.strictObject({ RUTEmisor: z.string() }),
    Receptor: z.strictObject({
      RUTRecep: z.string(),
      RznSocRecep: z.string().min(1).max(100),
      GiroRecep: z.string().max(40).optional(),
    }),
  }),
  Detalle: z.tuple([itemSchema]),
  Referencia: z
    .tuple([
      z.strictObject({
        TpoDocRef: z.union([z.literal(39), z.literal(41)]),
        FolioRef: z.int(),
        FchRef: z.iso.date(),
        CodRef: z.union([z.literal(1), z.literal(3)]),
        RazonRef: z.string().max(90),
      }),
    ])
    .optional(),
  LibreDTE: z.strictObject({ extra: z.record(z.string(), z.string()) }),
});
type Draft = z.output<typeof draftSchema>;

export interface Made {
  readonly dte: number;
  readonly folio: number;
  readonly at: number;
  readonly receiver: number;
  readonly neto: number;
  readonly iva: number;
  readonly exento: number;
  readonly total: number;
  readonly draft: Draft;
}

export interface StandIn {
  readonly app: express.Express;
  readonly faults: Faults;
  /** The issued documents, oldest first. */
  readonly issued: readonly Made[];
  readonly drafts: ReadonlyMap<string, Draft>;
  /** The next generation meets this trouble. */
  trouble(kind: Trouble): void;
  /** The SII rejects a document. */
  reject(dte: number, folio: number): void;
  deleteDraft(code: string): void;
  /** Documents of another program, which has the same issuer. */
  issueForeign(draft: Draft): void;
}

interface World extends StandInConfig {
  readonly issued: Made[];
  readonly drafts: Map<string, Draft>;
  readonly rejected: Set<string>;
  readonly troubles: Trouble[];
  readonly folios: Map<number, number>;
}

/** Thrown for what LibreDTE refuses. Its answers to errors are texts. */
class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;

  constructor(status: number) {
    super("Rechazado por la prueba.");
    this.status = status;
  }
}

const refuse = (status: number): never => {
  throw new ApiRefusal(status);
};

const bodyOf = (rut: string) => Number((readRut(rut) ?? refuse(400)).split("-")[0]);

export function createStandIn(config: StandInConfig): StandIn {
  const world: World = {
    ...config,
    issued: [],
    drafts: new Map(),
    rejected: new Set(),
    troubles: [],
    folios: new Map(),
  };
  const app = express();
  app.disable("x-powered-by");
  const faults = createFaults();
  app.use(express.json());
  const route = (name: string, act: (request: express.Request) => unknown) =>
    faults.wrap(name, (request) => {
      if (request.get("authorization") !== `Basic ${Buffer.from(`${config.hash}:X`).toString("base64")}`)
        return { status: 401, body: "No autorizado." };
      try {
        return { status: 200, body: act(request) };
      } catch (error) {
        if (!(error instanceof ApiRefusal)) throw error;
        return { status: error.status, body: error.message };
      }
    });
  const ofIssuer = (request: express.Request) =>
    Number(request.params.issuer) === config.issuer ? request : refuse(404);
  app.post(
    "/api/dte/documentos/emitir",
    route("draft", ({ body }) => draft(world, body)),
  );
  app.post(
    "/api/dte/documentos/generar",
    route("generate", ({ body }) => generate(world, body)),
  );
  app.post(
    "/api/dte/dte_tmps/buscar/:issuer",
    route("find_draft", (request) => {
      const { codigo } = ofIssuer(request).body as { codigo: string };
      const found = world.drafts.get(codigo);
      return found === undefined ? [] : [{ codigo, total: String(amountsOf(found).total) }];
    }),
  );
  app.post(
    "/api/dte/dte_emitidos/buscar/:issuer",
    route("find", (request) => find(world, ofIssuer(request).body)),
  );
  app.get(
    "/api/dte/dte_emitidos/info/:dte/:folio/:issuer",
    route("info", (request) => shown(world, findMade(world, ofIssuer(request)))),
  );
  app.get(
    "/api/dte/dte_emitidos/actualizar_estado/:dte/:folio/:issuer",
    route("state", (request) => ({
      track_id: 1,
      revision_estado: stateOf(world, findMade(world, ofIssuer(request))),
      revision_detalle: null,
    })),
  );
  app.get("/dte/dte_emitidos/pdf/:dte/:folio/:copy/:issuer/:day/:total", (request, response) => {
    const { dte, folio, day, total } = request.params;
    const made = world.issued.find((each) => each.dte === Number(dte) && each.folio === Number(folio));
    const isSame = made?.draft.Encabezado.IdDoc.FchEmis === day && made.total === Number(total);
    if (!isSame) return void response.status(404).end();
    response.type("pdf").send(Buffer.from("%PDF-1.4\n%%EOF\n"));
  });
  return {
    ...{ app, faults, issued: world.issued, drafts: world.drafts },
    trouble: (kind) => void world.troubles.push(kind),
    reject: (dte, folio) => void world.rejected.add(`${dte}-${folio}`),
    deleteDraft: (code) => void world.drafts.delete(code),
    issueForeign: (given) => void issue(world, draftSchema.parse(given)),
  };
}

/** Both boletas and notas de crédito of this connector have amounts with VAT. */
function amountsOf({ Detalle: [{ IndExe, PrcItem: total }] }: Draft) {
  if (IndExe === 1) return { neto: 0, iva: 0, exento: total, total };
  const neto = Math.round(total / 1.19);
  return { neto, iva: total - neto, exento: 0, total };
}

function draft(world: World, body: unknown) {
  const parsed = draftSchema.safeParse(body);
  if (!parsed.success) return refuse(400);
  const { Encabezado, Detalle, Referencia } = parsed.data;
  const { TipoDTE: dte, MntBruto } = Encabezado.IdDoc;
  if (bodyOf(Encabezado.Emisor.RUTEmisor) !== world.issuer) return refuse(404);
  const isExempt = Detalle[0].IndExe === 1;
  if ((dte === 39 && isExempt) || (dte === 41 && !isExempt)) return refuse(400);
  if (dte === 61 && (Referencia === undefined || (MntBruto === 1) === isExempt)) return refuse(400);
  for (const { TpoDocRef, FolioRef, FchRef, CodRef } of Referencia ?? []) {
    const referred = world.issued.find((each) => each.dte === TpoDocRef && each.folio === FolioRef) ?? refuse(400);
    if (stateOf(world, referred)?.startsWith("EPR") !== true) return refuse(400);
    const isWhole = referred.total === Detalle[0].PrcItem;
    if (referred.draft.Encabezado.IdDoc.FchEmis !== FchRef || (CodRef === 1) !== isWhole) return refuse(400);
  }
  const code = world.ids.uuid().replaceAll("-", "");
  world.drafts.set(code, parsed.data);
  const receptor = bodyOf(Encabezado.Receptor.RUTRecep);
  return { emisor: String(world.issuer), receptor, dte, codigo: code };
}

const generateSchema = z.object({ emisor: z.int(), receptor: z.int(), dte: z.int(), codigo: z.string() });

function generate(world: World, body: unknown) {
  const { emisor, receptor, dte, codigo } = generateSchema.safeParse(body).data ?? refuse(404);
  const found = world.drafts.get(codigo);
  const isSame =
    emisor === world.issuer &&
    found?.Encabezado.IdDoc.TipoDTE === dte &&
    bodyOf(found.Encabezado.Receptor.RUTRecep) === receptor;
  if (found === undefined || !isSame) return refuse(404);
  const trouble = world.troubles.shift();
  if (trouble === "invalid") nextFolio(world, dte);
  if (trouble !== undefined) return refuse(TROUBLES[trouble]);
  const made = issue(world, found);
  world.drafts.delete(codigo);
  return shown(world, made);
}

function nextFolio({ folios }: World, dte: number): number {
  const folio = (folios.get(dte) ?? 0) + 1;
  folios.set(dte, folio);
  return folio;
}

function issue(world: World, given: Draft): Made {
  const { TipoDTE: dte } = given.Encabezado.IdDoc;
  const receiver = bodyOf(given.Encabezado.Receptor.RUTRecep);
  const at = world.clock.now().getTime();
  const made = { dte, folio: nextFolio(world, dte), at, receiver, ...amountsOf(given), draft: given };
  world.issued.push(made);
  return made;
}

function stateOf({ clock, rejected, verdictMs }: World, { dte, folio, at }: Made): string | null {
  if (clock.now().getTime() - at < verdictMs) return "REC - Envío recibido";
  return rejected.has(`${dte}-${folio}`) ? "RCH - DTE Rechazado" : "EPR - Envío procesado";
}

function findMade({ issued }: World, { params }: express.Request): Made {
  return issued.find(({ dte, folio }) => dte === Number(params.dte) && folio === Number(params.folio)) ?? refuse(404);
}

function shown(world: World, made: Made) {
  const { dte, folio, receiver, total, neto, iva, exento, draft: given } = made;
  const day = given.Encabezado.IdDoc.FchEmis;
  return {
    emisor: world.issuer,
    ...{ dte, folio, receptor: receiver, fecha: day, total, neto, iva, exento, xml: false, anulado: 0 },
    track_id: 1,
    revision_estado: stateOf(world, made),
    extra: given.LibreDTE.extra,
    links: { pdf: `${world.baseUrl}/dte/dte_emitidos/pdf/${dte}/${folio}/1/${world.issuer}/${day}/${total}` },
  };
}

const querySchema = z.strictObject({
  dte: z.int().optional(),
  receptor: z.int().optional(),
  fecha: z.string().optional(),
  total: z.int().optional(),
  fecha_desde: z.string().optional(),
  limit: z.int(),
});

function find({ issued }: World, body: unknown) {
  const query = querySchema.safeParse(body).data ?? refuse(400);
  const found = issued.filter(
    ({ dte, receiver, total, draft: given }) =>
      (query.dte === undefined || query.dte === dte) &&
      (query.receptor === undefined || query.receptor === receiver) &&
      (query.fecha === undefined || query.fecha === given.Encabezado.IdDoc.FchEmis) &&
      (query.total === undefined || query.total === total) &&
      (query.fecha_desde === undefined || query.fecha_desde <= given.Encabezado.IdDoc.FchEmis),
  );
  if (found.length === 0) return refuse(404);
  return found
    .toReversed()
    .slice(0, query.limit)
    .map(({ dte, folio, total }) => ({ dte: String(dte), folio: String(folio), total: String(total) }));
}
