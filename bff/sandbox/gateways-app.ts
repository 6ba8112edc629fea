import express from "express";
import helmet from "helmet";
import type { Bank } from "../src/gateways/bank/port.ts";
import type { CardProcessor } from "../src/gateways/card-processor/port.ts";
import type { FinancingProvider } from "../src/gateways/financing-provider/port.ts";
import type { IdentityRegistry } from "../src/gateways/identity-registry/port.ts";
import type { InsurerConnector } from "../src/gateways/insurer/port.ts";
import type { Messenger } from "../src/gateways/messenger/port.ts";
import type { Clock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/database/transaction.ts";
import type { Logger } from "../src/platform/logger.ts";
import { serveBank } from "./bank/serve-bank.ts";
import { createConnectorService, failWith } from "./calls/connector-service.ts";
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
import { serveCardProcessor } from "./card-processor/serve-card-processor.ts";
import { serveFinancingProvider } from "./financing-provider/serve-financing-provider.ts";
import { serveIdentityRegistry } from "./identity-registry/serve-identity-registry.ts";
import { serveInsurer } from "./insurer/serve-insurer.ts";
import { serveMessenger } from "./messenger/serve-messenger.ts";

export interface SandboxGatewaysAppDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly bank: Bank;
  readonly messenger: Pick<Messenger, "sendMessage">;
  /** Opens the parties to connectors under `/connector/v1`; null: only the bank's page is served. */
  readonly connectorToken: string | null;
}

/**
 * The host of the sandbox's outside parties, an origin of its own: the bank's page of strong authentication
 * (`/challenge/{id}`), and the parties in the connector protocol.
 */
export function createSandboxGatewaysApp(dependencies: SandboxGatewaysAppDependencies): express.Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(pageHeaders());
  app.get("/challenge.css", (_request, response) => void response.type("css").send(CHALLENGE_STYLE));
  app.get("/challenge.js", (_request, response) => void response.type("text/javascript").send(CHALLENGE_SCRIPT));
  app.use("/challenge/:id", challengePage(dependencies));
  if (dependencies.connectorToken !== null) {
    app.use("/connector/v1", connector(dependencies, dependencies.connectorToken));
  }
  app.use((_request, response) => void response.status(404).type("text").send("Not found"));
  app.use(failWith(dependencies.logger));
  return app;
}

/**
 * The page is framed by the widget, which is itself framed by any partner's page: a bank cannot name them, so that
 * framing is left open, as issuers' pages leave it. What it may load and where it may send to is closed.
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
    // A window that opened the page must hear that the challenge has ended.
    crossOriginOpenerPolicy: false,
    strictTransportSecurity: false,
    referrerPolicy: { policy: "no-referrer" },
  });
}

function challengePage(dependencies: Pick<SandboxGatewaysAppDependencies, "db" | "clock">): express.Router {
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

function render(challenge: Challenge | undefined, now: Date): string {
  if (challenge === undefined) return renderUnknownChallenge();
  return challenge.state === "pending" ? renderPendingChallenge(challenge, now) : renderEndedChallenge(challenge);
}

function idOf(request: express.Request): string {
  const { id } = request.params;
  return typeof id === "string" ? id : "";
}

function connector(parties: SandboxGatewaysAppDependencies, token: string): express.Router {
  const service = createConnectorService({ token });
  serveCardProcessor(service, parties.cardProcessor);
  serveFinancingProvider(service, parties.financingProvider);
  serveIdentityRegistry(service, parties.identityRegistry);
  serveInsurer(service, parties.insurer);
  serveBank(service, parties.bank);
  serveMessenger(service, parties.messenger);
  return service.router;
}
