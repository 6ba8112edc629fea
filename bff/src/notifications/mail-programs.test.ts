import { caniemail } from "caniemail";
import { describe, expect, it } from "vitest";
import { exampleAbout, exampleSender, notificationExamples } from "../../sandbox/gallery/notification-examples.ts";
import { renderMail } from "./render-mail.ts";

/* What Outlook, Gmail and Apple Mail drop of the mails' HTML, by the data of caniemail.com. */

const PROGRAMS = ["outlook.*", "gmail.*", "apple-mail.*"] as const;

/** What some of these programs drop or support in part, and why each mail is still complete and readable there. */
const DROPPED: Readonly<Record<string, string>> = {
  "<body> element": "it becomes a <div>; the outer table has the same background",
  "<style> element": "the inlined styles show the whole mail in light colours",
  "@media": "the inlined styles show the whole mail in light colours, with the wider padding",
  "align attribute": "no table has it, only cells",
  background: "each is one colour",
  border: "only tables and cells have one, of at most 4 px",
  "border-radius": "the button has square corners",
  "color-scheme CSS property": "the program chooses the colours",
  "color-scheme meta tag": "the program chooses the colours",
  display: "`block` and `inline-block` keep their element's own place",
  "display:none": "the preheader has no height, and `mso-hide` hides it in Outlook",
  "font-size": "all are in px",
  "font-weight": "all are bold",
  "height attribute": "the logo's is in px",
  "height property": "the logo has the attribute",
  "letter-spacing": "it is positive and in px",
  "line-height": "`mso-line-height-rule` makes it exact",
  margin: "none is negative, and none is on a <span>",
  "max-height property": "the logo has the attribute, and `mso-hide` hides the preheader",
  "max-width": "Outlook has a table of that width around it",
  opacity: "it only hides the preheader, which has no height",
  overflow: "it only hides the preheader, which `mso-hide` hides in Outlook",
  padding: "only cells have it",
  "role attribute": "it only keeps screen readers from announcing tables",
  "text-decoration": "it has one value",
  "white-space": "short cells have the attribute `nowrap`",
  "width attribute": "no picture has one",
};

const sender = { ...exampleSender, logoUrl: "https://clinic.example/logo.png", supportPhone: "+56 2 2345 6789" };
const context = { sender, about: exampleAbout, paymentPage: "https://widget.example/?widget_token=t" };
const mails = notificationExamples.map((example) => ({
  kind: example.kind,
  html: renderMail("camila@example.com", example, context, "es-CL").html,
}));

function droppedIn(html: string): readonly string[] {
  const { errors, warnings } = caniemail({ clients: [...PROGRAMS], html }).issues;
  return [errors, warnings].flatMap((issues) => [...issues.values()].flat().map(({ title }) => title));
}

describe("Outlook, Gmail and Apple Mail", () => {
  it("drop nothing of a mail that it needs", () => {
    const found = new Set(mails.flatMap(({ html }) => droppedIn(html)));
    expect([...found].filter((title) => DROPPED[title] === undefined)).toEqual([]);
    // A reason for something that no mail has would hide it once a mail has it.
    expect(Object.keys(DROPPED).filter((title) => !found.has(title))).toEqual([]);
  });

  it("find padding and borders only on tables and cells, and no width limit on a table", () => {
    for (const { kind, html } of mails) {
      const styled = [...html.matchAll(/<(\w+)[^>]* style="([^"]*)"/g)];
      expect(styled.length).toBeGreaterThan(10);
      for (const [tag, element = "", style = ""] of styled) {
        if (element === "body") continue;
        if (/(^|;)padding/.test(style)) expect(element, `${kind}: ${tag}`).toBe("td");
        if (/(^|;)border[^:]*:[^;]*solid/.test(style)) expect(["td", "table"], `${kind}: ${tag}`).toContain(element);
        if (/(^|;)max-width/.test(style)) expect(element, `${kind}: ${tag}`).not.toBe("table");
      }
    }
  });
});
