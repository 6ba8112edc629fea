import express from "express";
import helmet from "helmet";
import { CARD_SCRIPT, CARD_STYLE, renderEnrolment, renderUnknownEnrolment, renderWebpayForm } from "./card-page.ts";
import { comeBack, finishAgain, type ReturnFields, readEnrolment, startAtWebpay } from "./enrolments.ts";
import type { Oneclick } from "./oneclick.ts";

/** The pages of an enrolment, for patients' browsers: `/card/{id}`. Needs the origin `pageOrigin`, and nothing else. */
export function createPagesApp(oneclick: Oneclick): express.Router {
  const router = express.Router();
  router.get("/card.css", (_request, response) => void response.type("css").send(CARD_STYLE));
  router.get("/card.js", (_request, response) => void response.type("text/javascript").send(CARD_SCRIPT));
  router.use("/card/:id", pageHeaders(), express.urlencoded({ extended: false, limit: "4kb" }), noStore);

  router.get("/card/:id", async (request, response) => {
    const enrolment = await readEnrolment(oneclick, idOf(request));
    if (enrolment !== undefined) await finishAgain(oneclick, enrolment);
    await show(oneclick, request, response);
  });

  router.post("/card/:id/start", async (request, response) => {
    const enrolment = await readEnrolment(oneclick, idOf(request));
    if (enrolment === undefined) return show(oneclick, request, response);
    try {
      const form = await startAtWebpay(oneclick, enrolment);
      if (form === null) return await show(oneclick, request, response);
      response.type("html").send(renderWebpayForm(form, enrolment));
    } catch (error) {
      oneclick.logger.error("transbank.start_failed", { error });
      response
        .status(503)
        .type("html")
        .send(renderEnrolment(enrolment, { isUnavailable: true }));
    }
  });

  // Webpay sends the browser back with GET or POST.
  router.all("/card/:id/return", async (request, response) => {
    const enrolment = await readEnrolment(oneclick, idOf(request));
    if (enrolment !== undefined) await comeBack(oneclick, enrolment, returnFields(request));
    await show(oneclick, request, response);
  });
  return router;
}

async function show(oneclick: Oneclick, request: express.Request, response: express.Response): Promise<void> {
  const enrolment = await readEnrolment(oneclick, idOf(request));
  response.status(enrolment === undefined ? 404 : 200).type("html");
  response.send(enrolment === undefined ? renderUnknownEnrolment() : renderEnrolment(enrolment));
}

function returnFields(request: express.Request): ReturnFields {
  const body: unknown = request.body;
  const sent = typeof body === "object" && body !== null ? { ...request.query, ...body } : request.query;
  const field = (name: string) => {
    const value = Object.entries(sent).find(([key]) => key === name)?.[1];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const isCancelled = field("TBK_ORDEN_COMPRA") !== undefined || field("TBK_ID_SESION") !== undefined;
  return { token: field("TBK_TOKEN"), isCancelled };
}

function idOf(request: express.Request): string {
  const { id } = request.params;
  return typeof id === "string" ? id : "";
}

const noStore: express.RequestHandler = (_request, response, next) => {
  response.set("cache-control", "no-store");
  next();
};

function pageHeaders(): express.RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        // To Webpay, which redirects to the banks: browsers apply this to redirects too.
        formAction: ["'self'", "https:", "http://127.0.0.1:*"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    // The page that opened the window receives the message of its end.
    crossOriginOpenerPolicy: false,
    strictTransportSecurity: false,
    referrerPolicy: { policy: "no-referrer" },
  });
}
