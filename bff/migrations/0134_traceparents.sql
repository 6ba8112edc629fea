-- To which trace (W3C Trace Context) an order, an event and a timer belong, so that what follows from a request in another process
-- names the same trace. Null: it was written by an earlier version, or by nobody's request.
alter table orders add column traceparent text;
alter table events add column traceparent text;
alter table timers add column traceparent text;
