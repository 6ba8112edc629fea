-- Numbers events as they are published, so that they are dispatched in this order. Rolled-back transactions leave gaps. The version
-- before does not use it: it dispatches events that have no sequence number in any order.
create sequence events_published;
