import { join } from "node:path";
import { projectDir, type Settings } from "./settings.ts";

/** How to run each program of the product: built, or from source with a restart at every change. */
export interface Programs {
  readonly bff: readonly string[];
  readonly clinic: readonly string[];
  readonly aapd: readonly string[];
  /** Stops the other programs when the starter is gone. */
  readonly keeper: readonly string[];
}

const inProject = (path: string) => join(projectDir, path);

export const BUILT: Programs = {
  bff: [inProject("bff/dist/sandbox/main.js")],
  clinic: [inProject("host-demo/dist/backend/main.js")],
  aapd: [inProject("bff/dist/sandbox/aapd.js")],
  keeper: [inProject("host-demo/dist/start/keeper.js")],
};

const watched = ["--watch", "--watch-preserve-output", "--conditions=source"];

export const FROM_SOURCE: Programs = {
  bff: [...watched, inProject("bff/sandbox/main.ts")],
  clinic: [...watched, inProject("host-demo/src/backend/main.ts")],
  aapd: ["--conditions=source", inProject("bff/sandbox/aapd.ts")],
  keeper: [inProject("host-demo/src/start/keeper.ts")],
};

/** The environment of the BFF: the caller's environment with these variables added. */
export function bffEnvironment(settings: Settings, base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...base,
    DATA_DIR: join(settings.dataDir, "bff"),
    ...Object.fromEntries(settings.ports.map(({ variable, port }) => [variable, String(port)])),
    ORDER_API_PUBLIC_URL: settings.orderApiUrl,
    SPOT_API_PUBLIC_URL: settings.spotApiUrl,
    WIDGET_HOST_PUBLIC_URL: settings.widgetHostUrl,
    SANDBOX_PARTIES_PUBLIC_URL: settings.sandboxPartiesUrl,
    WEBHOOKS_ALLOW_LOOPBACK: "true",
    LOG_LEVEL: base.LOG_LEVEL ?? "warn",
  };
}
