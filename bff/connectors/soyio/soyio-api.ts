import * as z from "zod";
import type { PartyAnswer, PartyClient, PartyRequest } from "../kit/party-client.ts";

/*
 * The calls of Soyio's API for checks with the civil registry ("government check requests"). Every answer is validated;
 * fields that are not used are ignored, above all those about the person.
 */

/** Thrown when an answer says nothing about the document. */
export class SoyioAnswerUnusable extends Error {
  override readonly name = "SoyioAnswerUnusable";
  readonly code: string;

  constructor(code: string) {
    super("Soyio's answer cannot be used.");
    this.code = code;
  }
}

const checkSchema = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  status: z.enum(["pending", "validating", "successful", "failed"]),
  /** Our name of the person and document. */
  user_reference: z.string().max(200).nullish(),
  /** `auth-074`: the number is not the person's. `auth-075`: the registry is down. `auth-076`: not valid. */
  validation_errors: z.array(z.object({ code: z.string().max(100) })).nullish(),
});
const answerSchema = z.object({ government_check_request: checkSchema });
export type SoyioCheck = z.output<typeof checkSchema>;

export interface SoyioApi {
  /** `reference`: our name of the person and document, which must not reveal them. */
  create(document: { readonly rut: string; readonly serial: string; readonly reference: string }): Promise<SoyioCheck>;
  /** Null if Soyio does not know the check. */
  read(check: { readonly id: string; readonly reference: string }): Promise<SoyioCheck | null>;
}

const PATH = "/api/v1/government_check_requests";

export function createSoyioApi({
  client,
  onCredentialsRefused,
}: {
  readonly client: PartyClient;
  /** Called for 401 and 403, which an operator must see: no check can succeed. */
  readonly onCredentialsRefused: () => void;
}): SoyioApi {
  async function ask(request: PartyRequest): Promise<PartyAnswer> {
    const reply = await client.send(request);
    if (reply.status !== 401 && reply.status !== 403) return reply;
    onCredentialsRefused();
    throw new SoyioAnswerUnusable("credentials_refused");
  }

  /** Refuses an answer about another check, which may be another person's. */
  function readCheck(
    { status, body }: PartyAnswer,
    { id, reference }: { readonly id?: string; readonly reference: string },
  ): SoyioCheck {
    if (status >= 400) throw new SoyioAnswerUnusable(`status_${status}`);
    const read = answerSchema.safeParse(body);
    if (!read.success) throw new SoyioAnswerUnusable("another_shape");
    const check = read.data.government_check_request;
    const isSame = check.id === (id ?? check.id) && (check.user_reference ?? reference) === reference;
    if (!isSame) throw new SoyioAnswerUnusable("another_check");
    return check;
  }

  return {
    async create({ rut, serial, reference }) {
      const body = { government_check_request: { nin: rut, document_number: serial, user_reference: reference } };
      return readCheck(await ask({ method: "POST", path: PATH, body }), { reference });
    },
    async read(check) {
      const reply = await ask({ method: "GET", path: `${PATH}/${encodeURIComponent(check.id)}` });
      return reply.status === 404 ? null : readCheck(reply, check);
    },
  };
}
