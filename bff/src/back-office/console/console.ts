import type { Express } from "express";
import { readPageStylesheet } from "../../platform/http/page-stylesheet.ts";
import type { ConsoleDependencies } from "./dependencies.ts";
import { STYLESHEET_PATH } from "./layout.ts";
import { mountConsole } from "./mount-console.ts";
import { approvalRoutes } from "./pages/approval-pages.ts";
import { auditRoutes } from "./pages/audit-pages.ts";
import { clinicRoutes } from "./pages/clinic-pages.ts";
import { exceptionRoutes } from "./pages/exception-pages.ts";
import { homeRoutes } from "./pages/home-page.ts";
import { moneyRoutes } from "./pages/money-pages.ts";
import { orderPageRoutes } from "./pages/order-pages.ts";
import { switchRoutes } from "./pages/switch-pages.ts";
import { webhookPageRoutes } from "./pages/webhook-pages.ts";
import { mountSignIn } from "./sign-in/mount-sign-in.ts";

/** The routes of all pages. */
export function consoleRoutes(dependencies: ConsoleDependencies) {
  return [
    ...homeRoutes(dependencies),
    ...orderPageRoutes(dependencies),
    ...exceptionRoutes(dependencies),
    ...clinicRoutes(dependencies),
    ...moneyRoutes(dependencies),
    ...webhookPageRoutes(dependencies),
    ...switchRoutes(dependencies),
    ...approvalRoutes(dependencies),
    ...auditRoutes(dependencies),
  ];
}

/** Mounts the operators' console on the app of its own port. */
export function mountOperatorConsole(app: Express, dependencies: ConsoleDependencies): void {
  const stylesheet = readPageStylesheet("console");
  app.get(STYLESHEET_PATH, (_request, response) => {
    response.set("Cache-Control", "public, max-age=300").type("css").send(stylesheet);
  });
  mountSignIn(app, dependencies);
  mountConsole(app, dependencies, consoleRoutes(dependencies));
}
