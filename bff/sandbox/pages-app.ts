import express from "express";
import helmet from "helmet";
import { failWith } from "../connectors/kit/connector-service.ts";
import type { Logger } from "../src/platform/logger.ts";
import { renderEndedVisit, renderPendingVisit, renderUnknownVisit } from "./card-processor/card-page.ts";
import { answerVisit, type PageDependencies, readVisit } from "./card-processor/card-page-visit.ts";
import type { PageVisit } from "./card-processor/card-registration-store.ts";
import { answerChallenge, readChallenge } from "./card-processor/challenge.ts";
import {
  CHALLENGE_SCRIPT,
  CHALLENGE_STYLE,
  CHOICES,
  type Challenge,
  renderEndedChallenge,
  renderPendingChallenge,
  renderUnknownChallenge,
} from "./card-processor/challenge-page.ts";
import { createMailsApp } from "./gallery/mails-app.ts";
import { readDocument } from "./tax-documents/read-document.ts";

export interface PagesDependencies extends PageDependencies {
  readonly logger: Logger;
}

/**
 * The bank's page of strong authentication (`/challenge/{id}`), the processor's own for cards (`/card/{id}`), the
 * issuer's of a tax document (`/tax-documents/{id}`) and the gallery of mails (`/mails`), on a separate origin.
 */
export function createPagesApp(dependencies: PagesDependencies): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.use("/mails", createMailsApp());
  app.use(pageHeaders());
  app.get("/challenge.css", (_request, response) => void response.type("css").send(CHALLENGE_STYLE));
  app.get("/challenge.js", (_request, response) => void response.type("text/javascript").send(CHALLENGE_SCRIPT));
  app.use("/challenge/:id", challengePage(dependencies));
  app.use("/card/:id", cardPage(dependencies));
  app.get("/tax-documents/:id", async (request, response) => {
    const document = await readDocument(dependencies.db, String(request.params.id));
    response.set("cache-control", "no-store").type("text");
    response.status(document === null ? 404 : 200).send(document ?? "Not found");
  });
  app.use((_request, response) => void response.status(404).type("text").send("Not found"));
  app.use(failWith(dependencies.logger));
  return app;
}

/**
 * The page is framed by the widget, which any partner's page may frame. A bank cannot list those pages, so framing is
 * allowed for all, as on issuers' real pages. What the page may load and where it may send data is restricted.
 */
function pageHeaders(): express.RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
      },
    },
    xFrameOptions: false,
    crossOriginResourcePolicy: { policy: "same-origin" },
    // A window that opened the page must receive the message that the challenge has ended.
    crossOriginOpenerPolicy: false,
    strictTransportSecurity: false,
    referrerPolicy: { policy: "no-referrer" },
  });
}

function challengePage(dependencies: Pick<PagesDependencies, "db" | "clock">): express.Router {
  const router = express.Router({ mergeParams: true });
  router.use((_request, response, next) => {
    response.set("cache-control", "no-store");
    next();
  });
  router.get("/", async (request, response) => {
    const challenge = await readChallenge(dependencies, idOf(request));
    response.status(challenge === undefined ? 404 : 200);
    response.type("html").send(render(challenge, dependencies.clock.now()));
  });
  router.post("/", express.urlencoded({ extended: false, limit: "1kb" }), async (request, response) => {
    const body: unknown = request.body;
    const choice = CHOICES.find(
      (known) => typeof body === "object" && body !== null && "choice" in body && body.choice === known,
    );
    const challenge = choice && (await answerChallenge(dependencies, idOf(request), choice));
    if (challenge === undefined) response.status(404).type("html").send(renderUnknownChallenge());
    else response.redirect(303, request.originalUrl);
  });
  return router;
}

function cardPage(dependencies: PagesDependencies): express.Router {
  const router = express.Router({ mergeParams: true });
  router.use((_request, response, next) => {
    response.set("cache-control", "no-store");
    next();
  });
  router.get("/", async (request, response) => {
    const visit = await readVisit(dependencies, idOf(request));
    response
      .status(visit === undefined ? 404 : 200)
      .type("html")
      .send(showVisit(visit, dependencies.clock.now()));
  });
  router.post("/", express.urlencoded({ extended: false, limit: "2kb" }), async (request, response) => {
    const body: unknown = request.body;
    const choice = CARD_CHOICES.find(
      (known) => typeof body === "object" && body !== null && "choice" in body && body.choice === known,
    );
    const answered = choice && (await answerVisit(dependencies, idOf(request), { choice, body }));
    if (answered === undefined) response.status(404).type("html").send(renderUnknownVisit());
    else if (answered.wrong)
      response
        .status(422)
        .type("html")
        .send(showVisit(answered.visit, dependencies.clock.now(), true));
    else response.redirect(303, request.originalUrl);
  });
  return router;
}

const CARD_CHOICES = ["register", "cancel"] as const;

function showVisit(visit: PageVisit | undefined, now: Date, wrong = false): string {
  if (visit === undefined) return renderUnknownVisit();
  return visit.state === "pending" ? renderPendingVisit(visit, { now, wrong }) : renderEndedVisit(visit);
}

function render(challenge: Challenge | undefined, now: Date): string {
  if (challenge === undefined) return renderUnknownChallenge();
  return challenge.state === "pending" ? renderPendingChallenge(challenge, now) : renderEndedChallenge(challenge);
}

function idOf(request: express.Request): string {
  const { id } = request.params;
  return typeof id === "string" ? id : "";
}
