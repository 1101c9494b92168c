package org.flowmon.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class GeneratedWorkloadTest {
  private static final int ROWS = 600_000; // more than a block

  private static List<long[]> rows(Workload workload) throws Exception {
    List<long[]> rows = new ArrayList<>();
    workload.read(
        block -> {
          for (int i = 0; i < block.rows(); i++) {
            long[] row = new long[WorkloadColumn.all().size()];
            for (WorkloadColumn column : WorkloadColumn.all()) {
              row[column.ordinal()] = block.column(column)[i];
            }
            rows.add(row);
          }
        });
    return rows;
  }

  private static long hash(List<long[]> rows) {
    long hash = 0;
    for (long[] row : rows) {
      hash = 31 * hash + java.util.Arrays.hashCode(row);
    }
    return hash;
  }

  @Test
  void rowsAndParametersDependOnSeedAndNumberAlone() throws Exception {
    GeneratedWorkload workload = new GeneratedWorkload(20_000, 5);
    long first = hash(rows(workload));
    assertEquals(first, hash(rows(workload)), "read again");
    GeneratedWorkload same = new GeneratedWorkload(20_000, 5);
    assertEquals(first, hash(rows(same)));
    assertEquals(workload.parameters(), same.parameters());
    assertNotEquals(first, hash(rows(new GeneratedWorkload(20_000, 6))));
  }

  @Test
  void rowsHaveTheirDistributions() throws Exception {
    GeneratedWorkload workload = new GeneratedWorkload(ROWS, 5);
    WorkloadParameters parameters = workload.parameters();
    List<long[]> rows = rows(workload);
    assertEquals(ROWS, rows.size());
    Map<Long, Integer> sources = new HashMap<>();
    long outgoing = 0;
    long previous = parameters.begin();
    for (long[] row : rows) {
      for (WorkloadColumn column : WorkloadColumn.all()) {
        long value = row[column.ordinal()];
        assertTrue(value >= 0 && value <= column.max(), () -> column + " is " + value);
      }
      boolean leaves = row[WorkloadColumn.OUTGOING.ordinal()] == 1;
      long source = row[WorkloadColumn.SRC_ADDR.ordinal()];
      long destination = row[WorkloadColumn.DST_ADDR.ordinal()];
      assertEquals(10 << 4, (leaves ? source : destination) >>> 20, "inside is 10.0.0.0/12");
      assertNotEquals(10, (leaves ? destination : source) >>> 24);
      long ts = row[WorkloadColumn.TS.ordinal()];
      assertTrue(ts >= previous && ts < parameters.end());
      previous = ts;
      outgoing += leaves ? 1 : 0;
      sources.merge(source, 1, Integer::sum);
    }
    assertEquals(0.6, outgoing / (double) ROWS, 0.01);
    // Rank 1 of 20,000 by Zipf's law with exponent 1.1 has 0.1456 of the outgoing flows.
    long hot = parameters.lookups().get("hot");
    assertEquals(0.6 * 0.1456, sources.get(hot) / (double) ROWS, 0.005);
    assertTrue(sources.get(parameters.lookups().get("warm")) < sources.get(hot) / 20);
    assertFalse(sources.containsKey(parameters.lookups().get("absent")));
    assertEquals(100, parameters.sources().stream().distinct().count());
  }
}
