/**
 * This folder is the backend of an invented clinic, a partner of the service: its sales, its webhook receiver and its
 * server.
 */

import { ORDER_TOTAL_CLP_MAX } from "bff/contract/vocabulary/clp";
import { AapdError, AapdUnreachable } from "bff/partner-client/errors";
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import helmet from "helmet";
import * as z from "zod";
import { PEOPLE } from "../scenarios/people.ts";
import { findService, SERVICES } from "../scenarios/services.ts";
import type { Bench } from "./bench.ts";
import { benchRoutes } from "./bench-routes.ts";
import type { Clinic } from "./clinic.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import type { Examination } from "./examination.ts";
import type { Log } from "./log.ts";
import { pageSecurity, REPORTING_ENDPOINTS } from "./page-security.ts";
import type { Purchase } from "./purchase.ts";
import { CLINIC } from "./receipts.ts";
import { type Sandbox, SandboxFailed } from "./sandbox.ts";
import { ManagementFailed, type WebhookManagement } from "./webhook-management.ts";
import { isSignedByService } from "./webhook-signature.ts";

export interface ClinicAppDependencies {
  readonly clinic: Clinic;
  readonly bench: Bench;
  readonly examination: Examination;
  readonly sandbox: Sandbox;
  readonly webhooks: WebhookManagement;
  readonly pageDir: string;
  readonly widgetHostUrl: string;
  readonly mailsGalleryUrl: string | null;
  readonly spotApiUrl: string;
  readonly publicKey: string;
  readonly webhookSecret: string;
  readonly signatureHeader: string;
  readonly log: Log;
}

const WEBHOOK_BYTES_MAX = 256 * 1024;
const REPORT_BYTES_MAX = 16 * 1024;
const REPORTS_KEPT = 100;
const REFRESH_MS = 1_500;

const patientSchema = z.object({
  rut: z.string().min(3).max(20),
  firstName: z.string().trim().min(1).max(255),
  lastName: z.string().trim().min(1).max(255),
  email: z.email({ pattern: z.regexes.unicodeEmail }).max(254),
  phone: z.string().trim().min(1).max(40),
});

const wishSchema = z.object({
  ...patientSchema.shape,
  serviceId: z.string().refine((id) => findService(id) !== null, "is not one of our services"),
});

const deskWishSchema = z.object({ ...patientSchema.shape, amountClp: z.int().min(1).max(ORDER_TOTAL_CLP_MAX) });

const webhookSchema = z.object({
  event_id: z.uuid(),
  event: z.string(),
  sequence: z.int(),
  reference: z.string(),
  status: z.string(),
});

/** A test event of the receiver, which concerns no order. */
const testEventSchema = z.object({ event: z.literal("endpoint.test") });

/** A violation as the page may show it: the violated directive, and the blocked source. */
export interface CspViolation {
  readonly directive: string;
  readonly blocked: string;
}

function violationsIn(report: unknown): CspViolation[] {
  const legacySchema = z.object({
    "csp-report": z.object({ "effective-directive": z.string(), "blocked-uri": z.string().default("") }),
  });
  const modernSchema = z.array(
    z.object({
      type: z.literal("csp-violation"),
      body: z.object({ effectiveDirective: z.string(), blockedURL: z.string().default("") }),
    }),
  );
  const legacy = legacySchema.safeParse(report);
  if (legacy.success) {
    const { "effective-directive": directive, "blocked-uri": blocked } = legacy.data["csp-report"];
    return [{ directive, blocked }];
  }
  const modern = modernSchema.safeParse(report);
  return modern.success
    ? modern.data.map(({ body }) => ({ directive: body.effectiveDirective, blocked: body.blockedURL }))
    : [];
}

/**
 * Streams a purchase to the page whenever it changes (server-sent events), and reconciles it while a page is connected.
 */
function streamPurchase(clinic: Clinic, log: Log, purchase: Purchase, request: Request, response: Response): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    connection: "keep-alive",
  });
  const send = (now: Purchase) => response.write(`data: ${JSON.stringify(now)}\n\n`);
  send(purchase);
  const stopWatching = clinic.watch(purchase.id, send);
  const timer = setInterval(() => {
    clinic.refresh(purchase.id).catch((error: unknown) => log("refresh_failed", { error }));
  }, REFRESH_MS);
  request.on("close", () => {
    clearInterval(timer);
    stopWatching();
  });
}

function webhookRoute({ bench, clinic, webhookSecret, signatureHeader, log }: ClinicAppDependencies) {
  return async (request: Request, response: Response): Promise<void> => {
    const body: unknown = request.body;
    if (!Buffer.isBuffer(body) || !isSignedByService(body, request.get(signatureHeader), webhookSecret)) {
      log("webhook_refused", {});
      response.status(401).json({ detail: "the signature does not match" });
      return;
    }
    const event: unknown = JSON.parse(body.toString("utf8"));
    if (testEventSchema.safeParse(event).success) {
      response.status(204).end();
      return;
    }
    const { event_id: eventId, ...facts } = webhookSchema.parse(event);
    if (await bench.failsNow(facts.reference)) {
      response.status(503).json({ detail: "this receiver was told to fail" });
      return;
    }
    // Recorded before it is acknowledged. The following work is done afterwards, and again at start if this process
    // dies.
    await clinic.takeWebhook({ eventId, ...facts });
    response.status(204).end();
    await clinic.submitDueReceipts();
  };
}

