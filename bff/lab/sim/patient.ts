import { answerChallenge } from "../../sandbox/card-processor/challenge.ts";
import { listEmails, type StoredEmail } from "../../sandbox/messenger/messenger-store.ts";
import type { AnswerLinkCodeResponse, ShownCharge } from "../../src/contract/self-service-links.ts";
import { shownChargeOf } from "../../src/contract/upcoming-charge.ts";
import { readOrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { parseRut } from "../../src/contract/vocabulary/rut.ts";
import { cardFor, seal } from "../../test/http/gateways/start-gateways.ts";
import type { Acknowledged, ConsentFacts, Facts } from "./facts.ts";
import type { InjectedAnswer, InjectedRequest } from "./inject.ts";
import type { Instance } from "./instance.ts";
import { type PatientWish, SKEW_MAX_MS } from "./life-plan.ts";
import { jsonRequest } from "./requests.ts";
import { consentsTo, type Partner, type World } from "./world.ts";

/** The patient's identity, as the customer knows it. */
export interface PatientIdentity {
  readonly rut: string;
  readonly mailbox: string;
  readonly orderId: string | null;
}

export interface PatientDependencies {
  readonly world: Pick<World, "stage" | "parties" | "database" | "wishes">;
  readonly partner: Partner;
  readonly identity: () => PatientIdentity;
  /** The button that they press on their bank's page. */
  readonly presses: "approve" | "reject";
  readonly ask: (instance: Instance, request: InjectedRequest) => Promise<InjectedAnswer | null>;
  readonly acknowledge: (what: string, holds: Acknowledged["holds"]) => void;
}

/** A patient who acts on the service's mails: reads the link, requests the code, types it in. */
export interface Patient {
  /**
   * Acts on the newest link of a kind. Returns whether there was one. With two instances, charges are requested at both
   * at once.
   */
  wish(instances: readonly Instance[], wish: PatientWish): Promise<boolean>;
}

/** The labels of the mails' buttons. */
const LINKS = {
  change_card: ["Cambiar mi tarjeta"],
  give_access: ["Dar acceso de nuevo", "Dar acceso a mi isapre"],
  pay_early: ["Pagar ahora"],
  my_data: ["Ver mis datos"],
} as const;
/** The beginnings of the subjects of mails with a code for a link to the patient's data, card, payment or access. */
const LINK_CODE = /^Tu código para (?!pagar en)/;
const MAILS_READ = 50;

/** A link whose code was answered. */
interface OpenLink {
  readonly widget_token: string;
  readonly access: string;
}

export function createPatient(dependencies: PatientDependencies): Patient {
  return new PatientByMail(dependencies);
}

class PatientByMail implements Patient {
  readonly #given: PatientDependencies;
  readonly #cards: string[] = [];
  /** Whether the access given last may have been withdrawn. */
  #endedAccess = false;
  /** The charge that the last opened page announced for a replacement card. */
  #shown: ShownCharge | null = null;
  /** Whether the newest mail has a link to the patient's data that was not refused yet. */
  #hasDataLink = false;

  constructor(dependencies: PatientDependencies) {
    this.#given = dependencies;
  }

  async wish(instances: readonly Instance[], wish: PatientWish): Promise<boolean> {
    const [instance] = instances;
    if (instance === undefined) return false;
    const isOwnData =
      wish.to === "see_data" || wish.to === "remove_cards" || wish.to === "withdraw" || wish.to === "erase";
    const labels = LINKS[isOwnData ? "my_data" : wish.to];
    const token = isOwnData ? await this.#dataLink(instance) : await this.#newestLink(labels);
    if (token === null) return false;
    const link = await this.#open(instance, token);
    if (link !== null) await this.#act(instances, link, wish);
    return true;
  }

  async #act(instances: readonly Instance[], link: OpenLink, wish: PatientWish): Promise<void> {
    const [instance] = instances;
    if (instance === undefined) return;
    switch (wish.to) {
      case "change_card":
        return this.#changeCard(instance, link, wish.card);
      case "give_access":
        return this.#giveAccess(instance, link);
      case "pay_early":
        for (let times = 0; times < wish.times; times += 1)
          await Promise.all(
            (wish.twice ? instances : [instance]).map((one) => this.#payEarly(one, link, times % 3 === 2)),
          );
        return;
      case "see_data":
        return this.#seeData(instance, link);
      case "remove_cards":
        return this.#removeCards(instance, link);
      case "withdraw":
        return this.#withdraw(instance, link, wish.purpose);
      case "erase":
        return this.#erase(instance, link);
    }
  }

  async #changeCard(instance: Instance, link: OpenLink, number: string): Promise<void> {
    const { parties, stage } = this.#given.world;
    const { orderId } = this.#given.identity();
    const hash = readOrderId(orderId ?? "");
    if (hash === null) return;
    const card = cardFor(hash, stage.clock.now(), { number });
    const showing = this.#shown === null ? {} : { shown: this.#shown };
    if (this.#shown !== null)
      this.#given.world.wishes.shownCharges.push({ ...this.#shown, orderId: hash, at: stage.clock.now() });
    const sealed_card = await stage.alone(async () => seal(await parties.cardProcessor.sealingKey(), card));
    this.#cards.push(number.slice(-4));
    const first = this.#cards.length - 1;
    const answer = await this.#postConfirmed(instance, "card", { ...link, sealed_card, ...showing }, link);
    if (answer?.status !== 200 || answer.body.status !== "changed") return;
    // If the answer was lost, a card given later may have replaced it.
    this.#given.acknowledge(`the card of ${hash} was changed`, ({ collections }) =>
      collections.some(
        ({ order_id, card_ending }) => order_id === hash && this.#cards.slice(first).includes(card_ending ?? ""),
      ),
    );
  }

  async #giveAccess(instance: Instance, link: OpenLink): Promise<void> {
    const { parties, stage } = this.#given.world;
    const { rut } = this.#given.identity();
    const beneficiaryId = await this.#record();
    const iat = Math.floor(stage.clock.now().getTime() / 1_000);
    const access = { insurer: "colmena", rut, password: "otra-clave-de-prueba", iat };
    const sealed = await stage.alone(async () => seal(await parties.insurer.sealingKey(), access));
    const answer = await this.#post(instance, "insurer_access", {
      ...link,
      insurer: "colmena",
      sealed_insurer_access: sealed,
      consents: consentsTo("onboarding").filter(({ purpose }) => purpose === "insurer_access"),
    });
    if (answer?.status !== 200 || beneficiaryId === null) return;
    if (!this.#given.world.wishes.erased.has(beneficiaryId)) this.#endedAccess = false;
    this.#given.acknowledge(
      `access to the insurer was given again by ${rut}`,
      ({ beneficiaries }) =>
        this.#endedAccess || beneficiaries.some(({ id, has_access }) => id === beneficiaryId && has_access),
    );
  }

  async #payEarly(instance: Instance, link: OpenLink, inquire: boolean): Promise<void> {
    const answer = await this.#postConfirmed(instance, "early_payment", { ...link, inquire }, link);
    if (answer?.status !== 200 || answer.body.status !== "collected") return;
    const { orderId } = this.#given.identity();
    this.#given.acknowledge(`the rest of ${orderId} was paid early`, ({ collections }) =>
      collections.some(({ order_id, state }) => order_id === orderId && state === "collected"),
    );
  }

  async #seeData(instance: Instance, link: OpenLink): Promise<void> {
    const { rut, orderId, mailbox } = this.#given.identity();
    const answer = await this.#post(instance, "data", link);
    if (answer?.status !== 200) return;
    const { patient, orders } = answer.body;
    const tokens: unknown[] = orders.map(({ order_token }: { order_token: string }) => order_token);
    // A customer whose answer to the order was lost does not know which one is theirs.
    const isWhole = patient.rut === rut && patient.email === mailbox && (orderId === null || tokens.includes(orderId));
    this.#given.acknowledge(`${rut} was shown all that is kept, and their own order`, () => isWhole);
  }

  async #removeCards(instance: Instance, link: OpenLink): Promise<void> {
    const data = await this.#post(instance, "data", link);
    if (data?.status !== 200) return;
    for (const { id } of data.body.saved_cards as readonly { readonly id: string }[]) {
      const kept = await this.#keptCards(id);
      const answer = await this.#post(instance, "saved_cards/remove", { ...link, saved_card: id });
      if (answer?.status === 200) this.#removed(kept);
    }
  }

  /** The processor's ids of the patient's saved cards, or of one of them. */
  async #keptCards(id: string | null): Promise<readonly string[]> {
    const { world } = this.#given;
    const beneficiaryId = await this.#record();
    if (beneficiaryId === null) return [];
    const select = world.database.db
      .selectFrom("saved_cards")
      .select(["id", "stored_card_id"])
      .where("beneficiary_id", "=", beneficiaryId);
    const rows = await world.stage.busy(() => select.execute());
    return rows.flatMap((row) =>
      row.stored_card_id !== null && (id ?? row.id) === row.id ? [row.stored_card_id] : [],
    );
  }

  /** The service has confirmed that these cards no longer pay for anything. */
  #removed(kept: readonly string[]): void {
    const { wishes, stage } = this.#given.world;
    const at = stage.clock.now();
    wishes.removedCards.push(...kept.map((storedCardId) => ({ storedCardId, at })));
  }

  async #withdraw(instance: Instance, link: OpenLink, purpose: string): Promise<void> {
    const { rut, orderId } = this.#given.identity();
    const { partner, world } = this.#given;
    if (["claim_mandate", "health_data", "insurer_access"].includes(purpose)) this.#endedAccess = true;
    const kept = purpose === "saved_card" ? await this.#keptCards(null) : [];
    const answer = await this.#post(instance, "consents/withdraw", { ...link, purpose });
    if (answer?.status !== 200) return;
    this.#removed(kept);
    const asked = world.stage.clock.now().getTime() - SKEW_MAX_MS;
    const isMeant = (consent: ConsentFacts) =>
      consent.provider_id === partner.provider.id &&
      consent.rut === rut &&
      consent.purpose === purpose &&
      (consent.order_id === null || consent.order_id === orderId) &&
      Date.parse(consent.accepted_at) < asked;
    this.#given.acknowledge(`${rut} has withdrawn ${purpose}`, ({ consents }) =>
      consents.filter(isMeant).every(({ withdrawn_at }) => withdrawn_at !== null),
    );
  }

  async #erase(instance: Instance, link: OpenLink): Promise<void> {
    const { rut } = this.#given.identity();
    const beneficiaryId = await this.#record();
    if (beneficiaryId === null) return;
    this.#endedAccess = true;
    this.#given.world.wishes.erased.add(beneficiaryId);
    const kept = await this.#keptCards(null);
    const answer = await this.#post(instance, "erasure", link);
    if (answer?.status !== 200) return;
    this.#removed(kept);
    if (answer.body.status === "erased")
      this.#given.acknowledge(`${rut} was erased`, (facts) => isErased(facts, beneficiaryId, rut));
  }

  /**
   * The patient's proven record, or null. If an order has several sign-ups, only the last answered one becomes the
   * record.
   */
  async #record(): Promise<string | null> {
    const { world, partner, identity } = this.#given;
    const select = world.database.db
      .selectFrom("beneficiaries")
      .select("id")
      .where("tenant", "=", partner.provider.id)
      .where("rut", "=", parseRut(identity().rut));
    return (await world.stage.busy(() => select.executeTakeFirst()))?.id ?? null;
  }

  /** Requests the link to the patient's data, which arrives by mail. */
  async #dataLink(instance: Instance): Promise<string | null> {
    const { rut } = this.#given.identity();
    if ((await this.#record()) === null) return null;
    const known = await this.#newestLink(LINKS.my_data);
    if (known !== null && this.#hasDataLink) return known;
    await this.#post(instance, "data_link", { rut });
    await instance.runDue();
    this.#hasDataLink = true;
    return this.#newestLink(LINKS.my_data);
  }

  async #newestLink(labels: readonly string[]): Promise<string | null> {
    for (const { text } of await this.#mails()) {
      const line = text.split("\n").find((each) => labels.some((label) => each.startsWith(`${label}: `)));
      if (line !== undefined) return new URL(line.slice(line.indexOf(": ") + 2)).searchParams.get("widget_token");
    }
    return null;
  }

  /** Requests the code, reads it in the mailbox and types it in. */
  async #open(instance: Instance, widget_token: string): Promise<OpenLink | null> {
    const sent = await this.#post(instance, "code", { widget_token });
    if (sent?.status === 404 || sent?.status === 410) this.#hasDataLink = false;
    if (sent?.status !== 202) return null;
    await instance.runDue();
    const mail = (await this.#mails()).find(({ subject }) => LINK_CODE.test(subject));
    const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0];
    if (code === undefined) return null;
    const opened = await this.#post(instance, "code/verify", { widget_token, code });
    if (opened?.status !== 200) return null;
    // The mailbox may contain mails about another person's order.
    const { orderId } = this.#given.identity();
    const isAbout: unknown = opened.body.order_token;
    if (isAbout !== null && isAbout !== orderId) return null;
    const { access, due }: AnswerLinkCodeResponse = opened.body;
    const upcoming = due?.upcoming_with_given_card;
    this.#shown = upcoming === undefined ? null : shownChargeOf(upcoming);
    return { widget_token, access };
  }

  #mails(): Promise<readonly StoredEmail[]> {
    const { partner, world } = this.#given;
    const { mailbox } = this.#given.identity();
    const of = { providerId: partner.provider.id, to: mailbox, limit: MAILS_READ };
    return world.stage.busy(() => listEmails(world.database.db, of));
  }

  /** Answers the challenge of the card's issuer, if there is one, and reads its outcome, as the page does. */
  async #postConfirmed(instance: Instance, path: string, body: object, link: OpenLink): Promise<InjectedAnswer | null> {
    const answer = await this.#post(instance, path, body);
    const challenge: unknown = answer?.body?.action?.url?.split("/").at(-1);
    if (typeof challenge !== "string") return answer;
    const { presses, world } = this.#given;
    const { database, stage } = world;
    await stage.busy(() => answerChallenge({ db: database.db, clock: stage.clock }, challenge, presses));
    return this.#post(instance, path, { ...link, inquire: true });
  }

  #post(instance: Instance, path: string, body: object): Promise<InjectedAnswer | null> {
    const { public_key: key } = this.#given.partner.credentials;
    return this.#given.ask(instance, jsonRequest("POST", `/api/spot/patient/${path}?public_key=${key}`, { body }));
  }
}

/** The record has become a pseudonym. The same person may have signed up again since, with a new record. */
function isErased({ beneficiaries, erasures }: Facts, id: string, rut: string): boolean {
  const isDone = erasures.some(({ beneficiary_id, state }) => beneficiary_id === id && state === "done");
  return isDone && beneficiaries.every((one) => one.id !== id || one.rut !== rut);
}
