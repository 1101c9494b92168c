package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.SplittableRandom;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.Test;

final class GroupTotalsTest {
  /** Every operation of an accumulator, sums that overflow, and a total that has groups before. */
  @Test
  void totalsAreTheStatesOfAllGroupsMergedOneByOne() {
    GroupLayout layout =
        GroupLayout.of(
            QueryParser.parse(
                "SELECT src_addr, COUNT(*) AS n, SUM(bytes) AS s, AVG(packets) AS a, MIN(dst_port)"
                    + " AS l, MAX(dst_port) AS m, MIN(dst_addr) AS f, MAX(dst_addr) AS t,"
                    + " STDDEV(duration) AS d FROM flows GROUP BY src_addr"));
    for (long seed = 1; seed <= 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long[] totals = new long[layout.stateWords()];
      layout.reset(totals, 0);
      long[] expected = totals.clone();
      for (int tables = 0; tables < 3; tables++) {
        GroupTable table = new GroupTable(layout);
        int groups = random.nextInt(0, 40);
        long[][] keys = columns(random, layout.keyWords(), groups);
        table.appendColumns(
            new long[groups], keys, columns(random, layout.stateWords(), groups), groups);
        for (int g = 0; g < groups; g++) {
          layout.merge(expected, 0, table.words(), table.stateAt(g));
        }
        table.addTotals(totals);
      }
      assertArrayEquals(expected, totals, "seed " + seed);
    }
  }

  private static long[][] columns(SplittableRandom random, int words, int groups) {
    long[][] columns = new long[words][];
    for (int w = 0; w < words; w++) {
      columns[w] = random.longs(groups).toArray();
    }
    return columns;
  }
}
