import { describe, expect, it } from "vitest";
import {
  CATALOGUE_ACCOUNTS,
  CATALOGUE_ADDRESSES,
  CATALOGUE_CARDS,
  CATALOGUE_NUMBERS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
} from "../../sandbox/catalogue.ts";
import { errorCodes } from "../contract/errors.ts";
import { html, renderHtml } from "../platform/http/html.ts";
import { readKeptReleases } from "./kept-differences.ts";
import { llmsText } from "./llms.ts";
import { type Deployment, openApiDocument } from "./openapi.ts";
import { RELEASED_PACKAGES } from "./packages.ts";
import { changelogPage, changes } from "./pages/changelog-page.ts";
import { exampleCall } from "./pages/example-call.ts";
import { QUERY_LENGTH_MAX, renderPage } from "./pages/layout.ts";
import { pageScript } from "./pages/page-script.ts";
import { documentationPages } from "./pages/pages.ts";
import { operationsOf, referencePath, type Site } from "./pages/site.ts";
import { PROJECTS } from "./projects.ts";
import { prose } from "./prose.ts";
import { CLIENTS, readSamples } from "./samples.ts";
import { search, searchIndex, searchPage } from "./search.ts";

const deployment: Deployment = {
  environment: "staging",
  orderApiUrl: "https://staging.order.example",
  spotApiUrl: "https://staging.spot.example",
  widgetHostUrl: "https://staging.widget.example",
  signatureWord: "Brand",
};
const testValues = {
  cards: CATALOGUE_CARDS,
  people: CATALOGUE_PATIENTS,
  serials: CATALOGUE_SERIALS,
  addresses: CATALOGUE_ADDRESSES,
  phoneNumbers: CATALOGUE_NUMBERS,
  bankAccounts: CATALOGUE_ACCOUNTS,
};
const site: Site = {
  deployment,
  document: openApiDocument(deployment),
  testValues,
  samples: readSamples(),
  packages: RELEASED_PACKAGES,
  releases: readKeptReleases(),
};
const all = documentationPages(site);
const pages = new Map(all.map((page) => [page.path, renderPage(page, all, site)]));
const downloads: ReadonlySet<string> = new Set([
  ...CLIENTS.map((name) => `/docs/clients/${name}`),
  ...PROJECTS.map((name) => `/docs/projects/${name}.zip`),
]);
const textOf = (path: string) => pages.get(path) ?? "";

