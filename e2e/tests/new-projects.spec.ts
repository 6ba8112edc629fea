import { long } from "../support/levels.ts";
import { NODE_PROJECTS, OTHER_PROJECTS, rehearseNodeProject, rehearseOtherProject } from "../support/new-project.ts";
import { freePort } from "../support/own-clinic.ts";
import { test } from "../support/test.ts";

/* `aapd-dev new` in an empty folder: it installs packages from the registry, for which only the long check has time. */

test.describe.configure({ timeout: 400_000 });

for (const name of NODE_PROJECTS)
  test(
    `the project ${name} is installed, and its own test pays`,
    long(
      "e2e/tests/partner.spec.ts",
      "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
    ),
    async () => {
      await rehearseNodeProject(name, String(await freePort()));
    },
  );

for (const name of OTHER_PROJECTS)
  test(
    `the project ${name} gets keys, is paid, submits the receipt and passes its test`,
    long(
      "e2e/tests/partner.spec.ts",
      "a partner with only the guide sells in a few lines, up to the approved claim and the collected rest",
    ),
    async ({ page }) => {
      await rehearseOtherProject(page, name, String(await freePort()));
    },
  );
