import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isBlockedByBrowsers } from "bff/contract/vocabulary/blocked-ports";
import * as z from "zod";
import type { NamedPort } from "./taken-ports.ts";

const portSchema = z.coerce
  .number()
  .int()
  .min(1)
  .max(65_535)
  .refine((port) => !isBlockedByBrowsers(port), "browsers refuse to call this port; take another");

const environmentSchema = z.object({
  /** The folder of all stored data: the embedded database, uploads, the clinic's journal and credentials. */
  PRODUCT_DATA_DIR: z.string().min(1).default(".data"),
  DEMO_PORT: portSchema.default(4000),
  ORDER_API_PORT: portSchema.default(4010),
  SPOT_API_PORT: portSchema.default(4020),
  WIDGET_HOST_PORT: portSchema.default(4030),
  SANDBOX_PARTIES_PORT: portSchema.default(4040),
  OPERATIONS_PORT: portSchema.default(4060),
  /** The port on which Vite serves the widget from source; the widget host forwards to it. Only used by `pnpm dev`. */
  WIDGET_DEV_PORT: portSchema.default(4031),
  /** The BFF's own setting: the only port that then reports readiness. */
  PROBES_PORT: portSchema.optional(),
  /** The BFF's own setting: how long it waits for running work when it stops. */
  SHUTDOWN_TIMEOUT_SECONDS: z.coerce.number().int().min(1).default(25),
});

/** The additional time, after the BFF's own limit, before a part is killed. */
const STOP_MARGIN_SECONDS = 10;

/** The addresses and folders of the whole product on one machine. */
export interface Settings {
  readonly dataDir: string;
  /** The files of the clinic's page. */
  readonly clinicPageDir: string;
  readonly ports: readonly NamedPort[];
  /** The clinic's page is at 127.0.0.1 and the frame at localhost, so that they are two origins as in production. */
  readonly clinicUrl: string;
  readonly orderApiUrl: string;
  readonly spotApiUrl: string;
  readonly widgetHostUrl: string;
  readonly sandboxPartiesUrl: string;
  /** The URLs that report the BFF's readiness. */
  readonly readyUrls: readonly string[];
  /** The operators' console. */
  readonly operationsUrl: string;
  /** Null if the widget is built. */
  readonly widgetDevPort: number | null;
  /** How long a part may take to stop before it is killed. */
  readonly stopWithinMs: number;
}

/** The address on which all parts listen, so that a test product cannot be reached from outside. */
export const BIND = "127.0.0.1";

/** The folder that contains the packages. */
export const projectDir = fileURLToPath(new URL("../../..", import.meta.url));

/** Reads the environment; throws an error that names each invalid variable. */
export function readSettings(environment: NodeJS.ProcessEnv, mode: { readonly isDevelopment: boolean }): Settings {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"));
  }
  const {
    PRODUCT_DATA_DIR: dataDir,
    WIDGET_DEV_PORT: widgetDevPort,
    SHUTDOWN_TIMEOUT_SECONDS: stopSeconds,
    PROBES_PORT: probesPort,
    ...ports
  } = parsed.data;
  const listening = {
    ...ports,
    ...(mode.isDevelopment ? { WIDGET_DEV_PORT: widgetDevPort } : {}),
    ...(probesPort === undefined ? {} : { PROBES_PORT: probesPort }),
  };
  const faces = [ports.ORDER_API_PORT, ports.SPOT_API_PORT, ports.WIDGET_HOST_PORT];
  const probed = probesPort === undefined ? faces : [probesPort];
  const absoluteDataDir = isAbsolute(dataDir) ? dataDir : resolve(projectDir, dataDir);
  return {
    dataDir: absoluteDataDir,
    // Development builds into a separate folder, because a production build may be in use elsewhere.
    clinicPageDir: mode.isDevelopment
      ? join(absoluteDataDir, "host-demo-page")
      : join(projectDir, "host-demo/dist/page"),
    ports: Object.entries(listening).map(([variable, port]) => ({ variable, port })),
    clinicUrl: `http://${BIND}:${ports.DEMO_PORT}`,
    orderApiUrl: `http://${BIND}:${ports.ORDER_API_PORT}`,
    spotApiUrl: `http://${BIND}:${ports.SPOT_API_PORT}`,
    widgetHostUrl: `http://localhost:${ports.WIDGET_HOST_PORT}`,
    sandboxPartiesUrl: `http://localhost:${ports.SANDBOX_PARTIES_PORT}`,
    readyUrls: probed.map((port) => `http://${BIND}:${port}/readyz`),
    operationsUrl: `http://${BIND}:${ports.OPERATIONS_PORT}`,
    widgetDevPort: mode.isDevelopment ? widgetDevPort : null,
    stopWithinMs: (stopSeconds + STOP_MARGIN_SECONDS) * 1_000,
  };
}
