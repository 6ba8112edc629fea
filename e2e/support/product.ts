import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const inDemo = (path: string) => fileURLToPath(new URL(`../../host-demo/${path}`, import.meta.url));
const BUILT = [inDemo("dist/start/main.js")];
const FROM_SOURCE = ["--conditions=source", inDemo("src/start/main.ts"), "--dev"];

/** The product as started by `pnpm start`, already built. */
export interface RunningProduct {
  /** Its output so far. */
  readonly output: () => string;
  /** Settles with the exit code when it has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves when the output contains a text. Rejects if the product ends without it. */
  says(text: string): Promise<void>;
  /** Simulates Ctrl-C. */
  interrupt(): void;
  /** Simulates a closed terminal: the output loses its reader, and the product gets the signal. */
  hangUp(): void;
  /** Simulates the end of the parent process, by closing the input. */
  leave(): void;
  /** Simulates an impatient user with SIGKILL: the child processes get no signal. */
  kill(): void;
}

/** Seven consecutive ports: the clinic's, order API, spot API, widget host, sandbox parties, Vite, console. */
export function portsFrom(first: number): NodeJS.ProcessEnv {
  const names = [
    "DEMO_PORT",
    "ORDER_API_PORT",
    "SPOT_API_PORT",
    "WIDGET_HOST_PORT",
    "SANDBOX_PARTIES_PORT",
    "WIDGET_DEV_PORT",
    "OPERATIONS_PORT",
  ];
  return Object.fromEntries(names.map((name, index) => [name, String(first + index)]));
}

/** Starts the product like a newcomer or a developer. The environment sets its ports and its data folder. */
export function startProduct(environment: NodeJS.ProcessEnv, from: "build" | "source" = "build"): RunningProduct {
  // Its input ends with this process, and it ends with its input, so interrupted tests leave no product behind.
  const argv = [...(from === "build" ? BUILT : FROM_SOURCE), "--end-with-input"];
  const child: ChildProcess = spawn(process.execPath, argv, {
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let written = "";
  const waiting = new Set<() => void>();
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      for (const look of waiting) look();
    });
  }
  return {
    output: () => written,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!written.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`The product ended without saying "${text}". It said:\n${written}`)));
      }),
    interrupt: () => child.kill("SIGINT"),
    hangUp() {
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.kill("SIGHUP");
    },
    leave: () => child.stdin?.end(),
    kill: () => child.kill("SIGKILL"),
  };
}
