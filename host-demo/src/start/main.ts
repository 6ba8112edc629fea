/** This folder starts the whole product on one machine and stops it. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Part, PartFailed, startPart, untilReady } from "./child-process.ts";
import { clinicEnvironment } from "./clinic-environment.ts";
import { registerClinic } from "./credentials.ts";
import { BUILT, bffEnvironment, FROM_SOURCE, type Programs } from "./programs.ts";
import { BIND, projectDir, readSettings, type Settings } from "./settings.ts";
import { startKeeper } from "./start-keeper.ts";
import { takenPorts } from "./taken-ports.ts";
import { welcome } from "./welcome.ts";

const READY_WITHIN_MS = 60_000;

/** Starts Vite for the widget and for the clinic's page, which are rebuilt or reloaded at every change. */
function startDevelopers(widgetDevPort: number, { clinicPageDir, stopWithinMs }: Settings): Part[] {
  const vite = (folder: string) => join(projectDir, folder, "node_modules/vite/bin/vite.js");
  const at = (folder: string) => join(projectDir, folder);
  return [
    startPart(
      "widget (vite)",
      [vite("widget"), at("widget"), "--port", String(widgetDevPort), "--strictPort"],
      process.env,
      stopWithinMs,
    ),
    startPart(
      "clinic's page (vite)",
      [vite("host-demo"), "build", "--watch", "--outDir", clinicPageDir, "--emptyOutDir", at("host-demo")],
      process.env,
      stopWithinMs,
    ),
  ];
}

/**
 * Starts the parts one after the other and calls `run` with each. Once `interrupted`, it starts no more and throws its
 * reason.
 */
async function startParts(
  settings: Settings,
  programs: Programs,
  run: (part: Part) => void,
  interrupted: AbortSignal,
): Promise<void> {
  const { widgetDevPort, stopWithinMs } = settings;
  const credentials = await registerClinic(settings, programs, process.env, interrupted);
  interrupted.throwIfAborted();
  if (widgetDevPort !== null) startDevelopers(widgetDevPort, settings).forEach(run);
  const development = widgetDevPort === null ? {} : { WIDGET_DEV_URL: `http://127.0.0.1:${widgetDevPort}` };
  const bffSettings = { ...bffEnvironment(settings, process.env), ...development };
  const bff = startPart("bff", programs.bff, bffSettings, stopWithinMs);
  run(bff);
  for (const url of settings.readyUrls) await untilReady(bff, url, READY_WITHIN_MS);
  interrupted.throwIfAborted();
  const clinicSettings = clinicEnvironment(settings, credentials, process.env);
  const clinic = startPart("clinic", programs.clinic, clinicSettings, stopWithinMs);
  run(clinic);
  await untilReady(clinic, `${settings.clinicUrl}/healthz`, READY_WITHIN_MS);
  await untilReady(clinic, settings.clinicUrl, READY_WITHIN_MS);
}

/**
 * Settles when the product should stop: after Ctrl-C, a closed terminal or closed output or, with `endsWithInput`, the
 * end of its input. The handlers stay installed, because a second signal would otherwise end this process before the
 * parts, which run in separate process groups.
 */
function untilUnwanted({ endsWithInput }: { readonly endsWithInput: boolean }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    for (const output of [process.stdout, process.stderr]) output.on("error", () => resolve());
    if (endsWithInput)
      process.stdin
        .on("error", () => resolve())
        .on("close", () => resolve())
        .resume();
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      dev: { type: "boolean", default: false },
      /** For programs that start the product, so that it stops with them, even if they are killed. */
      "end-with-input": { type: "boolean", default: false },
    },
  });
  const settings = readSettings(process.env, { isDevelopment: values.dev });
  const taken = await takenPorts(settings.ports, BIND);
  if (taken.length > 0) {
    const lines = taken.map(({ variable, port }) => `Port ${port} is taken; set ${variable} to another one.`);
    throw new PartFailed(lines.join("\n"));
  }
  const interruption = new AbortController();
  const interrupted = untilUnwanted({ endsWithInput: values["end-with-input"] }).then(() => {
    interruption.abort();
    return 0;
  });
  const programs = settings.widgetDevPort === null ? BUILT : FROM_SOURCE;
  const keeper = startKeeper(programs.keeper, settings.stopWithinMs);
  const running: Part[] = [];
  const run = (part: Part) => {
    keeper.keep(part);
    running.push(part);
  };
  const stopAll = async () => {
    for (const part of running.reverse()) await part.stop();
    await keeper.release();
  };
  const started = startParts(settings, programs, run, interruption.signal).then(() => null);
  try {
    const early = await Promise.race([interrupted, started]);
    if (early !== null) return early;
    process.stdout.write(welcome(settings));
    const ended = running.map(async (part) => {
      const code = await part.ended;
      process.stderr.write(`${part.name} ended with code ${code}.\n`);
      return 1;
    });
    const code = await Promise.race([interrupted, ...ended]);
    if (code === 0) process.stdout.write("\nStopping…\n");
    return code;
  } finally {
    await stopAll();
    // The program that started the product may still hold its input open.
    process.stdin.destroy();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : "Nothing was started."}\n`);
    process.exitCode = 1;
  },
);
