package org.flowmon.archive.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MixedDictionaryTest {
  private static final int ROWS = 3000;

  @TempDir Path folder;

  private static IpAddress address(SplittableRandom random) {
    long some = random.nextInt(200);
    return switch (random.nextInt(5)) {
      case 0 -> new IpAddress(0, some); // below all of IPv4
      case 1 -> new IpAddress(0, 0x0001_0000_0000_0000L + some); // just above it
      case 2 -> new IpAddress(random.nextLong(-4, 4), -some);
      default -> IpAddress.ofIpv4(random.nextInt(300) - 150); // both halves of 32 bits
    };
  }

  @Test
  void idsAreInTheOrderOfAddressesBelowWithinAndAboveIpv4() throws Exception {
    for (long seed = 1; seed <= 4; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
      List<IpAddress> written = new ArrayList<>();
      TreeSet<IpAddress> distinct =
          new TreeSet<>((a, b) -> IpAddress.compare(a.hi(), a.lo(), b.hi(), b.lo()));
      for (int row = 0; row < ROWS; row++) {
        IpAddress source = address(random);
        written.add(source);
        distinct.add(source);
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, row);
        builder.set(FlowColumn.END_TIME, row);
        builder.setAddress(FlowColumn.SRC_ADDR, source);
        builder.endRow();
      }
      FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
      SealedSegment sealed = new SegmentWriter().seal(folder, List.of(batch), Provenance.NONE);
      try (SegmentReader segment = SegmentReader.open(folder, sealed)) {
        long[] high = new long[ROWS];
        long[] low = new long[ROWS];
        int n = segment.dictionarySize(FlowColumn.SRC_ADDR);
        assertEquals(distinct.size(), n, "seed " + seed);
        segment.readDictionary(FlowColumn.SRC_ADDR, 0, n, high, low);
        int id = 0;
        for (IpAddress expected : distinct) {
          assertEquals(expected, new IpAddress(high[id], low[id]), "id " + id + ", seed " + seed);
          id++;
        }
        segment.readAddresses(FlowColumn.SRC_ADDR, 0, ROWS, high, low);
        for (int row = 0; row < ROWS; row++) {
          assertEquals(
              written.get(row),
              new IpAddress(high[row], low[row]),
              "row " + row + ", seed " + seed);
        }
        assertTrue(n > 300, "seed " + seed);
      }
    }
  }
}
