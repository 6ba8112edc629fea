import { consoleDocument } from "../../../src/back-office/console/console-document.ts";
import { makeSignInLink } from "../../../src/back-office/console/sign-in/sign-in-link.ts";
import type { Role } from "../../../src/back-office/operators/role.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { englishWordsIn } from "../../spanish-pages.ts";
import type { TestBff } from "../../start-bff.ts";

export interface ConsoleAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser on the console. It keeps cookies, sends the origin of its forms, and follows no redirect by itself. */
export interface ConsoleBrowser {
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>;
  send(
    path: string,
    form: Readonly<Record<string, string | readonly string[]>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ConsoleAnswer>;
  /** The same response, parsed as data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers, which the schemas have checked.
  read(path: string): Promise<any>;
  readonly cookies: ReadonlyMap<string, string>;
}

export function consoleBrowser({ operatorConsole }: Pick<TestBff, "operatorConsole">): ConsoleBrowser {
  const cookies = new Map<string, string>();
  const call = async (path: string, init: RequestInit): Promise<ConsoleAnswer> => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(new URL(path, operatorConsole), { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    requireDocumented(init.method ?? "GET", path, response.status);
    const text = await response.text();
    if (text.includes('<html lang="es-CL">')) requireSpanish(path, text);
    return { status: response.status, text, headers: response.headers };
  };
  return {
    cookies,
    open: (path, headers = {}) => call(path, { headers: { accept: "text/html", ...headers } }),
    send(path, form, headers = {}) {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries(form)) for (const value of [values].flat()) body.append(name, value);
      return call(path, {
        method: "POST",
        body,
        headers: { accept: "text/html", origin: operatorConsole, ...headers },
      });
    },
    async read(path) {
      const { status, text } = await call(path, { headers: { accept: "application/json" } });
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
      return JSON.parse(text);
    },
  };
}

const documented = Object.entries(consoleDocument("http://console.test").paths).map(([path, item]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  item,
}));

/** Operators read Spanish on every page that a test opens. */
function requireSpanish(path: string, page: string): void {
  const words = englishWordsIn(page);
  if (words.length > 0) throw new Error(`${path} shows English words: ${words.join(", ")}.`);
}

/** Every status in a test must be documented for the console. */
function requireDocumented(method: string, path: string, status: number): void {
  const { pathname } = new URL(path, "http://console.test");
  const { item } = documented.find(({ pattern }) => pattern.test(pathname)) ?? {};
  const operation = method === "POST" ? item?.post : item?.get;
  // A browser that is not signed in is redirected to the sign-in page.
  if (operation === undefined || status === 303 || String(status) in operation.responses) return;
  throw new Error(`${method} ${pathname} answered ${status}, which is not documented.`);
}

/** A sign-in link from the command line, for an operator with a role. */
export function linkFor({ context, clock }: TestBff, name: string, role: Role): string {
  return makeSignInLink({ keyring: context.keyring, ids: systemIds, now: clock.now() }, { name, role });
}

/** A browser that has signed in by a link. */
export async function signedIn(bff: TestBff, name: string, role: Role = "operator"): Promise<ConsoleBrowser> {
  const browser = consoleBrowser(bff);
  const { status } = await browser.send("/sign-in/link", { secret: linkFor(bff, name, role) });
  if (status !== 303) throw new Error(`Signing in answered ${status}.`);
  return browser;
}
