package org.flowmon.bench.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.archive.AddressCounts.Counted;
import org.junit.jupiter.api.Test;

final class AddressCountsTest {
  private static final long SEED = 3;

  @Test
  void countsAreThoseOfAMap() throws Exception {
    GeneratedWorkload workload = new GeneratedWorkload(60_000, SEED);
    AddressCounts counts = new AddressCounts();
    Map<Long, Integer> expected = new HashMap<>();
    workload.read(
        block -> {
          counts.add(block);
          for (int i = 0; i < block.rows(); i++) {
            expected.merge(block.column(WorkloadColumn.SRC_ADDR)[i], 1, Integer::sum);
            expected.merge(block.column(WorkloadColumn.DST_ADDR)[i], 1, Integer::sum);
          }
        });
    expected.forEach((address, n) -> assertEquals(n, counts.rows(address), "seed " + SEED));
    assertEquals(0, counts.rows(3_735_928_559L));
    List<Counted> all = counts.nearest(100, Long.MAX_VALUE, Integer.MAX_VALUE);
    assertEquals(expected.size(), all.size());
    List<Counted> few = counts.nearest(100, 100, 7);
    assertEquals(7, few.size());
    int furthest = few.get(6).rows();
    assertTrue(few.stream().allMatch(c -> c.rows() <= 100 && c.rows() >= furthest));
    assertTrue(
        expected.values().stream().filter(n -> n <= 100 && n > furthest).count() <= 6,
        "seed " + SEED);
  }
}
