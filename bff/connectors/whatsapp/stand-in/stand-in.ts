import { createHmac } from "node:crypto";
import express from "express";
import * as z from "zod";
import type { Ids } from "../../../src/platform/ids.ts";
import { createFaults, type Faults } from "../../kit/stand-in/faults.ts";

/*
 * Plays Meta's WhatsApp Cloud API on this machine: templates, messages, and notifications with Meta's signature. Where
 * the documentation is silent, it takes the worse side: a repeated message arrives twice.
 */

export interface StandInConfig {
  readonly ids: Ids;
  readonly accessToken: string;
  readonly phoneNumberId: string;
  readonly accountId: string;
  readonly appSecret: string;
}

const messageSchema = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual"),
  to: z.string().regex(/^\d{8,15}$/),
  type: z.literal("template"),
  template: z.strictObject({
    name: z.string(),
    language: z.strictObject({ code: z.string() }),
    components: z.tuple([
      z.strictObject({
        type: z.literal("body"),
        parameters: z.array(
          z.strictObject({
            type: z.literal("text"),
            parameter_name: z.string().regex(/^[a-z_]+$/),
            text: z
              .string()
              .min(1)
              .regex(/^(?!.*(?:[\n\t]| {5}))/s),
          }),
        ),
      }),
    ]),
  }),
  biz_opaque_callback_data: z.string().max(512),
});

const templateSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.enum(["es", "en"]),
  category: z.literal("UTILITY"),
  parameter_format: z.literal("NAMED"),
  components: z.tuple([
    z.strictObject({
      type: z.literal("BODY"),
      // Neither begins nor ends with a value.
      text: z
        .string()
        .max(1_024)
        .regex(/^(?!\{\{)[\s\S]*[^}]$/),
      example: z.strictObject({
        body_text_named_params: z.array(z.strictObject({ param_name: z.string(), example: z.string().min(1) })),
      }),
    }),
  ]),
});
type Template = z.output<typeof templateSchema>;

/** A message on a telephone. */
export interface Arrived {
  readonly to: string;
  readonly text: string;
  readonly name: string;
  readonly wamid: string;
}

export interface StandIn {
  readonly app: express.Express;
  readonly faults: Faults;
  readonly arrived: readonly Arrived[];
  readonly templates: readonly Template[];
  /** The next messages to a number are refused at once with a code. */
  refuse(to: string, code: number): void;
  /** Approves every submitted template. */
  approve(): void;
  /** A signed notification about a message, as its body and headers. */
  notify(
    message: Pick<Arrived, "name" | "wamid" | "to">,
    status: "sent" | "delivered" | "read" | "failed",
    code?: number,
  ): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

const refusal = (code: number, status = 400) => ({
  status,
  body: {
    error: { message: `(#${code}) Refused by the stand-in`, type: "OAuthException", code, fbtrace_id: "stand-in" },
  },
});

export function createStandIn(config: StandInConfig): StandIn {
  const { ids, accessToken, phoneNumberId, accountId, appSecret } = config;
  const app = express();
  app.disable("x-powered-by");
  const faults = createFaults();
  const arrived: Arrived[] = [];
  const templates: (Template & { status: string })[] = [];
  const refused = new Map<string, number>();
  app.use(express.json());
  app.use((request, response, next) => {
    if (request.get("authorization") === `Bearer ${accessToken}`) return next();
    const { status, body } = refusal(190, 401);
    response.status(status).json(body);
  });
  const send = (body: unknown) => {
    const message = messageSchema.safeParse(body).data;
    if (message === undefined) return refusal(100);
    const { name, language, components } = message.template;
    const { parameters } = components[0];
    const template = templates.find((each) => each.name === name && each.language === language.code);
    if (template?.status !== "APPROVED") return refusal(132001, 404);
    const values = new Map(parameters.map(({ parameter_name, text }) => [parameter_name, text]));
    const wanted = [...template.components[0].text.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, value = ""]) => value);
    if (values.size !== wanted.length || wanted.some((value) => !values.has(value))) return refusal(132000);
    const code = refused.get(message.to);
    if (code !== undefined) return refusal(code, code === 131000 ? 500 : 400);
    const wamid = `wamid.${ids.uuid().replaceAll("-", "")}`;
    const text = template.components[0].text.replaceAll(
      /\{\{([a-z_]+)\}\}/g,
      (_, value: string) => values.get(value) ?? "",
    );
    arrived.push({ to: message.to, text, name: message.biz_opaque_callback_data, wamid });
    const contacts = [{ input: message.to, wa_id: message.to }];
    return { status: 200, body: { messaging_product: "whatsapp", contacts, messages: [{ id: wamid }] } };
  };
  app.post(
    `/v23.0/${phoneNumberId}/messages`,
    faults.wrap("send", (request) => send(request.body)),
  );
  app.post(
    `/v23.0/${accountId}/message_templates`,
    faults.wrap("template", (request) => {
      const template = templateSchema.safeParse(request.body).data;
      if (template === undefined) return refusal(100);
      templates.push({ ...template, status: "PENDING" });
      return { status: 200, body: { id: ids.digits(15), status: "PENDING", category: "UTILITY" } };
    }),
  );
  app.get(
    `/v23.0/${accountId}/message_templates`,
    faults.wrap("templates", ({ query }) => {
      const start = Number(query.after ?? 0);
      const data = templates.slice(start, start + 10).map(({ name, language, status }) => ({ name, language, status }));
      const after = String(start + data.length);
      const next = start + data.length < templates.length ? { next: "https://graph.facebook.com/next" } : {};
      return { status: 200, body: { data, paging: { cursors: { before: "0", after }, ...next } } };
    }),
  );
  return {
    ...{ app, faults, arrived, templates },
    refuse: (to, code) => void refused.set(to, code),
    approve() {
      for (const template of templates) template.status = "APPROVED";
    },
    notify({ name, wamid, to }, status, code) {
      const errors = code === undefined ? {} : { errors: [{ code, title: "Refused by the stand-in" }] };
      const about = { id: wamid, status, timestamp: "1790000000", recipient_id: to, biz_opaque_callback_data: name };
      const value = { messaging_product: "whatsapp", metadata: { phone_number_id: phoneNumberId } };
      const changes = [{ field: "messages", value: { ...value, statuses: [{ ...about, ...errors }] } }];
      const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: accountId, changes }] });
      const signature = createHmac("sha256", appSecret).update(body).digest("hex");
      return { body, headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` } };
    },
  };
}
