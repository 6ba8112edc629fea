import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

/** Injects faults into a running PostgreSQL server. */
export interface PostgresTroubles {
  /** Kills it without notice, as a failing machine does, and restarts it on its files. */
  restart(): Promise<void>;
  /** Kills it the same way; it stays down until `restart`. */
  end(): Promise<void>;
  begin(): Promise<void>;
  /** Takes all its remaining connections for a while. */
  takeAllConnections(milliseconds: number): Promise<void>;
  /** Stops restarting the server. */
  close(): Promise<void>;
}

const CONNECTIONS = 250;

/** `serverUrl` is a superuser's address of a server on this machine. */
export async function openPostgresTroubles(serverUrl: string): Promise<PostgresTroubles> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const { rows } = await client.query("select current_setting('data_directory') as folder");
  await client.end();
  const folder: string = rows[0].folder;
  let keeper: ChildProcess | null = null;
  const end = async () => {
    await endServer(folder);
    await endKeeper(keeper);
  };
  const begin = async () => {
    keeper = startServer(folder, readFileSync(join(folder, "postmaster.opts"), "utf8").trim());
    await untilServes(serverUrl);
  };
  return {
    async restart() {
      await end();
      await begin();
    },
    end,
    begin,
    async takeAllConnections(milliseconds) {
      const clients: pg.Client[] = [];
      const take = async () => {
        const taken = new pg.Client({ connectionString: serverUrl });
        // A restart of the server ends them.
        taken.on("error", () => undefined);
        await taken.connect();
        clients.push(taken);
      };
      await Promise.allSettled(Array.from({ length: CONNECTIONS }, take));
      await pause(milliseconds);
      await Promise.allSettled(clients.map((taken) => taken.end()));
    },
    async close() {
      if (keeper !== null) await endServer(folder);
      await endKeeper(keeper);
    },
  };
}

/** Stops at once, and waits for the end. SIGQUIT is PostgreSQL's immediate shutdown, without a checkpoint. */
async function endServer(folder: string): Promise<void> {
  const file = join(folder, "postmaster.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  process.kill(pid, "SIGQUIT");
  while (existsSync(file)) await pause(20);
}

/** Runs the server until this script's input closes, so that the server does not outlive this process. */
const KEEPER_SCRIPT = `
$0 "$@" &
server=$!
cat >/dev/null
kill -QUIT "$server" 2>/dev/null
wait "$server"
`;

function startServer(folder: string, command: string): ChildProcess {
  const { uid, gid } = statSync(folder);
  // PostgreSQL's own format: the program, then each argument in double quotes.
  const [program = "", ...args] = command.match(/"[^"]*"|\S+/g)?.map((part) => part.replaceAll('"', "")) ?? [];
  const owner = process.getuid?.() === 0 ? { uid, gid } : {};
  return spawn("/bin/sh", ["-c", KEEPER_SCRIPT, program, ...args], {
    ...owner,
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, LC_ALL: "C" },
  });
}

async function endKeeper(keeper: ChildProcess | null): Promise<void> {
  if (keeper === null || keeper.exitCode !== null) return;
  const exit = once(keeper, "exit");
  keeper.stdin?.end();
  await exit;
}

async function untilServes(serverUrl: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: serverUrl });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await pause(50);
    }
  }
}
