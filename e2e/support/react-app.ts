import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { productUrls } from "./tenant.ts";

/*
 * A partner's React app in a separate folder, with the packages as packed and served, and one version of React. It
 * cannot access this repository's source or settings.
 */

const APP = fileURLToPath(new URL("../react-app", import.meta.url));
const SAMPLE = fileURLToPath(new URL("../../bff/docs/site/pay-later.jsx", import.meta.url));
const { resolve } = createRequire(import.meta.url);

export type ReactVersion = keyof typeof REACT;

/** The installed folder of each React version. */
const REACT = {
  18: { react: "react-18", "react-dom": "react-dom-18" },
  19: { react: "react", "react-dom": "react-dom" },
} as const;

export interface ReactApp {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves the app with Vite's development server, under a content security policy if one is given. */
export async function startViteApp(version: ReactVersion, policy?: string): Promise<ReactApp> {
  // A worker's folder may be a link, and Vite serves no file outside of its root.
  const root = await realpath(await mkdtemp(join(tmpdir(), "aapd-react-app-")));
  await copyAppTo(root);
  await installReact(version, join(root, "node_modules"));
  await installPackages(["embed", "react"], join(root, "node_modules/@aapd"));
  const server = await createServer({
    root,
    configFile: false,
    logLevel: "silent",
    oxc: { jsx: { runtime: "automatic", development: true } },
    server: {
      host: "127.0.0.1",
      port: 0,
      headers: policy === undefined ? {} : { "content-security-policy": policy },
    },
  });
  await server.listen();
  const [address] = server.resolvedUrls?.local ?? [];
  if (address === undefined) throw new Error("Vite printed no address");
  return {
    origin: new URL(address).origin,
    stop: async () => {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Copies the app's files, with the sample from the guide. */
export async function copyAppTo(folder: string): Promise<void> {
  await cp(APP, folder, { recursive: true });
  await cp(SAMPLE, join(folder, "src/pay-later.jsx"));
}

async function installReact(version: ReactVersion, modules: string): Promise<void> {
  for (const [name, installed] of Object.entries(REACT[version])) {
    const folder = dirname(resolve(`${installed}/package.json`));
    await cp(folder, join(modules, name), { recursive: true, dereference: true });
    // React's own dependency, in the version that this React installs.
    const scheduler = join(folder, "../scheduler");
    if (name === "react-dom") await cp(scheduler, join(modules, "scheduler"), { recursive: true, dereference: true });
  }
}

/** Unpacks the packages of this build as the widget host serves them. */
async function installPackages(names: readonly string[], scope: string): Promise<void> {
  const host = productUrls().widgetHostUrl;
  const index: Record<string, string> = await (await fetch(`${host}/packages/index.json`)).json();
  for (const name of names) {
    const file = Object.keys(index).find((one) => one.startsWith(`next/aapd-${name}-`));
    const tarball = Buffer.from(await (await fetch(`${host}/packages/${file}`)).arrayBuffer());
    const folder = join(scope, name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.tgz"), tarball);
    execFileSync("tar", ["-xzf", "package.tgz", "--strip-components=1"], { cwd: folder });
  }
}
