import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const WITH_POSTGRES = fileURLToPath(new URL("../../../.ci/with-postgres.mjs", import.meta.url));
/** Prints the server's address, and stops the server when its input closes. */
const SAY_AND_WAIT = 'echo "$TEST_DATABASE_URL"; cat > /dev/null';

/** Starts a throw-away PostgreSQL server, in addition to that of this process, if any. */
export async function startOwnPostgres(): Promise<{ readonly serverUrl: string; stop(): Promise<void> }> {
  const { TEST_DATABASE_URL: _given, ...env } = process.env;
  const child = spawn(process.execPath, [WITH_POSTGRES, "--", "sh", "-c", SAY_AND_WAIT], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const complaint = text(child.stderr);
  const [serverUrl] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exit.then(async () => {
      throw new Error((await complaint).trim());
    }),
  ]);
  return {
    serverUrl,
    async stop() {
      child.stdin.end();
      await exit;
    },
  };
}
