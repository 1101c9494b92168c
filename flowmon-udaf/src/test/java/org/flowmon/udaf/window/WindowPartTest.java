package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupCollector;
import org.junit.jupiter.api.Test;

/** Parts of many groups; no result needs most of them. */
class WindowPartTest {
  private static final int PARTS = 24;

  /** Groups by address and port; sums are NULL if no flow has bytes. */
  private static List<GroupCollector> parts(FlowQuery query, Random random, int groups) {
    List<GroupCollector> parts = new ArrayList<>();
    for (int p = 0; p < PARTS; p++) {
      parts.add(new GroupCollector(query));
    }
    GroupCollector all = new GroupCollector(query);
    parts.add(all);
    int sources = 1 + random.nextInt(200);
    long spread = random.nextBoolean() ? 50 : 1L << 40;
    for (int from = 0; from < groups; from += 1000) {
      for (int p = 0; p < PARTS; p++) {
        FlowBatchBuilder builder = new FlowBatchBuilder(1000);
        for (int i = from + p; i < Math.min(groups, from + 1000); i += PARTS) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, i);
          if (random.nextInt(50) > 0) {
            int source = (int) (sources * Math.pow(random.nextDouble(), 3));
            builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(source));
          }
          builder.set(FlowColumn.SRC_PORT, i); // a group of its own in one part only
          if (random.nextInt(20) > 0) {
            builder.set(FlowColumn.BYTES, (long) (random.nextDouble() * spread));
          }
          builder.endRow();
        }
        if (!builder.isEmpty()) {
          FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
          int[] rows = new int[batch.rows()];
          for (int r = 0; r < rows.length; r++) {
            rows[r] = r;
          }
          for (int r = 0; r < rows.length; r++) {
            parts.get(p).add(batch, r, new int[1], 1);
            all.add(batch, r, new int[1], 1);
          }
        }
      }
    }
    return parts;
  }

  @Test
  void mergedPartsGiveWhatOneTableOfAllGroupsGives() {
    int most = 0;
    for (int seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      String way = random.nextBoolean() ? " DESC" : "";
      String nulls = random.nextBoolean() ? " NULLS FIRST" : "";
      String limitBy = seed % 3 == 0 ? "" : " LIMIT " + (1 + random.nextInt(5)) + " BY src_addr";
      String limit = seed % 4 == 1 ? "" : " LIMIT " + random.nextInt(60);
      String having = seed % 5 == 0 ? " HAVING COUNT(bytes) < 2" : "";
      FlowQuery query =
          QueryParser.parse(
              "SELECT src_addr, src_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, src_port"
                  + having
                  + (seed % 7 == 0 ? "" : " ORDER BY b" + way + nulls)
                  + limitBy
                  + limit);
      List<GroupCollector> parts = parts(query, random, 200 + random.nextInt(8000));
      GroupCollector all = parts.remove(PARTS);
      Collections.shuffle(parts, random);
      WindowPart merged = null;
      for (GroupCollector part : parts) {
        WindowPart next = WindowPart.of(1, 60, query, part.table());
        if (random.nextInt(4) == 0) {
          next = WindowPart.open(next.toBytes(), query);
        }
        if (merged == null) {
          merged = next;
        } else {
          merged.merge(next);
        }
      }
      String at = "seed " + seed + ": " + query;
      assertEquals(all.finish(), merged.result(), at);
      assertEquals(all.finish(), WindowPart.open(merged.toBytes(), query).result(), at);
      assertEquals(all.table().size(), merged.groups(), at);
      if (!limit.isEmpty()) {
        assertTrue(merged.size() <= 4 * 60 + 64, at + ": " + merged.size() + " rows kept");
        most = Math.max(most, all.table().size());
      }
    }
    assertTrue(most > 5000, most + " groups");
  }
}
