import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import ownPackage from "../package.json" with { type: "json" };
import { productUrls } from "./tenant.ts";

/* A new partner: an empty folder, the packages from the widget host, and sandbox keys without an account. */

/** With the packages, with the guide alone, or in Next.js. */
const FILES = {
  packages: fileURLToPath(new URL("../new-partner", import.meta.url)),
  plain: fileURLToPath(new URL("../new-partner-plain", import.meta.url)),
  next: fileURLToPath(new URL("../next-app", import.meta.url)),
};
const execute = promisify(execFile);

export type PackageManager = "npm" | "pnpm";

const { devDependencies } = ownPackage;
/** The project's tools for type checks and tests, in the versions that are tested here. */
const tools = [
  `@playwright/test@${devDependencies["@playwright/test"]}`,
  `react@${devDependencies.react}`,
  `@types/react@${devDependencies["@types/react"]}`,
  "typescript@5.9",
  "@types/node@20",
  "vue@3.5",
];

export class NewPartner {
  readonly folder: string;
  readonly #running: ChildProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  static async begin(way: keyof typeof FILES = "packages"): Promise<NewPartner> {
    const partner = await NewPartner.beginEmpty();
    await cp(FILES[way], partner.folder, { recursive: true });
    return partner;
  }

  static async beginEmpty(): Promise<NewPartner> {
    return new NewPartner(await mkdtemp(join(tmpdir(), "aapd-new-partner-")));
  }

  /**
   * Installs partners' packages by their addresses: all with their test tools, or the named ones with `others` from the
   * registry.
   */
  async install(manager: PackageManager, names?: readonly string[], others: readonly string[] = []): Promise<void> {
    const host = productUrls().widgetHostUrl;
    const index: Record<string, string> = await (await fetch(`${host}/packages/index.json`)).json();
    const next = Object.keys(index).filter((name) => /^next\/aapd-(e2e|embed|react|server)-/.test(name));
    const tarballs =
      names === undefined ? next : next.filter((file) => names.some((name) => file.includes(`-${name}-`)));
    expect(tarballs).toHaveLength(names?.length ?? 4);
    const wanted = [...tarballs.map((name) => `${host}/packages/${name}`), ...(names === undefined ? tools : others)];
    const [program, ...args] = {
      npm: ["npm", "install", "--no-audit", "--no-fund"],
      pnpm: ["npx", "-y", "pnpm@10.34.8", "add", "--config.minimumReleaseAge=0"],
    }[manager];
    await this.run(program ?? "npm", ...args, ...wanted);
  }

  /** Runs a program to its end, and returns its output. Rejects with the whole output if it fails. */
  async run(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await execute(program, args, { cwd: this.folder, env: this.#environment() }).catch(
      (error: unknown) => {
        const { stdout: output = "", stderr: errors = "" } = error as { stdout?: string; stderr?: string };
        throw new Error(`${program} ${args.join(" ")} failed\n${output}${errors}`, { cause: error });
      },
    );
    return stdout;
  }

  /** Starts a program that runs until `end`. */
  start(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
    const started = spawn(program, args, {
      cwd: this.folder,
      env: { ...this.#environment(), ...env },
      stdio: "ignore",
    });
    this.#running.push(started);
    return started;
  }

  async readFile(name: string): Promise<string> {
    return readFile(join(this.folder, name), "utf8");
  }

  async end(): Promise<void> {
    const ended = this.#running.filter(({ exitCode }) => exitCode === null).map((one) => once(one, "exit"));
    for (const one of this.#running) one.kill("SIGTERM");
    await Promise.all(ended);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The environment of the partner's own terminal, without the test's packages and runner. */
  #environment(): NodeJS.ProcessEnv {
    const mine = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|NODE_OPTIONS|TEST_|PW_|PLAYWRIGHT_)/.test(name),
    );
    return Object.fromEntries(mine);
  }
}
