/*
 * `<aapd-message amount="45952" public-key="PK_…" api="https://…">` shows the cost of an amount in two parts, with the
 * disclosures that the law requires of a credit. It stays hidden without a quote.
 */

/** The fields of `GET /api/quote` that the message shows. Amounts are integer CLP. */
export type MessageQuote = {
  readonly today: number;
  readonly later_charge: number;
  readonly total_cost: number;
  readonly annual_cost_percentage: number;
  /** `2027-01-05` */
  readonly latest_due_date: string;
  readonly financing_provider: string;
};

const MESSAGE_TAG = "aapd-message";
const ATTRIBUTES = ["amount", "public-key", "api", "locale"];

/** A shadow root keeps the page's rules out; font and colour are inherited from the page. */
const CSS = ":host{display:block}:host([hidden]){display:none}p{margin:0}p+p{margin-top:.25em;font-size:.875em}";

const pesos = (amount: number): string => `$${String(amount).replace(/\B(?=(\d{3})+$)/g, ".")}`;

const dayIn = (language: string) => new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
const [SPANISH_DAY, ENGLISH_DAY] = [dayIn("es-CL"), dayIn("en-GB")];

/** Two texts: the two payments, and the total cost. */
export const messageOf = (quote: MessageQuote, locale: string): readonly [string, string] => {
  const isEnglish = locale === "en";
  const [latest, today, later, cost] = [
    (isEnglish ? ENGLISH_DAY : SPANISH_DAY).format(new Date(quote.latest_due_date)),
    ...[quote.today, quote.later_charge, quote.total_cost].map(pesos),
  ];
  const annual = String(quote.annual_cost_percentage);
  return isEnglish
    ? [
        `${today} today, the rest when your isapre answers.`,
        `Second charge ${later}, by ${latest} at the latest. Total cost ${cost}. Annual cost (CAE) ${annual}%. Lent by ${quote.financing_provider}.`,
      ]
    : [
        `Hoy ${today}, el segundo cobro cuando tu isapre responda.`,
        `Segundo cobro ${later}, a más tardar el ${latest}. Costo total ${cost}. CAE ${annual.replace(".", ",")}%. Lo financia ${quote.financing_provider}.`,
      ];
};

/** Without a DOM (server rendering), importing it does nothing. */
const BaseElement: typeof HTMLElement = globalThis.HTMLElement ?? class {};

class AapdMessageElement extends BaseElement {
  static readonly observedAttributes = ATTRIBUTES;
  /** The latest request. Answers to earlier ones are dropped. */
  #latest: object | undefined;

  connectedCallback(): void {
    void this.#update();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) void this.#update();
  }

  async #update(): Promise<void> {
    const request = {};
    this.#latest = request;
    // Attributes that are set together lead to one request.
    await Promise.resolve();
    if (this.#latest !== request) return;
    const quote = await this.#read();
    if (this.#latest === request) this.#show(quote);
  }

  async #read(): Promise<MessageQuote | null> {
    const [amount, publicKey, api] = ATTRIBUTES.map((name) => this.getAttribute(name) ?? "");
    try {
      const url = new URL("/api/quote", api);
      url.search = String(new URLSearchParams({ public_key: publicKey ?? "", amount: amount ?? "" }));
      const answer = await fetch(url, { credentials: "omit" });
      const quote: unknown = await answer.json();
      return answer.ok ? (quote as MessageQuote) : null;
    } catch {
      return null;
    }
  }

  #show(quote: MessageQuote | null): void {
    this.hidden = quote === null;
    if (quote === null) return;
    const locale = this.getAttribute("locale") ?? "es-CL";
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(
      ...messageOf(quote, locale).map((text) => {
        const line = document.createElement("p");
        line.lang = locale;
        line.textContent = text;
        return line;
      }),
    );
  }
}

if (globalThis.customElements && !customElements.get(MESSAGE_TAG))
  customElements.define(MESSAGE_TAG, AapdMessageElement);
