import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runCommand } from "./commands.mjs";
import { canInstallPackages, installPackages } from "./debian.mjs";
import { findPostgres, startPostgres } from "./postgres.mjs";
import { countProcessor } from "./processor.mjs";

const debianChromium = "/usr/bin/chromium";
const debianShell = "/usr/bin/chromium-headless-shell";
const debianFonts = "/usr/share/fonts/truetype/liberation";
const debianFirefox = "/usr/bin/firefox-esr";
const debianWebKitDriver = "/usr/bin/WebKitWebDriver";
const downloadLimits = { stallMs: 3 * 60_000, mostMs: 10 * 60_000 };

/**
 * @typedef {object} Needs
 * @property {boolean} browser
 * @property {boolean} postgres
 * @property {boolean} nginx
 * @property {boolean} promtool
 * @property {boolean} pgbouncer
 * @property {boolean} languages Python and PHP, for the clients that partners download.
 */

/**
 * The programs that the tests need, found or installed.
 *
 * @typedef {object} Provisions
 * @property {Record<string, string>} env For the following steps: CHROMIUM_PATH (absent if Playwright's own browser is
 *   used), HEADLESS_SHELL_PATH, FIREFOX_PATH and WEBKIT_DRIVER_PATH (absent if there is none), TEST_DATABASE_URL.
 * @property {string[]} notes The found programs, in words.
 * @property {string[]} programs The paths of the found programs.
 * @property {() => number | null} databaseSeconds The processor time of the started PostgreSQL since the first count;
 *   called once, at the end. Null if none was started, or if the system does not report it.
 * @property {() => Promise<void>} release Stops everything that was started.
 */

/**
 * @typedef {{ root: string, logFolder: string, signal: AbortSignal }} Run
 */

/**
 * Finds the required browser, PostgreSQL, nginx, promtool, Python and PHP. Root on Debian installs missing ones as
 * packages; otherwise Playwright's own browser is downloaded.
 *
 * @param {Needs} needs
 * @param {Run} run
 * @returns {Promise<Provisions>}
 * @throws {Error} If something is unavailable here; the message says what to do.
 */
export async function provision(needs, run) {
  const givenDatabaseUrl = process.env.TEST_DATABASE_URL;
  if (canInstallPackages()) await installMissing(needs, givenDatabaseUrl, run);
  /** @type {Provisions} */
  const provisions = { env: {}, notes: [], programs: [], databaseSeconds: () => null, release: async () => undefined };
  if (needs.browser) {
    await addBrowser(provisions, run);
    addEngine(provisions, "Firefox", "FIREFOX_PATH", firefoxPath());
    addEngine(provisions, "WebKit", "WEBKIT_DRIVER_PATH", webKitDriverPath());
  }
  if (needs.postgres && givenDatabaseUrl) {
    provisions.env.TEST_DATABASE_URL = givenDatabaseUrl;
    provisions.notes.push("PostgreSQL: the one in TEST_DATABASE_URL");
  } else if (needs.postgres) {
    await addPostgres(provisions);
  }
  const { nginx, promtool, pgbouncer, languages } = needs;
  if (nginx) addProgram(provisions, "nginx", nginxPath(), "what stands behind it is left out");
  if (promtool) addProgram(provisions, "promtool", programPath("promtool"), "the alerts are not played");
  if (pgbouncer) addProgram(provisions, "PgBouncer", programPath("pgbouncer"), "what goes through it is left out");
  if (languages) {
    addProgram(provisions, "Python", programPath("python3"), "its client is left out");
    addProgram(provisions, "PHP", programPath("php"), "its client is left out");
  }
  return provisions;
}

/**
 * @param {Provisions} provisions
 * @param {string} name
 * @param {string | undefined} path
 * @param {string} otherwise What a missing program means.
 */
function addProgram(provisions, name, path, otherwise) {
  if (path) provisions.programs.push(path);
  provisions.notes.push(path ? `${name}: ${path}` : `${name}: none here, ${otherwise}`);
}

/**
 * @param {readonly string[]} programs Paths.
 * @returns {string[]} A text for each that changes with its version. Not every program prints its version, so the date
 *   of its file is part of the text.
 */
export function versionsOf(programs) {
  return programs.map((path) => {
    const { mtimeMs, size } = statSync(path);
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 20_000 });
    return `${path} ${mtimeMs} ${size} ${stdout}`;
  });
}

/**
 * @param {Needs} needs
 * @param {string | undefined} givenDatabaseUrl
 * @param {Run} run
 */
