/** This folder makes the HTML pages of the partners' documentation. */

import { appsPage } from "./apps-page.ts";
import { changelogPage } from "./changelog-page.ts";
import { embeddingPage } from "./embedding-page.ts";
import { errorsPage } from "./errors-page.ts";
import { frontDeskPage } from "./front-desk-page.ts";
import { goingLivePage } from "./going-live-page.ts";
import { knownPatientsPage } from "./known-patients-page.ts";
import type { Page } from "./layout.ts";
import { limitsPage } from "./limits-page.ts";
import { operationPages, referencePage } from "./reference-pages.ts";
import { sandboxPage } from "./sandbox-page.ts";
import type { Site } from "./site.ts";
import { startPage } from "./start-page.ts";
import { toolsPage } from "./tools-page.ts";
import { webhooksPage } from "./webhooks-page.ts";

/** Every page of the documentation. */
export function documentationPages(site: Site): Page[] {
  return [
    startPage(site),
    embeddingPage(site),
    appsPage(site),
    frontDeskPage(),
    knownPatientsPage(),
    webhooksPage(site),
    toolsPage(site),
    sandboxPage(site),
    goingLivePage(site),
    referencePage(site),
    ...operationPages(site),
    errorsPage(site),
    limitsPage(),
    changelogPage(site),
  ];
}
