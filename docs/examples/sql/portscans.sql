-- Portscans: sources that try 20 pairs of destination and port in a minute; a scan has 100, and three times what is
-- usual for its source in this hour of the seven days before.
-- The window ends at 2026-11-21 10:00:00: put your time in its place. The session has the catalog of an archive.

-- Flows that their source began, so that a victim that answers is no scanner. SYN is 2, RST 4 and ACK 16.
CREATE TEMPORARY VIEW tries AS
SELECT src_addr, dst_addr, dst_port, end_time, arrival,
  dst_addr || ' ' || CAST(COALESCE(dst_port, 0) AS STRING) AS target
FROM flows
WHERE CASE
  WHEN reverse_packets IS NOT NULL OR state IS NOT NULL THEN TRUE
  WHEN protocol = 6 AND tcp_flags IS NOT NULL
    THEN MOD(tcp_flags / 16, 2) = 0 AND (MOD(tcp_flags / 2, 2) = 1 OR MOD(tcp_flags / 4, 2) = 0)
  WHEN protocol IN (1, 58) THEN icmp_type_code BETWEEN 2048 AND 2303 OR icmp_type_code BETWEEN 32768 AND 33023
  ELSE src_port > dst_port END;

CREATE TEMPORARY VIEW before AS
SELECT src_addr, days_before, COUNT(DISTINCT target) AS targets
FROM (
  SELECT *,
    (TIMESTAMPDIFF(SECOND, end_time, CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6))) + 86399) / 86400 AS days_before
  FROM tries
  WHERE end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '7' DAY
    AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '23' HOUR
)
WHERE TIMESTAMPADD(DAY, days_before, end_time) < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) + INTERVAL '1' HOUR
GROUP BY src_addr, days_before;

WITH live AS (
  SELECT src_addr, COUNT(DISTINCT target) AS targets, COUNT(DISTINCT dst_addr) AS hosts,
    COUNT(DISTINCT dst_port) AS ports, COUNT(*) AS tried
  FROM tries
  WHERE (
      end_time >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '1' MINUTE
      AND end_time < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6))
      OR end_time IS NULL
        AND arrival >= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) - INTERVAL '1' MINUTE
        AND arrival < CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)))
    AND arrival <= CAST('2026-11-21 10:00:00' AS TIMESTAMP_LTZ(6)) + INTERVAL '1' SECOND
  GROUP BY src_addr HAVING COUNT(DISTINCT target) >= 20 ORDER BY targets DESC LIMIT 100
), usual AS (
  SELECT live.src_addr, PERCENTILE(COALESCE(before.targets, 0), 0.5) AS targets
  FROM live
  CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7)) AS days (day_number)
  LEFT JOIN before ON before.src_addr = live.src_addr AND before.days_before = days.day_number
  GROUP BY live.src_addr
)
SELECT live.src_addr, live.targets, live.hosts, live.ports, live.tried AS flows, usual.targets AS median_targets,
  CASE WHEN live.targets < 100 OR live.targets < 3 * usual.targets THEN 'usual' ELSE 'scan' END AS verdict
FROM live
LEFT JOIN usual ON usual.src_addr IS NOT DISTINCT FROM live.src_addr;
