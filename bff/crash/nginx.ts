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

export interface Balanced {
  readonly port: number;
  /** The ports of 127.0.0.1 that it shares its requests among. */
  readonly among: readonly number[];
}

export interface Nginx {
  /** Sends nothing more to these ports, until it is told to leave out others. */
  leaveOut(ports: readonly number[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts nginx in front of several processes, as in production. */
export function startNginx(folder: string, faces: readonly Balanced[]): Promise<Nginx> {
  const ports = faces.map(({ port }) => port);
  return runNginx(folder, ports, (without) => `access_log off;\n${serversOf(faces, without).join("\n")}`);
}

/** Starts nginx with what an operator has written for its `http` part, which listens on these ports and leaves nobody out. */
export function startWrittenNginx(folder: string, ports: readonly number[], written: string): Promise<Nginx> {
  return runNginx(folder, ports, () => written);
}

async function runNginx(
  folder: string,
  ports: readonly number[],
  http: (without: readonly number[]) => string,
): Promise<Nginx> {
  const program = findNginx();
  const prefix = join(folder, "nginx");
  const configure = (without: readonly number[]) =>
    writeFile(join(prefix, "nginx.conf"), configuration(prefix, http(without)));
  await mkdir(prefix, { recursive: true });
  await configure([]);
  const child = spawn(program, ["-p", prefix, "-c", join(prefix, "nginx.conf"), "-e", join(prefix, "error.log")], {
    stdio: "ignore",
  });
  await untilListens(child, ports);
  return {
    async leaveOut(ports) {
      await configure(ports);
      child.kill("SIGHUP");
    },
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

function findNginx(): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  const found = folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path));
  if (found === undefined) throw new NoNginx("nginx is not installed here (Debian: apt-get install nginx-light).");
  return found;
}

function serversOf(faces: readonly Balanced[], without: readonly number[]): string[] {
  return faces.map(
    ({ port, among }) => `
    upstream face_${port} {
      ${among.map((one) => `server 127.0.0.1:${one} max_fails=0${without.includes(one) ? " down" : ""};`).join("\n      ")}
    }
    server {
      listen 127.0.0.1:${port};
      client_max_body_size 64m;
      location / {
        proxy_pass http://face_${port};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_connect_timeout 1s;
        proxy_read_timeout 60s;
      }
    }`,
  );
}

function configuration(prefix: string, http: string): string {
  // What is written to disk goes into a folder of our own; the workers need no other user's rights.
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${prefix}/${name};`,
  );
  return `daemon off;
worker_processes 1;
pid ${prefix}/nginx.pid;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 512; }
http {
    # Otherwise a worker of the configuration before closes connections at the moment at which a customer sends on them.
    keepalive_timeout 0;
    ${places.join("\n    ")}
${http}
}
`;
}
