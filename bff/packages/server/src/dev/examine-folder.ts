import { NO_KEYS } from "./command-parts.ts";
import { examine } from "./doctor/doctor.ts";
import type { Report } from "./doctor/finding.ts";
import { keysToExamine } from "./doctor/variables.ts";
import { findBrowser } from "./find-browser.ts";
import { readKeys } from "./keys.ts";
import { CommandRefused } from "./output.ts";

export interface Examined {
  readonly page?: string | undefined;
  readonly webhook?: string | undefined;
  /** The brand's word in the name of the signature header. */
  readonly signatureWord: string;
  /** The element of the page that opens the checkout. */
  readonly click?: string | undefined;
}

/** Examines what the partner's program uses, in a browser if the folder's project has one. */
export async function examineFolder(
  folder: string,
  { page, webhook, signatureWord: word, click }: Examined,
): Promise<Report> {
  const examined = keysToExamine(await readKeys(folder), process.env, { page, webhook });
  if (examined === null) throw new CommandRefused(NO_KEYS);
  const { keys, findings: ofVariables } = examined;
  const browser = page === undefined ? null : await findBrowser(folder, process.env.CHROMIUM_PATH);
  try {
    return await examine(keys, { page, webhook, word, click, ofVariables, ...(browser === null ? {} : { browser }) });
  } finally {
    await browser?.close();
  }
}
