const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const markup = Symbol("markup");

/** A piece of HTML in which all text is escaped. Only this file creates it. */
export interface Html {
  readonly [markup]: string;
}

/** The values that a template accepts: text is escaped, pieces of HTML are not, and empty values add nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Template tag: html`<p>${text}</p>`. Attribute values must be in double quotes. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const parts = strings.map((text, index) => text + (index < contents.length ? write(contents[index]) : ""));
  return { [markup]: parts.join("") };
}

/** The HTML as text. */
export function renderHtml(piece: Html): string {
  return piece[markup];
}

function write(content: Content): string {
  if (content === null || content === undefined || content === false) return "";
  if (typeof content === "string") return escapeHtml(content);
  if (typeof content === "number") return String(content);
  return markup in content ? content[markup] : content.map(write).join("");
}
