-- Mice: who sends to whom in ten seconds, without the hundred hosts that sent the most in the seven days before.
-- The window ends at 2026-11-21 10:00:00, in the hour 2026-11-21 10:00:00: put your times in their places.
-- The session has the catalog of an archive.

WITH live AS (
  SELECT src_addr, dst_addr, SUM(`bytes` * COALESCE(sampling_rate, 1)) AS estimated
  FROM flows
  WHERE (
      end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '10' SECOND
      AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6))
      OR end_time IS NULL
        AND arrival >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '10' SECOND
        AND arrival < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)))
    AND arrival <= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) + INTERVAL '1' SECOND
  GROUP BY src_addr, dst_addr
), heavy AS (
  SELECT src_addr, TRUE AS is_heavy, SUM(`bytes` * COALESCE(sampling_rate, 1)) AS estimated
  FROM flows
  WHERE end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '7' DAY
    AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '1' MINUTE
  GROUP BY src_addr ORDER BY estimated DESC NULLS LAST LIMIT 100
)
SELECT live.src_addr, live.dst_addr, live.estimated AS estimated_bytes
FROM live
LEFT JOIN heavy ON heavy.src_addr IS NOT DISTINCT FROM live.src_addr
WHERE heavy.is_heavy IS NULL
ORDER BY estimated_bytes DESC NULLS LAST LIMIT 100;
