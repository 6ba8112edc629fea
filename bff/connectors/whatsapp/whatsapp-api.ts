import * as z from "zod";
import type { PartyAnswer, PartyClient, PartyRequest } from "../kit/party-client.ts";
import type { MetaTemplate } from "./templates.ts";

/* The calls of Meta's WhatsApp Cloud API. Every answer is validated; fields that are not used are ignored. */

/** Meta answered, and took nothing. Its documentation lists the codes. */
export interface Refused {
  readonly is: "refused";
  readonly code: number;
}

/** Thrown when an answer says nothing about the request: its outcome is unknown. */
export class WhatsappAnswerUnusable extends Error {
  override readonly name = "WhatsappAnswerUnusable";
  readonly code: string;

  constructor(code: string) {
    super("Meta's answer cannot be used.");
    this.code = code;
  }
}

export interface TemplateMessage {
  /** Our name of it. Meta returns it with each status. */
  readonly id: string;
  /** E.164 without the plus. */
  readonly to: string;
  readonly template: string;
  readonly language: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

export interface KnownTemplate {
  readonly name: string;
  readonly language: string;
  readonly status: string;
}

export interface WhatsappApi {
  send(message: TemplateMessage): Promise<{ readonly is: "accepted"; readonly wamid: string } | Refused>;
  listTemplates(): Promise<readonly KnownTemplate[]>;
  createTemplate(template: MetaTemplate): Promise<{ readonly is: "created"; readonly status: string } | Refused>;
}

const errorSchema = z.object({ error: z.object({ code: z.int() }) });
const sentSchema = z.object({ messages: z.tuple([z.object({ id: z.string().min(1).max(300) })]) });
const templatesSchema = z.object({
  data: z.array(z.object({ name: z.string(), language: z.string(), status: z.string() })),
  paging: z.object({ cursors: z.object({ after: z.string() }).optional(), next: z.string().optional() }).optional(),
});
const createdSchema = z.object({ status: z.string() });

const PAGES_MAX = 100;

export function createWhatsappApi({
  client,
  phoneNumberId,
  accountId,
}: {
  readonly client: PartyClient;
  readonly phoneNumberId: string;
  readonly accountId: string;
}): WhatsappApi {
  async function ask<Answer>(request: PartyRequest, schema: z.ZodType<Answer>): Promise<Answer | Refused> {
    const reply = await client.send(request);
    if (reply.status >= 400) return refusalOf(reply);
    const read = schema.safeParse(reply.body);
    if (!read.success) throw new WhatsappAnswerUnusable("another_shape");
    return read.data;
  }

  return {
    async send({ id, to, template, language, parameters }) {
      const body = {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to,
        type: "template",
        template: {
          name: template,
          language: { code: language },
          components: [
            {
              type: "body",
              parameters: parameters.map(({ name, value }) => ({ type: "text", parameter_name: name, text: value })),
            },
          ],
        },
        biz_opaque_callback_data: id,
      };
      const answer = await ask({ method: "POST", path: `/${phoneNumberId}/messages`, body }, sentSchema);
      return "is" in answer ? answer : { is: "accepted", wamid: answer.messages[0].id };
    },
    async listTemplates() {
      const found: KnownTemplate[] = [];
      let after: string | undefined;
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const query = new URLSearchParams({ fields: "name,language,status", limit: "100", ...(after && { after }) });
        const path = `/${accountId}/message_templates?${query.toString()}`;
        const answer = await ask({ method: "GET", path }, templatesSchema);
        if ("is" in answer) throw new WhatsappAnswerUnusable(`meta_${answer.code}`);
        found.push(...answer.data);
        after = answer.paging?.cursors?.after;
        if (answer.paging?.next === undefined || after === undefined) return found;
      }
      throw new WhatsappAnswerUnusable("list_without_end");
    },
    async createTemplate(template) {
      const path = `/${accountId}/message_templates`;
      const answer = await ask({ method: "POST", path, body: template }, createdSchema);
      return "is" in answer ? answer : { is: "created", status: answer.status };
    },
  };
}

/** A proxy's error without Meta's code says nothing about the request. */
function refusalOf({ status, body }: PartyAnswer): Refused {
  const error = errorSchema.safeParse(body).data?.error;
  if (error === undefined) throw new WhatsappAnswerUnusable(`status_${status}`);
  return { is: "refused", code: error.code };
}