async function installMissing(needs, givenDatabaseUrl, { logFolder, signal }) {
  const packages = [];
  if (needs.browser && chromiumPath() === undefined) packages.push("chromium");
  // Screenshots are rendered with it; without any font every letter is the same box.
  if (needs.browser && !existsSync(debianFonts)) packages.push("fonts-liberation");
  if (needs.browser && firefoxPath() === undefined) packages.push("firefox-esr");
  // WebKit's browser needs a display, which is a virtual one.
  if (needs.browser && webKitDriverPath() === undefined) packages.push("webkit2gtk-driver", "xvfb");
  if (needs.postgres && !givenDatabaseUrl && (await findPostgres()) === undefined) packages.push("postgresql");
  if (needs.nginx && nginxPath() === undefined) packages.push("nginx-light");
  if (needs.promtool && programPath("promtool") === undefined) packages.push("prometheus");
  if (needs.languages && programPath("python3") === undefined) packages.push("python3");
  if (needs.languages && programPath("php") === undefined) packages.push("php-cli");
  const run = { logPath: join(logFolder, "apt.log"), signal };
  if (packages.length > 0) await installPackages(packages, run);
  // Not every Debian has it. The full browser can replace it, but is slower.
  const isWanted = needs.browser && chromiumPath() === debianChromium && !existsSync(debianShell);
  if (isWanted) await installPackages(["chromium-headless-shell"], run).catch(() => undefined);
  const isPoolerWanted = needs.pgbouncer && programPath("pgbouncer") === undefined;
  if (isPoolerWanted) await installPackages(["pgbouncer"], run).catch(() => undefined);
}

/** Debian puts it where no ordinary user's path finds it. */
function nginxPath() {
  return programPath("nginx");
}

/** @param {string} name */
function programPath(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function chromiumPath() {
  return browserPath("CHROMIUM_PATH", debianChromium);
}

/** It must have the browser's version, because another one may render differently. */
function shellPath() {
  return browserPath("HEADLESS_SHELL_PATH", chromiumPath() === debianChromium ? debianShell : "");
}

function firefoxPath() {
  return browserPath("FIREFOX_PATH", debianFirefox);
}

/** The driver of WebKit's browser, if there is also a display for it. */
function webKitDriverPath() {
  const path = browserPath("WEBKIT_DRIVER_PATH", debianWebKitDriver);
  return programPath("Xvfb") ? path : undefined;
}

/**
 * @param {string} variable
 * @param {string} debians
 * @returns {string | undefined} The browser in the variable, else Debian's, else none.
 */
function browserPath(variable, debians) {
  const named = process.env[variable];
  if (named && !existsSync(named)) throw new Error(`${variable} names ${named}, which does not exist.`);
  return named || (existsSync(debians) ? debians : undefined);
}

/**
 * Playwright's own Firefox and WebKit differ from those that patients use, so they are no substitute. Without a real
 * browser, its tests are left out.
 *
 * @param {Provisions} provisions
 * @param {string} name
 * @param {string} variable
 * @param {string | undefined} path
 */
function addEngine(provisions, name, variable, path) {
  if (path) provisions.env[variable] = path;
  addProgram(provisions, name, path, "its tests are left out");
}

/**
 * @param {Provisions} provisions
 * @param {Run} run
 */
async function addBrowser(provisions, { root, logFolder, signal }) {
  const path = chromiumPath();
  const shell = shellPath();
  if (shell) provisions.env.HEADLESS_SHELL_PATH = shell;
  if (path) {
    provisions.env.CHROMIUM_PATH = path;
    provisions.programs.push(path, ...(shell ? [shell] : []));
    provisions.notes.push(`browser: ${[path, shell].filter(Boolean).join(", ")}`);
    return;
  }
  const withSystemLibraries = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") ? ["--with-deps"] : [];
  const { code, output } = await runCommand({
    program: join(root, "e2e/node_modules/.bin/playwright"),
    args: ["install", ...withSystemLibraries, "chromium"],
    cwd: join(root, "e2e"),
    logPath: join(logFolder, "browser.log"),
    limits: downloadLimits,
    signal,
  });
  if (code !== 0) {
    const printed = output.trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(
      `No browser for the tests: Playwright could not install its own. Install Chromium and name it in CHROMIUM_PATH.\n${printed}`,
    );
  }
  provisions.notes.push("browser: Playwright's own");
}

/** @param {Provisions} provisions */
async function addPostgres(provisions) {
  const installation = await findPostgres();
  if (installation === undefined) {
    throw new Error(
      "No PostgreSQL for the tests: install version 15 or newer, or set TEST_DATABASE_URL to one where databases may be created.",
    );
  }
  const server = await startPostgres(installation);
  const processor = countProcessor();
  processor.add(server.pid);
  provisions.env.TEST_DATABASE_URL = server.url;
  provisions.databaseSeconds = processor.end;
  provisions.release = server.stop;
  provisions.notes.push(`PostgreSQL: ${server.version}, a throw-away server`);
}
