-- What lets a request in, for the one statement that admits it. These are functions because each statement of a function sees
-- what was committed before it: a plain statement would see what was there when it began to wait.

-- Counts one request for each key and tells the counts. A window begins with the first hit after the last. The keys are
-- counted in their order, so that two requests that count the same ones do not wait for each other in a circle.
create function count_hits(hit_keys text[], hit_windows_end_at timestamptz[], at timestamptz)
returns table (counted_key text, counted_points int, counted_until timestamptz)
language sql volatile as $$
  insert into rate_limits as stored (key, window_ends_at, points)
  select hit.key, hit.window_ends_at, 1
  from unnest(hit_keys, hit_windows_end_at) as hit (key, window_ends_at)
  order by hit.key
  on conflict (key) do update set
    points = case when stored.window_ends_at <= at then 1 else least(stored.points, 1000000) + 1 end,
    window_ends_at = case when stored.window_ends_at <= at then excluded.window_ends_at else stored.window_ends_at end
  returning stored.key, stored.points, stored.window_ends_at
$$;

-- Takes the slot of an Idempotency-Key for a lease if it is free: never used, expired, or left behind by a process that died
-- while it ran the request with this body. Tells how it stands where it is not free, and null where it is. `slot_keys` has the
-- key's hash, then its hashes under the server's older keys. Without a lease nothing is taken: what is outdated is removed.
create function take_slot(
  slot_provider uuid, slot_method text, slot_path text, slot_keys text[], slot_body text,
  slot_lease uuid, slot_lease_until timestamptz, slot_expires_at timestamptz, at timestamptz
) returns json
language plpgsql volatile as $$
declare
  slot_key text;
  kept record;
  is_outdated boolean;
begin
  loop
    is_outdated := false;
    -- Found by the whole key, one after the other, and judged here: of a table that it knows nothing of, the planner would
    -- rather look through all that a provider has.
    foreach slot_key in array slot_keys loop
      select s.body_hash, s.status, s.body_sealed, s.lease_until, s.expires_at into kept
      from idempotency_keys as s
      where s.provider_id = slot_provider and s.method = slot_method and s.path = slot_path and s.key = slot_key;
      continue when not found;
      if kept.expires_at > at and (kept.lease_until is null or kept.lease_until > at
        or (slot_key = slot_keys[1] and kept.body_hash <> slot_body))
      then
        return json_build_object('body_hash', kept.body_hash, 'status', kept.status, 'body_sealed', kept.body_sealed);
      end if;
      is_outdated := is_outdated or slot_key = slot_keys[1];
    end loop;
    if slot_lease is null then
      if is_outdated then
        delete from idempotency_keys as old
        where old.provider_id = slot_provider and old.method = slot_method and old.path = slot_path
          and old.key = slot_keys[1]
          and (old.expires_at <= at or (old.lease_until <= at and old.body_hash = slot_body));
      end if;
      return null;
    end if;
    insert into idempotency_keys as slot
      (provider_id, method, path, key, body_hash, lease_id, lease_until, expires_at, created_at)
    values
      (slot_provider, slot_method, slot_path, slot_keys[1], slot_body, slot_lease, slot_lease_until, slot_expires_at, at)
    on conflict (provider_id, method, path, key) do update set
      body_hash = excluded.body_hash, lease_id = excluded.lease_id, lease_until = excluded.lease_until,
      status = null, body_sealed = null, expires_at = excluded.expires_at, created_at = excluded.created_at
    where slot.expires_at <= at or (slot.lease_until <= at and slot.body_hash = excluded.body_hash);
    if found then
      return null;
    end if;
    -- Somebody took it between the two statements: it is looked at again.
  end loop;
end
$$;

-- Counts a request against its limits, and takes its slot where it is within all of them. One row, with the counts in the order
-- of the limits and how the slot stands; no row, with nothing counted or taken, for a request that is not let in.
create function let_in(
  is_admissible boolean, caller_provider uuid, at timestamptz,
  limit_keys text[], limit_per_provider boolean[], limit_windows_end_at timestamptz[], limit_requests_max int[],
  slot_method text, slot_path text, slot_keys text[], slot_body text,
  slot_lease uuid, slot_lease_until timestamptz, slot_expires_at timestamptz
) returns table (counted json, standing json)
language plpgsql volatile as $$
declare
  stored_keys text[];
  is_exceeded boolean := false;
begin
  if not coalesce(is_admissible, false) then
    return;
  end if;
  if cardinality(limit_keys) > 0 then
    stored_keys := array(
      select given.key || case when given.is_per_provider then ':' || caller_provider else '' end
      from unnest(limit_keys, limit_per_provider) with ordinality as given (key, is_per_provider, place)
      order by given.place);
    select
      json_agg(json_build_object('points', hits.counted_points, 'until', hits.counted_until) order by given.place),
      bool_or(hits.counted_points > given.requests_max)
    into counted, is_exceeded
    from count_hits(stored_keys, limit_windows_end_at, at) as hits
    join unnest(stored_keys, limit_requests_max) with ordinality as given (key, requests_max, place)
      on given.key = hits.counted_key;
  end if;
  if slot_keys is not null and not is_exceeded then
    standing := take_slot(
      caller_provider, slot_method, slot_path, slot_keys, slot_body, slot_lease, slot_lease_until, slot_expires_at, at);
  end if;
  return next;
end
$$;
