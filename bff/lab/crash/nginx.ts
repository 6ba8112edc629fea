import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Thrown when nginx is not installed here. */
class NoNginx extends Error {
  override readonly name = "NoNginx";
}

export interface Nginx {
  stop(): Promise<void>;
}

/** Starts nginx with the `http` part of its configuration, which listens on these ports of 127.0.0.1. */
export async function startNginx(folder: string, ports: readonly number[], http: string): Promise<Nginx> {
  const program = nginxProgram();
  if (program === null) throw new NoNginx("nginx is not installed here (Debian: apt-get install nginx-light).");
  const prefix = join(folder, "nginx");
  await mkdir(prefix, { recursive: true });
  await writeFile(join(prefix, "nginx.conf"), configuration(prefix, http));
  const child = spawn(program, ["-p", prefix, "-c", join(prefix, "nginx.conf"), "-e", join(prefix, "error.log")], {
    stdio: "ignore",
  });
  await untilListens(child, ports);
  return {
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
  };
}

async function untilListens(child: ChildProcess, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}.`);
      await pause(20);
    }
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The path of nginx, or null if it is not installed. */
export function nginxProgram(): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path)) ?? null;
}

function configuration(prefix: string, http: string): string {
  // Files go into our own folder; the workers need no other user's rights.
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${prefix}/${name};`,
  );
  return `daemon off;
worker_processes 2;
pid ${prefix}/nginx.pid;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 1024; }
http {
    ${places.join("\n    ")}
${http}
}
`;
}
