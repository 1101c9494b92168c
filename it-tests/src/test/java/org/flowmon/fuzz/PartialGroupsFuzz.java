package org.flowmon.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;

/**
 * Packed groups as they cross from the low level to the merge, and lie in checkpoints and in what
 * sites publish; their checksum made right. What opens merges, is restored and gives a result.
 */
final class PartialGroupsFuzz implements FuzzTarget {
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 52;
  private static final WindowSpec WINDOW = WindowSpec.tumbling(60_000_000L, 0);
  private static final List<FlowQuery> QUERIES =
      List.of(
          QueryParser.parse(
              "SELECT src_addr, dst_port, SUM(bytes), MIN(packets), COUNT(*) FROM flows"
                  + " GROUP BY src_addr, dst_port"),
          QueryParser.parse(
              "SELECT service, QUANTILES(bytes) AS q, COUNT(*) FROM flows GROUP BY service"));

  @Override
  public String name() {
    return "partial-groups";
  }

  @Override
  public String about() {
    return "groups packed by the low level: opened, merged, restored, answered";
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int i = 0; i < QUERIES.size(); i++) {
      int of = i;
      LowLevelQuery low =
          new LowLevelQuery(
              7, QUERIES.get(i), WINDOW, 16, 2, (group, bytes) -> seeds.add(behind(of, bytes)));
      low.process(FuzzFlows.batch(1, 60));
      low.drainAll();
    }
    return seeds;
  }

  private static byte[] behind(int first, byte[] bytes) {
    byte[] both = new byte[bytes.length + 1];
    both[0] = (byte) first;
    System.arraycopy(bytes, 0, both, 1, bytes.length);
    return both;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (16L << 20) + 64L * input.length;
  }

  @Override
  public void run(byte[] input) {
    if (input.length < 1) {
      return;
    }
    FlowQuery query = QUERIES.get((input[0] & 0xFF) % QUERIES.size());
    byte[] bytes = java.util.Arrays.copyOfRange(input, 1, input.length);
    Edits.putLength(bytes, LENGTH_AT);
    Edits.seal(bytes, CRC_AT);
    try {
      WindowTables tables = new WindowTables(7, query, WINDOW);
      tables.merge(PartialGroups.open(bytes));
      WindowTables restored = WindowTables.fromBytes(tables.toBytes(), 7, query, WINDOW);
      List<WindowPart> parts = new ArrayList<>();
      restored.closeUpTo(Long.MAX_VALUE / 4, parts::add);
      for (WindowPart part : parts) {
        WindowPart.open(part.toBytes(), query).result();
      }
    } catch (PartialFormatException | StateFormatException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
    }
  }
}
