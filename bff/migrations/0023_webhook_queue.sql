-- A delivery is leased and then ended: half of these changes stay on their page, and cost no index anything, if it has room.
-- What has left the queue is cleared from its index before looking for the oldest has to pass much of it.
alter table webhook_deliveries set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02
);