/** Thrown when the service has mailed this checkout as often as an hour allows. */
class TooManyMails extends Error {
  override readonly name = "TooManyMails";
}

const NOTHING_HERE = "No hay nada en esta dirección.";

/** The status that Express gives to a caller's mistake: a missing file, a body that is too large. */
function refusedStatus(error: unknown): number | null {
  if (!(error instanceof Error && "status" in error)) return null;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 500 ? status : null;
}

function sendError(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (response.headersSent) {
      // If the whole answer was sent and a later step failed, the connection stays. If a stream broke, it ends.
      log("failed", { error });
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      response.status(422).json({ detail: "Revisa los datos ingresados." });
      return;
    }
    if (error instanceof TooManyMails) {
      response.status(429).json({ detail: "Ya enviamos este pago varias veces. Espera una hora o muestra el código." });
      return;
    }
    const isService =
      error instanceof AapdError ||
      error instanceof AapdUnreachable ||
      error instanceof SandboxFailed ||
      error instanceof ManagementFailed;
    const status = isService ? null : refusedStatus(error);
    if (status !== null) {
      response.status(status).json({ detail: status === 404 ? NOTHING_HERE : "No entendimos lo que se pidió." });
      return;
    }
    log(isService ? "service_refused" : "failed", { error });
    response.status(isService ? 502 : 500).json({ detail: isService ? error.message : "Algo falló en la clínica." });
  };
}

/** The clinic's web server: its page, the routes that the page calls, and the webhook receiver. */
export function createClinicApp(dependencies: ClinicAppDependencies): Express {
  const { clinic, log, pageDir, widgetHostUrl, spotApiUrl, publicKey } = dependencies;
  const violations: CspViolation[] = [];
  const app = express();
  app.disable("x-powered-by");
  app.use(helmet(pageSecurity({ widgetHostUrl, spotApiUrl })));

  app.post("/webhooks/aapd", express.raw({ type: "*/*", limit: WEBHOOK_BYTES_MAX }), webhookRoute(dependencies));

  app.post("/csp-reports", express.json({ type: () => true, limit: REPORT_BYTES_MAX }), (request, response) => {
    for (const violation of violationsIn(request.body)) {
      violations.push(violation);
      log("csp_violation", { directive: violation.directive });
    }
    violations.splice(0, Math.max(0, violations.length - REPORTS_KEPT));
    response.status(204).end();
  });
  app.get("/api/csp-violations", (_request, response) => {
    response.json(violations);
  });

  app.get("/healthz", (_request, response) => {
    response.json({ status: "ok" });
  });
  app.get("/api/clinic", (_request, response) => {
    const quotes = { api: spotApiUrl, publicKey };
    const { mailsGalleryUrl } = dependencies;
    response.json({ clinic: CLINIC, services: SERVICES, people: PEOPLE, widgetHostUrl, mailsGalleryUrl, quotes });
  });
  app.get("/api/purchases", (_request, response) => {
    response.json(clinic.purchases());
  });
  app.post("/api/purchases", express.json({ limit: REPORT_BYTES_MAX }), async (request, response) => {
    response.status(201).json(await clinic.startCheckout(wishSchema.parse(request.body)));
  });
  app.post("/api/desk", express.json({ limit: REPORT_BYTES_MAX }), async (request, response) => {
    response.status(201).json(await clinic.startAtDesk(deskWishSchema.parse(request.body)));
  });

  app.use("/api/purchases/:id", (request, response, next) => {
    if (clinic.purchase(request.params.id) === null)
      response.status(404).json({ detail: "No encontramos esta compra." });
    else next();
  });
  app.post("/api/purchases/:id/token", async (request, response) => {
    response.status(201).json({ url: await clinic.mintAgain(request.params.id) });
  });
  app.post("/api/purchases/:id/code", async (request, response) => {
    response.status(201).json(await clinic.codeAgain(request.params.id));
  });
  app.post("/api/purchases/:id/mail", async (request, response) => {
    await clinic.mailCheckout(request.params.id).catch((error: unknown) => {
      if (error instanceof AapdError && error.code === "rate_limited") throw new TooManyMails();
      throw error;
    });
    response.status(204).end();
  });
  app.get("/api/purchases/:id/feed", (request, response) => {
    const purchase = clinic.purchase(request.params.id);
    if (purchase !== null) streamPurchase(clinic, log, purchase, request, response);
  });

  app.post("/api/examination", async (_request, response) => {
    response.json(await dependencies.examination());
  });

  app.use("/api", benchRoutes(dependencies), deliveryRoutes(dependencies));

  app.use((_request, response, next) => {
    response.setHeader("reporting-endpoints", REPORTING_ENDPOINTS);
    next();
  });
  // The checkout shows the logo, and so does the page of a mail, whose origin is opaque.
  app.use("/logo.png", (_request, response, next) => {
    response.setHeader("cross-origin-resource-policy", "cross-origin");
    next();
  });
  app.use("/assets", express.static(`${pageDir}/assets`, { immutable: true, maxAge: "1y", fallthrough: false }));
  app.use(express.static(pageDir, { cacheControl: false, extensions: ["html"] }));
  app.use((_request, response) => {
    response.status(404).json({ detail: NOTHING_HERE });
  });
  app.use(sendError(log));
  return app;
}
