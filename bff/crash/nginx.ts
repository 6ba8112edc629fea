import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Thrown when nginx is not installed here. */
class NoNginx extends Error {
  override readonly name = "NoNginx";
}

export interface Balanced {
  readonly port: number;
  /** The ports of 127.0.0.1 that it shares its requests among. */
  readonly among: readonly number[];
}

/** Starts nginx in front of several processes, as in production; resolves with what ends it. */
export async function startNginx(folder: string, faces: readonly Balanced[]): Promise<() => Promise<void>> {
  const program = findNginx();
  const prefix = join(folder, "nginx");
  await mkdir(prefix, { recursive: true });
  await writeFile(join(prefix, "nginx.conf"), configuration(prefix, faces));
  const child = spawn(program, ["-p", prefix, "-c", join(prefix, "nginx.conf"), "-e", join(prefix, "error.log")], {
    stdio: "ignore",
  });
  return async () => {
    if (child.exitCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  };
}

function findNginx(): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  const found = folders.map((folder) => join(folder, "nginx")).find((path) => existsSync(path));
  if (found === undefined) throw new NoNginx("nginx is not installed here (Debian: apt-get install nginx-light).");
  return found;
}

function configuration(prefix: string, faces: readonly Balanced[]): string {
  const servers = faces.map(
    ({ port, among }) => `
    upstream face_${port} {
      ${among.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join("\n      ")}
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
    access_log off;
    ${places.join("\n    ")}
${servers.join("\n")}
}
`;
}