describe("every page as Markdown", () => {
  const markdown = new Map(all.map((page) => [`${page.path}.md`, page.markdown]));
  const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");

  it.each([...markdown])("%s has the page's words, code and tables, and no HTML", (path, text) => {
    const page = textOf(path.replace(/\.md$/, ""));
    expect(text).toMatch(/^# \S/);
    expect(withoutCode(text)).not.toMatch(/<\/?[a-z][^>]*>/i);
    const count = (inText: string, pattern: RegExp) => (inText.match(pattern) ?? []).length;
    expect(count(text, /^```/gm) / 2).toBe(count(page, /<pre /g));
    expect(count(text, /^\|(?: -+ \|)+$/gm)).toBe(count(page, /<table /g));
  });

  it.each([...markdown])("%s has no dead link", (_path, text) => {
    for (const [, href = ""] of withoutCode(text).matchAll(/\]\((\/docs[^)#]*)/g))
      expect(markdown.has(href) || href === "/docs.md" || downloads.has(href), href).toBe(true);
  });

  it("is listed for machines in English, with its subject", () => {
    const listed = llmsText(all, deployment.orderApiUrl);
    const english = all.filter(({ language }) => language === "en");
    for (const { path, title, lead } of english)
      expect(listed).toContain(`- [${title}](${deployment.orderApiUrl}${path}.md): ${lead}`);
    expect(listed.match(/^- /gm)).toHaveLength(english.length);
  });
});

describe("every page", () => {
  it.each([...pages])("%s has one script, identified by its hash, no inline style and no other host", (_path, text) => {
    const { integrity } = pageScript();
    expect(text.split(`<script src="/docs/docs.js" integrity="${integrity}" defer></script>`)).toHaveLength(2);
    expect(text.match(/<script/gi)).toHaveLength(1);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+="|javascript:|<iframe|<img/i);
    const loaded = [...text.matchAll(/<link rel="(?:icon|stylesheet)" href="([^"]*)"/g)].map(([, href]) => href);
    expect(loaded).toEqual(["data:,", "/docs/docs.css"]);
  });

  it.each([...pages])("%s has one main heading, one main part, a language, and each id once", (path, text) => {
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text.match(/<main /g)).toHaveLength(1);
    expect(text).toContain(`<html lang="${path.startsWith("/docs/es") ? "es-CL" : "en"}">`);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it.each([...pages])("%s has no dead link", (path, text) => {
    for (const [, href = ""] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (downloads.has(href)) continue;
      if (href === "/openapi.json" || href === "/llms.txt" || href.startsWith(deployment.widgetHostUrl)) continue;
      const [target, anchor] = href.split("#");
      const linked = textOf(target === "" ? path : (target ?? ""));
      expect(linked, href).not.toBe("");
      if (anchor !== undefined) expect(linked, href).toContain(` id="${anchor}"`);
    }
  });

  it.each([...pages])("%s contains no unfilled placeholder and no source code", (_path, text) => {
    expect(text).not.toMatch(/WIDGET_HOST\/|[xX]-[sS]ervice-[sS]ignature|undefined|\[object Object\]|NaN/);
  });
});

describe("the guide's languages", () => {
  const searched = (query: string, language: "en" | "es" = "en") => search(searchIndex(all, language), query);

  it("link to each other: every page of the guide has its twin, with a visible link", () => {
    for (const { path, translation, language } of all) {
      if (translation === null) expect(textOf(path)).toContain('href="/docs/es" hreflang="es"');
      else {
        expect(all.find((page) => page.path === translation)).toMatchObject({ translation: path });
        expect(textOf(path)).toContain(
          `<a class="language" href="${translation}" hreflang="${language === "en" ? "es" : "en"}"`,
        );
        for (const one of [path, translation])
          expect(textOf(path)).toContain(
            `<link rel="alternate" hreflang="${one.startsWith("/docs/es") ? "es" : "en"}" href="${one}">`,
          );
      }
    }
  });

  it("say on each page in Spanish that the reference is in English", () => {
    for (const [path, text] of pages)
      if (path.startsWith("/docs/es"))
        expect(text).toContain("La referencia de endpoints y lo que se genera del contrato están en inglés.");
  });

  it("a search finds words, codes and endpoints, best first, without accents", () => {
    expect(searched("duplicate_reference")[0]).toMatchObject({ href: "/docs/errors#duplicate_reference" });
    expect(searched("test vector")[0]).toMatchObject({ href: "/docs/webhooks#vector" });
    expect(searched("POST /orders/{hash}/cancel")[0]?.href).toBe("/docs/reference/cancelOrder");
    expect(searched("meson codigo qr", "es")[0]).toMatchObject({ href: "/docs/es/front-desk#qr" });
    expect(searched("MESÓN", "es")[0]?.href).toMatch(/^\/docs\/es\/front-desk/);
    expect(searched("createOrder", "es").length).toBeGreaterThan(0);
    expect(searched("boleta", "en").every(({ href }) => !href.startsWith("/docs/es"))).toBe(true);
  });

  it("a search without words, or for words that are nowhere, finds nothing", () => {
    for (const query of ["zzxqy", "", " ", "a", "!!", "x".repeat(100)]) expect(searched(query)).toEqual([]);
  });

  it("every search result leads to an existing page and anchor", () => {
    for (const language of ["en", "es"] as const)
      for (const { href } of searchIndex(all, language)) {
        const [path = "", anchor] = href.split("#");
        expect(textOf(path), href).not.toBe("");
        if (anchor !== undefined) expect(textOf(path), href).toContain(` id="${anchor}"`);
      }
  });

  it("the search page shows its query as text, and refuses one that is too long", () => {
    const attack = `"><script>alert(1)</script>`;
    const page = (query: string) => renderPage(searchPage(searchIndex(all, "en"), query, "en"), all, site, query);
    expect(page(attack)).not.toContain("<script>");
    expect(page("webhook")).toContain('<ol class="results">');
    expect(page("y".repeat(QUERY_LENGTH_MAX + 1))).toContain("at most 100 characters");
    // The cut is in the middle of a character.
    expect(page(`${"y".repeat(QUERY_LENGTH_MAX - 1)}😀`)).toContain("at most 100 characters");
  });

  it("a search scans the guide once per word, for at most eight words", () => {
    const index = searchIndex(all, "en");
    const reads = { count: 0 };
    const counted = index.map((passage) => ({
      ...passage,
      get folded() {
        reads.count += 1;
        return passage.folded;
      },
    }));
    // All two-letter words that most passages contain.
    const worst = "re er on an at en st or nd ti es ed in te is it al ar th to".slice(0, QUERY_LENGTH_MAX);
    search(counted, worst);
    expect(reads.count).toBe(index.length);
    expect(search(index, "an".repeat(50))).toEqual([]);
  });
});

describe("all pages together", () => {
  it("show every endpoint on a separate page, with all its codes", () => {
    for (const called of operationsOf(site.document)) {
      const text = textOf(referencePath(called));
      expect(text).toContain(`<h1><span class="method" data-method="${called.method}">`);
      for (const response of Object.values(called.operation.responses)) {
        for (const code of response["x-codes"] ?? []) expect(text).toContain(`<code>${code}</code>`);
      }
    }
  });

  it("show every call with an address that curl can send", () => {
    for (const called of operationsOf(site.document)) {
      const [, url] = /^curl -X \w+ "([^"]*)"/.exec(exampleCall(called, site.document)) ?? [];
      expect(url).not.toMatch(/[{}[\]]|undefined/);
    }
  });

  it("show every code", () => {
    for (const code of Object.keys(errorCodes)) expect(textOf("/docs/errors")).toContain(` id="${code}"`);
  });

  it("show every test value of the sandbox", () => {
    const text = textOf("/docs/sandbox").replaceAll(/(\d{4}) (?=\d)/g, "$1");
    for (const { number } of CATALOGUE_CARDS) expect(text).toContain(`<code>${number}</code>`);
    for (const { rut } of CATALOGUE_PATIENTS) expect(text).toContain(`<code>${rut}</code>`);
    for (const { serial } of CATALOGUE_SERIALS) expect(text).toContain(`<code>${serial}</code>`);
    for (const { number } of CATALOGUE_ACCOUNTS) expect(textOf("/docs/sandbox")).toContain(`<code>${number}</code>`);
    for (const { number } of CATALOGUE_NUMBERS) expect(textOf("/docs/sandbox")).toContain(`<code>${number}</code>`);
    for (const { email } of CATALOGUE_ADDRESSES) expect(text).toContain(`<code>${email}</code>`);
  });

  it("show no test value in production, where there is no sandbox", () => {
    const production: Deployment = { ...deployment, environment: "production" };
    const itsSite: Site = {
      ...site,
      deployment: production,
      document: openApiDocument(production),
      testValues: null,
    };
    const itsPages = documentationPages(itsSite);
    const its = itsPages.map((page) => renderPage(page, itsPages, itsSite));
    const guide = its.filter((text) => !text.includes('<h1><span class="method"'));
    for (const text of guide) for (const { number } of CATALOGUE_CARDS) expect(text).not.toContain(number);
    expect(its.join("")).not.toContain("/sandbox/");
    expect(its.join("")).toContain("there is no sandbox here");
  });

  it("list the interface's changes below the description of each day, breaking ones first", () => {
    const many = Array.from({ length: 30 }, (_, number) => `webhook \`order.kind_${number}\``);
    const releases = [
      {
        date: changes[0]?.date ?? "",
        differences: [
          { what: "`order.lines`: gone", breaks: true, where: many },
          { what: "`lines`: a new field", breaks: false, where: ["`POST /orders` (request)"] },
        ],
      },
    ];
    const page = changelogPage({ ...site, releases }).markdown;
    const [newest = "", older = ""] = page.split(`## ${changes[1]?.date}`);
    expect(newest).toContain("**Breaks**: `order.lines`: gone.");
    expect(newest).toContain("webhook `order.kind_0`");
    expect(newest).toContain("and 22 more");
    expect(newest.indexOf("order.lines")).toBeLessThan(
      newest.indexOf("`lines`: a new field. `POST /orders` (request)"),
    );
    expect(newest.indexOf("order.lines")).toBeGreaterThan(newest.indexOf(changes[0]?.changes[0]?.slice(0, 40) ?? ""));
    expect(older).not.toContain("order.lines");
  });

  it("show differences of the sandbox in staging only", () => {
    const differences = [{ what: "endpoint: new", breaks: false, where: ["`POST /sandbox/fire`"] }];
    const withIt = (environment: Deployment["environment"]) =>
      changelogPage({
        deployment: { ...deployment, environment },
        releases: [{ date: changes[0]?.date ?? "", differences }],
      }).markdown;
    expect(withIt("staging")).toContain("/sandbox/fire");
    expect(withIt("production")).not.toContain("endpoint: new");
  });

  it("show every recorded release on a day that has a description", () => {
    const days = changes.map(({ date }) => date);
    const kept = site.releases.map(({ date }) => date);
    expect(kept.filter((date) => !days.includes(date))).toEqual([]);
    expect(kept).toEqual([...new Set(kept)].toSorted().toReversed());
  });

  it("use only RUTs of the sandbox in examples, which belong to no person", () => {
    const ruts = JSON.stringify(site.document).match(/4\d\.?\d{3}\.?\d{3}-[\dK]/g) ?? [];
    expect(ruts.length).toBeGreaterThan(0);
    const known = CATALOGUE_PATIENTS.map(({ rut }) => rut);
    expect(ruts.map((rut) => rut.replaceAll(".", "")).filter((rut) => !known.includes(rut))).toEqual([]);
  });
});

describe("a template", () => {
  it("escapes all text, in elements and in attributes", () => {
    const attack = `"><img src=x onerror=alert(1)>&'`;
    const text = renderHtml(html`<p title="${attack}">${attack}${[attack]}${prose(`\`${attack}\``)}</p>`);
    expect(text.match(/[<>]/g)).toHaveLength(8);
    expect(text).not.toContain("<img");
    expect(text.split('"')).toHaveLength(3);
  });

  it("omits empty values, and keeps zero", () => {
    expect(renderHtml(html`<p>${null}${undefined}${false}${0}${""}</p>`)).toBe("<p>0</p>");
  });
});
