import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "@playwright/test";
import { portsFrom, startProduct } from "../support/product.ts";
import { type BenchPages, servePages } from "./pages.ts";
import { openShapedLink } from "./shaped-link.ts";

/*
 * The reference phone of the benchmarks: a slow line, on which connecting costs a round trip too, and a processor four
 * times slower than this machine's. Contexts share no cache.
 */

export const LINE = { downBitsPerSecond: 1_600_000, upBitsPerSecond: 750_000, roundTripMs: 150 };
const CPU_SLOWDOWN = 4;
const FIRST_PORT = 5400;

export interface SlowPhone {
  readonly browser: Browser;
  readonly pages: BenchPages;
  /** The origin of the outer page. */
  readonly host: string;
}

/** Starts the product, the outer pages and a browser behind the slow line, and stops them all afterwards. */
export async function withSlowPhone(run: (phone: SlowPhone) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "aapd-bench-"));
  const ports = portsFrom(FIRST_PORT);
  Object.assign(process.env, ports, { PRODUCT_DATA_DIR: folder });
  const product = startProduct({});
  const link = await openShapedLink(LINE);
  const pages = await servePages();
  const browser = await launch(link.proxy);
  try {
    await product.says("Everything runs");
    await run({ browser, pages, host: `http://127.0.0.1:${pages.hostPort}` });
  } finally {
    await browser.close();
    await pages.close();
    await link.close();
    product.interrupt();
    await product.ended;
    await rm(folder, { recursive: true, force: true });
  }
}

function launch(proxy: string): Promise<Browser> {
  const { CHROMIUM_PATH: executablePath } = process.env;
  return chromium.launch({
    // Without the last word, addresses of this machine would bypass the line.
    proxy: { server: proxy, bypass: "<-loopback>" },
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // A phone's browser keeps a page and its frames in one process, which is the one that is slowed down.
      "--disable-site-isolation-trials",
      "--disable-features=IsolateOrigins,site-per-process",
    ],
  });
}

export interface SlowPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly devTools: CDPSession;
}

/** A page in a new context, on the slow processor. */
export async function openSlowPage(browser: Browser): Promise<SlowPage> {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    locale: "es-CL",
    timezoneId: "America/Santiago",
  });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  return { context, page, devTools };
}
