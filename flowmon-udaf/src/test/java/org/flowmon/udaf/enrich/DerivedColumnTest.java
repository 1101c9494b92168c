package org.flowmon.udaf.enrich;

import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.ICMP_TYPE_CODE;
import static org.flowmon.flow.FlowColumn.PACKETS;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.REVERSE_PACKETS;
import static org.flowmon.flow.FlowColumn.REVERSE_TCP_FLAGS;
import static org.flowmon.flow.FlowColumn.SAMPLING_RATE;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.SRC_PORT;
import static org.flowmon.flow.FlowColumn.STATE;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/** Who began a flow and whether it was answered, by hand. */
class DerivedColumnTest {
  private static final IpAddress A = IpAddress.parse("192.0.2.1");
  private static final IpAddress B = IpAddress.parse("2001:db8::2");

  private final FlowBatchBuilder builder = new FlowBatchBuilder(200);
  private final List<String> expected = new ArrayList<>();

  /** Adds a flow from A to B, and who is said to be the client, the port and the answer. */
  private void flow(String client, Integer port, Boolean answered, Object... pairs) {
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, 1);
    builder.setAddress(SRC_ADDR, A);
    builder.setAddress(DST_ADDR, B);
    for (int i = 0; i < pairs.length; i += 2) {
      builder.set((FlowColumn) pairs[i], (Integer) pairs[i + 1]);
    }
    builder.endRow();
    IpAddress by = client.equals("A") ? A : B;
    expected.add(by + " " + (by.equals(A) ? B : A) + " " + port + " " + answered);
  }

  private void tcp(String client, Integer port, Boolean answered, int from, int to, int... rest) {
    Object[] pairs = {
      PROTOCOL, 6, SRC_PORT, from, DST_PORT, to, TCP_FLAGS, rest[0], PACKETS, rest[1], null, null,
      null, null
    };
    if (rest.length > 2) {
      pairs[10] = REVERSE_TCP_FLAGS;
      pairs[11] = rest[2];
      pairs[12] = REVERSE_PACKETS;
      pairs[13] = rest[3];
    }
    flow(client, port, answered, rest.length > 2 ? pairs : Arrays.copyOf(pairs, 10));
  }

  private List<String> rows(String sql) {
    FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
    FlowQuery query = QueryParser.parse(sql);
    assertEquals(query, QueryParser.parse(query.toString()), "by its text");
    ResultTable table = FlowQueries.run(List.of(batch), query);
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < table.rowCount(); row++) {
      List<String> cells = new ArrayList<>();
      for (int column = 0; column < table.columnCount(); column++) {
        cells.add(table.isNull(row, column) ? "null" : table.formatted(row, column));
      }
      rows.add(String.join(" ", cells));
    }
    return rows;
  }

  private void plant() {
    // TCP, one way
    tcp("A", 22, false, 40_000, 22, 2, 1); // SYN
    tcp("A", 22, false, 40_000, 22, 6, 2); // SYN, then RST: half open
    tcp("A", 22, true, 40_000, 22, 27, 9);
    tcp("B", 22, true, 22, 40_000, 18, 1); // SYN, ACK
    tcp("B", 22, null, 22, 40_000, 20, 1); // refused
    tcp("B", 22, false, 22, 40_000, 4, 1); // what refuses an ACK of nothing
    tcp("A", 22, false, 40_000, 22, 16, 1);
    tcp("A", 22, true, 40_000, 22, 16, 50);
    tcp("A", 40_000, false, 22, 40_000, 41, 1); // Xmas
    tcp("B", 22, true, 22, 40_000, 0, 9); // an exporter without flags
    // TCP, both ways
    tcp("A", 22, false, 40_000, 22, 2, 1, 20, 1);
    tcp("B", 22, false, 22, 40_000, 20, 1, 2, 1);
    tcp("B", 22, false, 22, 40_000, 18, 1, 2, 1); // half open
    tcp("A", 22, true, 40_000, 22, 27, 5, 27, 5);
    tcp("B", 22, true, 22, 40_000, 27, 5, 27, 5);
    tcp("A", 22, false, 40_000, 22, 16, 1, 4, 1);
    tcp("B", 22, false, 22, 40_000, 4, 1, 16, 1);
    // UDP
    flow("A", 53, false, PROTOCOL, 17, SRC_PORT, 40_000, DST_PORT, 53, PACKETS, 1);
    flow("A", 443, null, PROTOCOL, 17, SRC_PORT, 40_000, DST_PORT, 443, PACKETS, 90);
    flow("B", 53, true, PROTOCOL, 17, SRC_PORT, 53, DST_PORT, 40_000, PACKETS, 1);
    flow(
        "A",
        53,
        null,
        PROTOCOL,
        17,
        SRC_PORT,
        40_000,
        DST_PORT,
        53,
        PACKETS,
        1,
        SAMPLING_RATE,
        100);
    flow("A", 53, false, PROTOCOL, 17, SRC_PORT, 40_000, DST_PORT, 53, REVERSE_PACKETS, 0);
    flow("A", 53, true, PROTOCOL, 17, SRC_PORT, 40_000, DST_PORT, 53, REVERSE_PACKETS, 1);
    flow("B", 53, null, PROTOCOL, 17, SRC_PORT, 53, DST_PORT, 40_000, REVERSE_PACKETS, 0);
    // Connection logs
    flow("A", 22, false, PROTOCOL, 6, SRC_PORT, 40_000, DST_PORT, 22, STATE, 1);
    flow("A", 22, true, PROTOCOL, 6, SRC_PORT, 40_000, DST_PORT, 22, STATE, 3);
    flow("A", 22, null, PROTOCOL, 6, SRC_PORT, 40_000, DST_PORT, 22, STATE, 13);
    flow("B", 53, null, PROTOCOL, 17, SRC_PORT, 53, DST_PORT, 40_000, STATE, 1);
    // ICMP and others
    flow("A", null, false, PROTOCOL, 1, ICMP_TYPE_CODE, 2048);
    flow("A", null, true, PROTOCOL, 58, ICMP_TYPE_CODE, 32_768, REVERSE_PACKETS, 3);
    flow("B", null, true, PROTOCOL, 1, ICMP_TYPE_CODE, 0);
    flow("A", null, null, PROTOCOL, 1, ICMP_TYPE_CODE, 771);
    flow("A", null, false, PROTOCOL, 200, PACKETS, 1);
    flow("A", null, null, PROTOCOL, 47, PACKETS, 1);
    flow("A", null, null, PACKETS, 1);
  }

  /** Batches without a rate, with 1, with one rate, and with several; beyond 64 bits NULL. */
  @Test
  void estimatesAreCountsTimesTheRate() {
    Object[][] rates = {{null, null}, {1, 1}, {1, null}, {100, 100}, {100, null}, {0, 7}};
    for (Object[] of : rates) {
      builder.clear();
      expected.clear();
      for (int row = 0; row < 150; row++) {
        Long bytes = row % 7 == 0 ? null : row == 33 ? Long.MAX_VALUE : (Long) (row * 11L);
        Integer rate = (Integer) of[row % 2];
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, 1);
        builder.set(SRC_PORT, row);
        if (bytes != null) {
          builder.set(FlowColumn.BYTES, bytes);
        }
        if (rate != null) {
          builder.set(SAMPLING_RATE, rate);
        }
        builder.endRow();
        BigInteger product =
            BigInteger.valueOf(bytes == null ? 0 : bytes)
                .multiply(BigInteger.valueOf(rate == null ? 1 : rate));
        boolean fits = bytes != null && product.bitLength() < 64;
        expected.add(row + " " + (fits ? product : "null"));
      }
      assertEquals(
          expected, rows("SELECT src_port, estimated_bytes FROM flows"), Arrays.toString(of));
    }
  }

  @Test
  void clientServerAndAnswerFollowFromPortsFlagsStatesAndTypes() {
    plant();
    assertEquals(
        expected.stream().sorted().toList(),
        rows("SELECT client_addr, server_addr, server_port, answered FROM flows").stream()
            .sorted()
            .toList());
  }

  @Test
  void theyAreKeysArgumentsAndConditions() {
    plant();
    assertEquals(
        List.of(A + " " + count(A, "false"), B + " " + count(B, "false")),
        rows(
            "SELECT client_addr, COUNT(*) AS n FROM flows WHERE NOT answered GROUP BY"
                + " client_addr"));
    assertEquals(
        List.of(A + " " + count(A, "true"), B + " " + count(B, "true")),
        rows(
            "SELECT client_addr AS c, COUNT(server_addr) FILTER (WHERE answered) AS n FROM flows"
                + " GROUP BY client_addr"));
    assertEquals(
        List.of(Integer.toString(count(A, "null") + count(B, "null"))),
        rows("SELECT COUNT(*) FROM flows WHERE answered IS NULL"));
  }

  private int count(IpAddress client, String answered) {
    return (int)
        expected.stream()
            .filter(row -> row.startsWith(client + " ") && row.endsWith(" " + answered))
            .count();
  }
}
