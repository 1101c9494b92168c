package org.flowmon.archive.query.group.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/** Keys chosen with knowledge of the table of packed keys do not make it slow. */
class ChosenKeysTest {
  private static final int KEYS = 20 * Vector.CAPACITY;

  /** Of two columns, like ports or autonomous systems, which an exporter may set to anything. */
  @Test
  void chosenNumbersShareNoSlots() {
    long inverse =
        BigInteger.valueOf(0x9E37_79B9_7F4A_7C15L)
            .modInverse(BigInteger.ONE.shiftLeft(64))
            .longValue();
    GroupLayout layout =
        GroupLayout.of(QueryParser.parse("SELECT src_port, COUNT(*) FROM flows GROUP BY src_port"));
    PackedTable table = new PackedTable(layout, GroupMemory.unlimited());
    Accumulation accumulation = new Accumulation(layout);
    long[] wanted = new long[Vector.CAPACITY];
    int n = 0;
    long product = 0;
    for (int key = 0; key < KEYS; key++) {
      long chosen;
      do { // times the previous multiplier: below 2^24
        chosen = ++product * inverse;
      } while (chosen >>> 62 != 0);
      wanted[n++] = chosen;
      if (n == wanted.length) {
        table.add(wanted, new Vector[0], n, accumulation, new int[Vector.CAPACITY]);
        n = 0;
      }
    }
    assertEquals(KEYS, table.size());
    assertTrue(table.displacement() < 4L * KEYS, table.displacement() + " slots");
  }
}
