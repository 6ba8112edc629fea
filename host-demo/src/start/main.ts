import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Part, PartFailed, startPart, untilReady } from "./child-process.ts";
import { clinicEnvironment } from "./clinic-environment.ts";
import { registerClinic } from "./credentials.ts";
import { BUILT, bffEnvironment, FROM_SOURCE } from "./programs.ts";
import { BIND, projectDir, readSettings, type Settings } from "./settings.ts";
import { takenPorts } from "./taken-ports.ts";
import { welcome } from "./welcome.ts";

const READY_WITHIN_MS = 60_000;

/** In development the widget and the clinic's page are rebuilt, or reloaded, at every change. */
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

/** Starts one part after the other into `running`; once `interrupted` it starts no more, and throws its reason. */
async function startParts(settings: Settings, running: Part[], interrupted: AbortSignal): Promise<void> {
  const { widgetDevPort, stopWithinMs } = settings;
  const programs = widgetDevPort === null ? BUILT : FROM_SOURCE;
  const credentials = await registerClinic(settings, programs, process.env, interrupted);
  interrupted.throwIfAborted();
  if (widgetDevPort !== null) running.push(...startDevelopers(widgetDevPort, settings));
  const development = widgetDevPort === null ? {} : { WIDGET_DEV_URL: `http://127.0.0.1:${widgetDevPort}` };
  const bffSettings = { ...bffEnvironment(settings, process.env), ...development };
  const bff = startPart("bff", programs.bff, bffSettings, stopWithinMs);
  running.push(bff);
  for (const url of [settings.orderApiUrl, settings.spotApiUrl, settings.widgetHostUrl]) {
    await untilReady(bff, `${url}/readyz`, READY_WITHIN_MS);
  }
  interrupted.throwIfAborted();
  const clinicSettings = clinicEnvironment(settings, credentials, process.env);
  const clinic = startPart("clinic", programs.clinic, clinicSettings, stopWithinMs);
  running.push(clinic);
  await untilReady(clinic, `${settings.clinicUrl}/healthz`, READY_WITHIN_MS);
  await untilReady(clinic, settings.clinicUrl, READY_WITHIN_MS);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { dev: { type: "boolean", default: false } } });
  const settings = readSettings(process.env, { isDevelopment: values.dev });
  const taken = await takenPorts(settings.ports, BIND);
  if (taken.length > 0) {
    const lines = taken.map(({ variable, port }) => `Port ${port} is taken; set ${variable} to another one.`);
    throw new PartFailed(lines.join("\n"));
  }
  const running: Part[] = [];
  const interruption = new AbortController();
  const interrupted = new Promise<number>((resolve) => {
    // Ctrl-C often comes twice, from the terminal and from the program that started this one. The parts have process
    // groups of their own: had the second signal its default effect, they would outlive their starter.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        interruption.abort();
        resolve(0);
      });
    }
  });
  const stopAll = async () => {
    for (const part of running.reverse()) await part.stop();
  };
  const started = startParts(settings, running, interruption.signal).then(() => null);
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
