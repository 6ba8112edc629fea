import type { Express, Response } from "express";
import * as z from "zod";
import { html } from "../../../platform/http/html.ts";
import type { ConsoleDependencies } from "../../dependencies.ts";
import { createOpenId, type OpenId } from "../../open-id.ts";
import { endSession, SESSION_HOURS } from "../../session.ts";
import { form, renderBare } from "../layout.ts";
import {
  bodyOf,
  readCookies,
  requireOwnPage,
  SESSION_COOKIE,
  sendPage,
  sessionOf,
  setCookie,
  withRefusals,
} from "../mount-console.ts";
import { ConsoleRefused } from "../refusal.ts";
import { SIGN_IN_LINK_MINUTES, signInByLink } from "./sign-in-link.ts";

const CALLBACK_PATH = "/sign-in/open-id/callback";
const PENDING_COOKIE = "aapd_sign_in";
const PENDING_SECONDS = 600;
const linkSchema = z.strictObject({ secret: z.string().min(1).max(1_000) });

/** Mounts the operators' sign-in and sign-out. */
export function mountSignIn(app: Express, dependencies: ConsoleDependencies): void {
  const { consoleUrl, signIn } = dependencies;
  app.get("/sign-in", (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      const byService =
        signIn !== null &&
        form("/sign-in/open-id", html`<p>Usa la cuenta de tu organización.</p><button>Ingresar</button>`, "Ingresar");
      const body = html`${byService}<p>Con la línea de comandos, <code>aapd operator sign-in</code> da un enlace que sirve una vez, por ${SIGN_IN_LINK_MINUTES} minutos.</p>`;
      sendPage(response, 200, renderBare({ title: "Ingresar", body }, dependencies.environment));
    }),
  );
  mountLinks(app, dependencies);
  if (signIn !== null)
    mountOpenId(app, dependencies, createOpenId(dependencies, signIn, `${consoleUrl}${CALLBACK_PATH}`));
  app.post("/sign-out", (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      requireOwnPage(dependencies, request);
      const session = await sessionOf(dependencies, request);
      if (session !== null) await endSession(dependencies, session);
      setCookie(dependencies, response, { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0 });
      response.redirect(303, "/sign-in");
    }),
  );
}

function mountLinks(app: Express, dependencies: ConsoleDependencies): void {
  // Opening a link only shows it: link scanners must not use it up.
  app.get("/sign-in/link/:secret", (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      const hidden = html`<input type="hidden" name="secret" value="${String(request.params.secret)}">`;
      const body = form(
        "/sign-in/link",
        html`${hidden}<p>Este enlace sirve una vez.</p><button>Ingresar</button>`,
        "Ingresar",
      );
      sendPage(response, 200, renderBare({ title: "Ingresar a la consola", body }, dependencies.environment));
    }),
  );
  app.post("/sign-in/link", (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      requireOwnPage(dependencies, request);
      const given = linkSchema.safeParse(await bodyOf(request));
      const token = given.success ? await signInByLink(dependencies, given.data.secret) : null;
      if (token === null) throw new ConsoleRefused("sign_in_failed");
      openSession(dependencies, response, token);
    }),
  );
}

function mountOpenId(app: Express, dependencies: ConsoleDependencies, openId: OpenId): void {
  app.post("/sign-in/open-id", (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      requireOwnPage(dependencies, request);
      const { location, sealed } = await available(dependencies, openId.begin());
      setCookie(dependencies, response, { name: PENDING_COOKIE, value: sealed, maxAgeSeconds: PENDING_SECONDS });
      response.redirect(303, location);
    }),
  );
  app.get(CALLBACK_PATH, (request, response) =>
    withRefusals(dependencies, request, response, async () => {
      const sealed = readCookies(dependencies, request)[PENDING_COOKIE];
      if (sealed === undefined) throw new ConsoleRefused("sign_in_failed");
      setCookie(dependencies, response, { name: PENDING_COOKIE, value: "", maxAgeSeconds: 0 });
      const address = new URL(request.originalUrl, dependencies.consoleUrl);
      const ended = await available(dependencies, openId.end(address, sealed));
      if ("refused" in ended)
        throw new ConsoleRefused(ended.refused === "not_an_operator" ? "not_an_operator" : "sign_in_failed");
      openSession(dependencies, response, ended.token);
    }),
  );
}

/** Gives the browser its session. */
function openSession(dependencies: ConsoleDependencies, response: Response, token: string): void {
  setCookie(dependencies, response, { name: SESSION_COOKIE, value: token, maxAgeSeconds: SESSION_HOURS * 3_600 });
  response.redirect(303, "/");
}

/** The sign-in service's answer; an unreachable service is not our fault. */
async function available<T>({ logger }: Pick<ConsoleDependencies, "logger">, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    logger.warn("console.sign_in_unavailable", { error });
    throw new ConsoleRefused("sign_in_unavailable", { cause: error });
  }
}
