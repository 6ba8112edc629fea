import { type Content, type Html, html } from "../platform/http/html.ts";

/** Formats our own sentences: text between backticks becomes code. */
export function prose(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

type TokenKind = "comment" | "string" | "word" | "number" | "key";

const tokens: Readonly<Record<Language, RegExp>> = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\b\d+(?:\.\d+)?\b)|(?<word>\b(?:true|false|null)\b)/g,
  js: /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\d_]*\b)|(?<word>\b(?:async|await|const|export|for|from|function|if|import|new|of|return|throw)\b)/g,
  html: /(?<comment><!--[\s\S]*?-->)|(?<string>"[^"\n]*")|(?<word><\/?[a-z][\w-]*|\/?>)/g,
  shell: /(?<comment>(?<=^|\s)#.*)|(?<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?<word>(?<=^|\s)-{1,2}[\w-]+|^curl\b)/gm,
  text: /(?!)/g,
};

export type Language = "json" | "js" | "html" | "shell" | "text";

export function isLanguage(name: string): name is Language {
  return Object.hasOwn(tokens, name);
}

/**
 * A block of code with simple highlighting. It can be scrolled on its own, also with the keyboard. The pages' script
 * adds a button to it that copies.
 */
export function codeBlock(text: string, language: Language, label: string): Html {
  return html`<div class="sample"><pre class="code" tabindex="0" role="region" aria-label="${label}" data-language="${language}"><code>${colour(text, language)}</code></pre></div>`;
}

function colour(text: string, language: Language): Content[] {
  const contents: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens[language])) {
    const kind = tokenKinds.find((name) => match.groups?.[name] !== undefined) ?? "word";
    contents.push(text.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return [...contents, text.slice(end)];
}

const tokenKinds: readonly TokenKind[] = ["comment", "key", "string", "number", "word"];
