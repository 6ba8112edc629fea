-- A row of the ledger is never changed: what was booked wrongly is booked back by another row.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'a row of the ledger is never changed' using errcode = 'restrict_violation';
end
$$;
create trigger ledger_transfers_stay before update or delete on ledger_transfers
  for each row execute function refuse_ledger_change();
