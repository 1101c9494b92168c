-- Elephants: sources above a hundredth of ten seconds' bytes that send three times what is usual for them in this hour.
-- The window ends at 2026-11-21 10:00:00: put your time in its place. The session has the catalog of an archive.

CREATE TEMPORARY VIEW sent AS
SELECT src_addr, `bytes` * COALESCE(sampling_rate, 1) AS estimated
FROM flows
WHERE (
    end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '10' SECOND
    AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6))
    OR end_time IS NULL
      AND arrival >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '10' SECOND
      AND arrival < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)))
  AND arrival <= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) + INTERVAL '1' SECOND
  AND outgoing IS NOT TRUE;

-- The same hour of the seven days before.
CREATE TEMPORARY VIEW before AS
SELECT src_addr, days_before, SUM(`bytes` * COALESCE(sampling_rate, 1)) AS estimated
FROM (
  SELECT *,
    (TIMESTAMPDIFF(SECOND, end_time, CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6))) + 86399) / 86400 AS days_before
  FROM flows
  WHERE end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '7' DAY
    AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '23' HOUR
)
WHERE TIMESTAMPADD(DAY, days_before, end_time) < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) + INTERVAL '1' HOUR
GROUP BY src_addr, days_before;

WITH live AS (
  SELECT src_addr, SUM(estimated) AS estimated FROM sent GROUP BY src_addr ORDER BY estimated DESC NULLS LAST LIMIT 100
), usual AS (
  SELECT live.src_addr, PERCENTILE(COALESCE(before.estimated, 0), 0.5) AS estimated
  FROM live
  CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7)) AS days (day_number)
  LEFT JOIN before ON before.src_addr = live.src_addr AND before.days_before = days.day_number
  GROUP BY live.src_addr
)
SELECT live.src_addr, live.estimated AS estimated_bytes,
  CAST(live.estimated AS DOUBLE) / total.estimated AS share, CAST(live.estimated AS DOUBLE) / 10 AS rate,
  usual.estimated / 3600 AS median_rate,
  CASE
    WHEN live.estimated > 0.01 * total.estimated AND 360 * live.estimated >= 3 * usual.estimated THEN 'new'
    ELSE 'usual' END AS verdict
FROM live
CROSS JOIN (SELECT SUM(estimated) AS estimated FROM sent) AS total
LEFT JOIN usual ON usual.src_addr IS NOT DISTINCT FROM live.src_addr;
