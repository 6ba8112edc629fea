import express, { type Router } from "express";
import * as z from "zod";
import type { Bench } from "./bench.ts";
import type { Clinic } from "./clinic.ts";
import { readGallery } from "./gallery.ts";
import { claimOutcomeSchema, type PatientMessages, type Sandbox } from "./sandbox.ts";

export interface BenchRoutesDependencies {
  readonly clinic: Clinic;
  readonly bench: Bench;
  readonly sandbox: Sandbox;
  readonly widgetHostUrl: string;
}

const DAYS_MAX = 400;

/**
 * Like a mail program, it allows the mail's inline styles, its links and the clinic's logo, which this server has, but
 * no scripts and nothing from another host.
 */
const MAIL_POLICY =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation";

const failNextSchema = z.object({ failNext: z.int().min(0).max(6) });
/** Zero days continue a move of the clock that was answered before it was complete. */
const daysSchema = z.object({ days: z.int().min(0).max(DAYS_MAX) });
const claimSchema = z.object({ outcome: claimOutcomeSchema });
const refundSchema = z.object({ amountClp: z.int().min(1).nullable() });

/**
 * Routes for testers that a real clinic does not need: time, the insurer's decision, the patient's mail, and failing
 * webhooks. Every action needs a JSON body, which a page of another origin cannot send without a CORS preflight.
 */
export function benchRoutes({ clinic, bench, sandbox, widgetHostUrl }: BenchRoutesDependencies): Router {
  const router = express.Router();
  const json = express.json();

  router.get("/gallery", async (_request, response) => {
    response.json(await readGallery(widgetHostUrl));
  });
  router.get("/time", async (_request, response) => {
    response.json(await sandbox.readTime());
  });
  router.post("/purchases/:id/bench/days", json, async (request, response) => {
    const { days } = daysSchema.parse(request.body);
    const time = await sandbox.passDays(days);
    if (days > 0) await clinic.note(request.params.id, { kind: "days_passed", days });
    if (time.remainingSeconds === 0) await clinic.refresh(request.params.id);
    response.json(time);
  });
  router.post("/purchases/:id/bench/claim", json, async (request, response) => {
    const { outcome } = claimSchema.parse(request.body);
    const orderHash = clinic.purchase(request.params.id)?.orderHash ?? "";
    await sandbox.settleClaim(orderHash, outcome);
    await clinic.note(request.params.id, { kind: "insurer_decided", outcome });
    response.status(204).end();
  });
  router.post("/purchases/:id/bench/webhooks", json, (request, response) => {
    const { failNext } = failNextSchema.parse(request.body);
    bench.failNextWebhooks(request.params.id, failNext);
    response.status(204).end();
  });
  router.post("/purchases/:id/refund", json, async (request, response) => {
    const { amountClp } = refundSchema.parse(request.body);
    await clinic.refund(request.params.id, amountClp);
    await clinic.refresh(request.params.id);
    response.status(204).end();
  });
  router.get("/purchases/:id/notices", async (request, response) => {
    const { email = "", phone = "" } = clinic.purchase(request.params.id) ?? {};
    const [mails, messages] = await Promise.all([sandbox.readNotices(email), sandbox.readMessages(phone)]);
    const sent: PatientMessages = { mails: mails.map(({ html: _html, ...mail }) => mail), messages };
    response.json(sent);
  });
  router.get("/purchases/:id/notices/:noticeId/mail", async (request, response) => {
    const email = clinic.purchase(request.params.id)?.email ?? "";
    const notice = (await sandbox.readNotices(email)).find(({ id }) => id === request.params.noticeId);
    if (notice === undefined) {
      response.status(404).json({ detail: "No hay un aviso así para este paciente." });
      return;
    }
    response.set("content-security-policy", MAIL_POLICY).type("html").send(notice.html);
  });
  return router;
}
