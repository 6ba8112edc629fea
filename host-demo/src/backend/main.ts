import { InvalidConfig, readConfig } from "./config.ts";
import { createLog } from "./log.ts";
import { startClinic } from "./start-clinic.ts";

async function main(): Promise<void> {
  const log = createLog(
    (line) => process.stderr.write(line),
    () => new Date(),
  );
  const stop = await startClinic(readConfig(process.env), log);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

function explain(error: unknown): string {
  if (error instanceof InvalidConfig) return error.message;
  if (!(error instanceof Error)) return "an unknown failure";
  const code = "code" in error ? String(error.code) : error.message;
  return code === "EADDRINUSE"
    ? `port ${process.env.DEMO_PORT ?? "4000"} (DEMO_PORT) is taken`
    : `${error.name} ${code}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`The clinic cannot start: ${explain(error)}\n`);
  process.exit(1);
});
