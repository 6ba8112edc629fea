-- `count_hits` as in `0034_admission.sql`, in a language that keeps its plan. In SQL, each call parsed and planned the insert
-- again, which took longer than running it. The version before calls it unchanged.
create or replace function count_hits(hit_keys text[], hit_windows_end_at timestamptz[], at timestamptz)
returns table (counted_key text, counted_points int, counted_until timestamptz)
language plpgsql volatile as $$
begin
  return query
  insert into rate_limits as stored (key, window_ends_at, points)
  select hit.key, hit.window_ends_at, 1
  from unnest(hit_keys, hit_windows_end_at) as hit (key, window_ends_at)
  order by hit.key
  on conflict (key) do update set
    points = case when stored.window_ends_at <= at then 1 else least(stored.points, 1000000) + 1 end,
    window_ends_at = case when stored.window_ends_at <= at then excluded.window_ends_at else stored.window_ends_at end
  returning stored.key, stored.points, stored.window_ends_at;
end
$$;
