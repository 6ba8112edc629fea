import type { Express } from "express";
import { readPageStylesheet } from "../platform/http/page-stylesheet.ts";
import { STYLESHEET_PATH } from "./console/layout.ts";
import { mountConsole } from "./console/mount-console.ts";
import { accountingRoutes } from "./console/pages/accounting-pages.ts";
import { approvalRoutes } from "./console/pages/approval-pages.ts";
import { auditRoutes } from "./console/pages/audit-pages.ts";
import { clinicRoutes } from "./console/pages/clinic-pages.ts";
import { exceptionRoutes } from "./console/pages/exception-pages.ts";
import { homeRoutes } from "./console/pages/home-page.ts";
import { moneyRoutes } from "./console/pages/money-pages.ts";
import { movingRoutes } from "./console/pages/moving-pages.ts";
import { orderPageRoutes } from "./console/pages/order-pages.ts";
import { switchRoutes } from "./console/pages/switch-pages.ts";
import { webhookPageRoutes } from "./console/pages/webhook-pages.ts";
import { mountSignIn } from "./console/sign-in/mount-sign-in.ts";
import type { ConsoleDependencies } from "./dependencies.ts";

/** The routes of all pages. */
export function consoleRoutes(dependencies: ConsoleDependencies) {
  return [
    ...homeRoutes(dependencies),
    ...movingRoutes(dependencies),
    ...orderPageRoutes(dependencies),
    ...exceptionRoutes(dependencies),
    ...clinicRoutes(dependencies),
    ...moneyRoutes(dependencies),
    ...accountingRoutes(dependencies),
    ...webhookPageRoutes(dependencies),
    ...switchRoutes(dependencies),
    ...approvalRoutes(dependencies),
    ...auditRoutes(dependencies),
  ];
}

/** Mounts the operators' console on the app of its separate port. */
export function mountOperatorConsole(app: Express, dependencies: ConsoleDependencies): void {
  const stylesheet = readPageStylesheet("console");
  app.get(STYLESHEET_PATH, (_request, response) => {
    response.set("Cache-Control", "public, max-age=300").type("css").send(stylesheet);
  });
  mountSignIn(app, dependencies);
  mountConsole(app, dependencies, consoleRoutes(dependencies));
}
