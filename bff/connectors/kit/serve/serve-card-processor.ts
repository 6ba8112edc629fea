import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { type ConnectorService, pageOf } from "../connector-service.ts";

/** Serves a card processor in the connector protocol. */
export function serveCardProcessor(service: ConnectorService, processor: CardProcessor): void {
  const protocol = cardProcessorProtocol;
  service.read(protocol.sealingKey, async () => {
    const cardPage = await processor.cardPage();
    const removes = (await processor.removesCards()) ? ({ removesCards: true } as const) : {};
    const cardPageDisplay = await processor.cardPageDisplay();
    const common = { ...removes, ...(cardPageDisplay && { cardPageDisplay }), limits: await processor.chargeLimits() };
    if (cardPage === "only") return { cardPage, ...common };
    const key = await processor.sealingKey();
    return cardPage === "none" ? { ...key, ...common } : { ...key, cardPage, ...common };
  });
  service.call(protocol.registerCard, {
    perform: (call, input) => processor.registerCard(call, input),
    inquire: (call) => processor.inquireRegistration(call),
  });
  service.call(protocol.keepCard, {
    perform: (call, input) => processor.keepCard(call, input),
    inquire: (call) => processor.inquireKeptCard(call),
  });
  service.call(protocol.registerStoredCard, { perform: (call, input) => processor.registerStoredCard(call, input) });
  service.call(protocol.forgetCard, {
    perform: (call, input) => processor.forgetCard(call, input),
    inquire: (call) => processor.inquireForgotten(call),
  });
  service.call(protocol.removeCard, {
    perform: (call, input) => processor.removeCard(call, input),
    inquire: (call) => processor.inquireRemoval(call),
  });
  service.read(protocol.keptCards, async (of) => ({ cards: [...(await processor.listKeptCards(of))] }));
  service.call(protocol.authenticate, {
    perform: (call, input) => processor.authenticate(call, input),
    inquire: (call) => processor.inquireAuthentication(call),
  });
  service.call(protocol.charge, {
    perform: (call, input) => processor.charge(call, input),
    inquire: (call) => processor.inquireCharge(call),
  });
  service.call(protocol.returnCharge, {
    perform: (call, input) => processor.returnCharge(call, input),
    inquire: (call) => processor.inquireReturn(call),
  });
  service.read(protocol.movements, async ({ provider_id, from, to, after }) =>
    pageOf(await processor.listMovements(provider_id, from, to), after),
  );
  service.read(protocol.settlements, async ({ provider_id, from, to, after }) =>
    pageOf(await processor.listSettlements(provider_id, from, to), after),
  );
}
