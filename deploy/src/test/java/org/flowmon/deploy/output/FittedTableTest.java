package org.flowmon.deploy.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

class FittedTableTest {
  private static final long END = 1_795_262_400_000_000L; // 2026-11-21T12:00:00Z

  private static String shown(ResultTable rows) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    new FittedTable(new ReportCells(rows, END).columns(), rows.rowCount()).write(out);
    out.flush();
    return text.toString();
  }

  private static void address(ResultTable.Builder table, int column, String text) {
    IpAddress address = IpAddress.parse(text);
    table.set(column, address.hi(), address.lo());
  }

  @Test
  void valuesHaveUnitsAndNames() {
    ResultTable.Builder table =
        new ResultTable.Builder()
            .column("src_addr", ValueKind.ADDRESS)
            .column("dst_port", ValueKind.LONG)
            .column("protocol", ValueKind.LONG)
            .column("tcp_flags", ValueKind.LONG)
            .column("bytes", ValueKind.LONG)
            .column("rate", ValueKind.DOUBLE)
            .column("share", ValueKind.DOUBLE)
            .column("flows", ValueKind.LONG)
            .column("period", ValueKind.DURATION)
            .row();
    address(table, 0, "192.0.2.1");
    table.set(1, 53).set(2, 17).set(3, 0x12).set(4, 999_600_000);
    table.set(5, Double.doubleToLongBits(12_345_678)).set(6, Double.doubleToLongBits(0.01234));
    table.set(7, 1_234_567).set(8, 90_000_000);
    assertEquals(
        """
        src_addr   dst_port  protocol  tcp_flags  bytes         rate   share      flows
        ─────────  ────────  ────────  ─────────  ─────  ───────────  ──────  ─────────
        192.0.2.1  domain    udp              SA   1 GB  98.8 Mbit/s  1.23 %  1,234,567
          also: period (--vertical)
        """,
        shown(table.build()));
  }

  @Test
  void whatIsEqualInAllRowsOfAWideTableIsSaidOnce() {
    ResultTable.Builder table = new ResultTable.Builder().column("src_addr", ValueKind.ADDRESS);
    table.column("targets", ValueKind.LONG).column("days_used", ValueKind.LONG);
    table.column("a_column_whose_very_long_name_fills_a_line", ValueKind.LONG);
    table.column("another_one", ValueKind.LONG).column("verdict", ValueKind.TEXT);
    for (int row = 1; row <= 2; row++) {
      address(table.row(), 0, "192.0.2." + row);
      table.set(1, 1000L * row).set(2, 7).set(3, 4).set(4, row).set(5, "scan");
    }
    assertEquals(
        """
        src_addr   targets  another_one  verdict
        ─────────  ───────  ───────────  ───────
        192.0.2.1    1,000            1  scan
        192.0.2.2    2,000            2  scan
          each: days_used 7, a_column_whose_very_long_name_fills_a_line 4
        """,
        shown(table.build()));
  }

  @Test
  void ofWideRowsEachHasLines() {
    ResultTable.Builder table = new ResultTable.Builder();
    table.column("src_addr", ValueKind.ADDRESS).column("dst_addr", ValueKind.ADDRESS);
    table.column("verdict", ValueKind.TEXT);
    for (int row = 1; row <= 2; row++) {
      address(table.row(), 0, "2001:db8:1111:2222:3333:4444:5555:666" + row);
      address(table, 1, "2001:db8:1111:2222:3333:4444:5555:777" + row);
      table.set(2, "beacon");
    }
    assertEquals(
        """
        src_addr  2001:db8:1111:2222:3333:4444:5555:6661
        dst_addr  2001:db8:1111:2222:3333:4444:5555:7771
        verdict   beacon

        src_addr  2001:db8:1111:2222:3333:4444:5555:6662
        dst_addr  2001:db8:1111:2222:3333:4444:5555:7772
        verdict   beacon
        """,
        shown(table.build()));
  }

  @Test
  void noTableIsWiderThanATerminal() {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      ResultTable.Builder table = new ResultTable.Builder();
      List<ValueKind> kinds = new ArrayList<>();
      for (int column = 1 + random.nextInt(20); column > 0; column--) {
        kinds.add(ValueKind.values()[random.nextInt(ValueKind.values().length)]);
        table.column("c".repeat(1 + random.nextInt(12)) + column, kinds.get(kinds.size() - 1));
      }
      for (int row = random.nextInt(5); row > 0; row--) {
        table.row();
        for (int column = 0; column < kinds.size(); column++) {
          switch (kinds.get(column)) {
            case ADDRESS -> table.set(column, random.nextLong(), random.nextLong());
            case TEXT -> table.set(column, "x".repeat(random.nextInt(50)));
            case BOOLEAN -> table.set(column, random.nextInt(2));
            case TIMESTAMP -> table.set(column, END - random.nextInt());
            default -> table.set(column, random.nextLong() >> random.nextInt(64));
          }
        }
      }
      shown(table.build())
          .lines()
          .forEach(line -> assertTrue(line.length() <= FittedTable.WIDTH, line));
    }
  }

  @Test
  void unitsRoundUpToTheNext() {
    assertEquals("0 B", Units.bytes(0));
    assertEquals("999 B", Units.bytes(999));
    assertEquals("1 kB", Units.bytes(1000));
    assertEquals("1 MB", Units.bytes(999_999));
    assertEquals("1.23 TB", Units.bytes(1.2345e12));
    assertEquals("-2.5 kbit/s", Units.bits(-2500));
    assertEquals("250 ms", Units.duration(250_000));
    assertEquals("5 s", Units.duration(5e6));
    assertEquals("1 min 30 s", Units.duration(90e6));
    assertEquals("2 h", Units.duration(7200e6));
    assertEquals("1 d 1 h", Units.duration(90_000e6));
  }
}
