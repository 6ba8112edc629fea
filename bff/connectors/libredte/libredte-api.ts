import * as z from "zod";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { PartyAnswer, PartyClient, PartyRequest } from "../kit/party-client.ts";

/*
 * The calls of LibreDTE's API, as the server of its community edition answers them. A draft (`dte temporal`) has no
 * number; generating it takes the next one, and deletes the draft. Every answer is validated; fields that are not used
 * are ignored. No path has a receiver's RUT.
 */

/** LibreDTE answered with an error. Its text may name the receiver, and is not kept. */
export interface Refused {
  readonly is: "refused";
  readonly status: number;
}
export type Reply<Answer> = { readonly is: "answer"; readonly answer: Answer } | Refused;

/** Thrown when an answer says nothing about the request: its outcome is unknown. */
export class LibredteAnswerUnusable extends Error {
  override readonly name = "LibredteAnswerUnusable";
  readonly code: string;

  constructor(code: string) {
    super("LibreDTE's answer cannot be used.");
    this.code = code;
  }
}

/** Errors of LibreDTE's own, although they are 5xx: no electronic signature, no numbers left, an invalid document. */
export const NO_SIGNATURE = 506;
export const NO_NUMBERS = 508;
const OWN_ERRORS: readonly number[] = [NO_SIGNATURE, NO_NUMBERS, 510];
/** The request timed out or was held back: it may still have an effect. */
const PROVES_NOTHING: readonly number[] = [408, 425, 429];

/** LibreDTE writes integers as numbers or as text. */
const whole = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
]);
const folioSchema = whole.refine((folio) => folio > 0);
const draftSchema = z.object({ codigo: z.string().regex(/^[0-9a-f]{32}$/) });

const documentSchema = z.object({
  dte: whole,
  folio: folioSchema,
  /** The day of the document. */
  fecha: z.string().regex(/^\d{4}-\d\d-\d\d/),
  total: whole,
  revision_estado: z.string().nullish(),
  /** What the draft had in `LibreDTE.extra`, also as JSON. */
  extra: z.preprocess(parseExtra, z.object({ aapd: z.string().optional() }).nullish().catch(null)),
  links: z.object({ pdf: z.string() }).nullish(),
});
export type Issued = z.output<typeof documentSchema>;

const foundSchema = z.array(z.object({ dte: whole, folio: folioSchema }));
const foundDraftsSchema = z.array(z.object({ codigo: z.string(), total: whole }));
const stateSchema = z.object({ revision_estado: z.string().nullish() });

export interface DocumentQuery {
  readonly dte?: number;
  readonly receiver?: Rut;
  readonly day?: string;
  readonly total?: number;
  readonly sinceDay?: string;
}

export interface LibredteApi {
  draft(document: unknown): Promise<Reply<{ readonly codigo: string }>>;
  /** Issues a draft under the next number. */
  generate(draft: { readonly dte: number; readonly receiver: Rut; readonly code: string }): Promise<Reply<Issued>>;
  /** The total of a draft; null if there is none, because it was issued or deleted. */
  findDraft(code: string): Promise<{ readonly total: number } | null>;
  /** Issued documents, newest first. */
  find(query: DocumentQuery): Promise<readonly { readonly dte: number; readonly folio: number }[]>;
  /** Null if there is no such document. */
  read(dte: number, folio: number): Promise<Issued | null>;
  /** Has LibreDTE ask the SII for its verdict. Null if that is not possible now. */
  updateState(dte: number, folio: number): Promise<string | null>;
}

const FOUND_MAX = 200;

export function createLibredteApi({
  client,
  issuerRut,
  onCredentialsRefused,
}: {
  readonly client: PartyClient;
  readonly issuerRut: Rut;
  /** Called for 401, which an operator must see: no call can succeed. */
  readonly onCredentialsRefused: () => void;
}): LibredteApi {
  const issuer = rutBodyOf(issuerRut);

  async function ask<Answer>(request: PartyRequest, schema: z.ZodType<Answer>): Promise<Reply<Answer>> {
    const reply = await client.send(request);
    if (reply.status === 401) {
      onCredentialsRefused();
      throw new LibredteAnswerUnusable("credentials_refused");
    }
    if (isUnknown(reply)) throw new LibredteAnswerUnusable(`status_${reply.status}`);
    if (reply.status >= 400) return { is: "refused", status: reply.status };
    const read = schema.safeParse(reply.body);
    if (!read.success) throw new LibredteAnswerUnusable("another_shape");
    return { is: "answer", answer: read.data };
  }

  /** The answer of a read; null for 404. */
  async function read<Answer>(request: PartyRequest, schema: z.ZodType<Answer>): Promise<Answer | null> {
    const reply = await ask(request, schema);
    if (reply.is === "answer") return reply.answer;
    if (reply.status === 404) return null;
    throw new LibredteAnswerUnusable(`read_${reply.status}`);
  }

  return {
    draft: (document) =>
      ask(
        {
          method: "POST",
          path: "/api/dte/documentos/emitir?normalizar=1&formato=json&links=0&email=0",
          body: document,
        },
        draftSchema,
      ),
    generate({ dte, receiver, code }) {
      const body = { emisor: issuer, receptor: rutBodyOf(receiver), dte, codigo: code };
      const path = "/api/dte/documentos/generar?getXML=0&links=1&email=0";
      return ask({ method: "POST", path, body }, documentSchema);
    },
    async findDraft(code) {
      const path = `/api/dte/dte_tmps/buscar/${issuer}`;
      const found = await read({ method: "POST", path, body: { codigo: code } }, foundDraftsSchema);
      return found?.find(({ codigo }) => codigo === code) ?? null;
    },
    async find({ dte, receiver, day, total, sinceDay }) {
      const body = {
        ...(dte !== undefined && { dte }),
        ...(receiver !== undefined && { receptor: rutBodyOf(receiver) }),
        ...(day !== undefined && { fecha: day }),
        ...(total !== undefined && { total }),
        ...(sinceDay !== undefined && { fecha_desde: sinceDay }),
        limit: FOUND_MAX,
      };
      const path = `/api/dte/dte_emitidos/buscar/${issuer}`;
      return (await read({ method: "POST", path, body }, foundSchema)) ?? [];
    },
    read: (dte, folio) =>
      read({ method: "GET", path: `/api/dte/dte_emitidos/info/${dte}/${folio}/${issuer}?getLinks=1` }, documentSchema),
    async updateState(dte, folio) {
      const path = `/api/dte/dte_emitidos/actualizar_estado/${dte}/${folio}/${issuer}?usarWebservice=1`;
      const reply = await ask({ method: "GET", path }, stateSchema);
      return reply.is === "answer" ? (reply.answer.revision_estado ?? null) : null;
    },
  };
}

/** A proxy's errors have the same statuses as LibreDTE's own, but no JSON. */
function isUnknown({ status, body }: PartyAnswer): boolean {
  if (status < 400) return false;
  return body === undefined || PROVES_NOTHING.includes(status) || (status >= 500 && !OWN_ERRORS.includes(status));
}

function rutBodyOf(rut: Rut): number {
  return Number(rut.split("-")[0]);
}

function parseExtra(extra: unknown): unknown {
  if (typeof extra !== "string") return extra;
  try {
    return JSON.parse(extra);
  } catch {
    return null;
  }
}

/** Our name of a document; null if another program made it. */
export function nameOf({ extra }: Issued): string | null {
  return extra?.aapd ?? null;
}
