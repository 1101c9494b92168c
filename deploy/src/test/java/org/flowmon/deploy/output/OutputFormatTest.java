package org.flowmon.deploy.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Base64;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

class OutputFormatTest {
  private static final ResultTable TABLE =
      new ResultTable.Builder()
          .column("src_addr", ValueKind.ADDRESS)
          .column("bytes", ValueKind.LONG)
          .column("uid", ValueKind.TEXT)
          .column("at", ValueKind.TIMESTAMP)
          .row()
          .set(0, 0, IpAddress.parse("192.0.2.1").lo())
          .set(1, 1, 5)
          .set(2, "a,\"b\"\u001b[2J")
          .set(3, 1_500_000)
          .row()
          .set(1, 7)
          .set(2, "")
          .build();

  @Test
  void aTableAlignsColumnsAndShowsControlCharactersAsText() throws Exception {
    assertEquals(
        """
        src_addr                  bytes  uid           at
        ─────────  ────────────────────  ────────────  ────────────────────────
        192.0.2.1  18446744073709551621  a,"b"\\x1b[2J  1970-01-01T00:00:01.500Z
                                      7
        """,
        text(OutputFormat.TABLE));
  }

  @Test
  void csvQuotesWhatNeedsItAndTellsNullFromEmptyText() throws Exception {
    assertEquals(
        String.join(
            "\n",
            "src_addr,bytes,uid,at",
            "192.0.2.1,18446744073709551621,\"a,\"\"b\"\"\u001b[2J\",1970-01-01T00:00:01.500Z",
            ",7,\"\",",
            ""),
        text(OutputFormat.CSV));
  }

  @Test
  void jsonKeepsEveryDigit() throws Exception {
    assertEquals(
        """
        [
        {"src_addr":"192.0.2.1","bytes":18446744073709551621,"uid":"a,\\"b\\"\\u001B[2J","at":"1970-01-01T00:00:01.500Z"}
        ,{"src_addr":null,"bytes":7,"uid":"","at":null}
        ]
        """,
        text(OutputFormat.JSON));
  }

  private static ResultTable numbers(int rows, int from, boolean withText) {
    ResultTable.Builder builder =
        new ResultTable.Builder().column("n", ValueKind.LONG).column("text", ValueKind.TEXT);
    for (int row = from; row < from + rows; row++) {
      builder.row().set(0, (long) row);
      if (withText) {
        builder.set(1, "x");
      }
    }
    return builder.build();
  }

  @Test
  void aTableThatComesInPartsIsAsOneAndOnlyLaterColumnsMakeANewHead() throws IOException {
    StringWriter whole = new StringWriter();
    OutputFormat.TABLE.write(numbers(9000, 0, true), List.of(), new PrintWriter(whole));
    for (OutputFormat format : OutputFormat.values()) {
      StringWriter one = new StringWriter();
      format.write(numbers(9000, 0, true), List.of(), new PrintWriter(one));
      StringWriter parts = new StringWriter();
      RowWriter writer = format.writer(List.of(), new PrintWriter(parts));
      writer.rows(numbers(0, 0, false));
      for (int from = 0; from < 9000; from += 1500) {
        writer.rows(numbers(1500, from, true));
      }
      assertEquals(0, writer.end());
      assertEquals(one.toString(), parts.toString(), format.toString());
    }
    StringWriter text = new StringWriter();
    int first = TextTable.FIRST_ROWS;
    TextTable table = TextTable.ofReport(new PrintWriter(text));
    table.rows(numbers(first, 0, false));
    table.rows(numbers(1, 123_456, false));
    table.rows(numbers(1, 7, true));
    assertEquals(0, table.end());
    String[] lines = text.toString().lines().toArray(String[]::new);
    assertEquals("   n", lines[0]);
    assertEquals("9999", lines[first + 1]);
    assertEquals("123456", lines[first + 2]); // wider from here on
    assertEquals("", lines[first + 3]);
    assertEquals("     n  text", lines[first + 4]);
    assertEquals("     7  x", lines[first + 6]);
    assertEquals(first + 7, lines.length);
  }

  @Test
  void tinyNumbersAreDecimalsWithThreeDigitsAndReportsLeaveOutEmptyColumns() {
    ResultTable.Builder builder =
        new ResultTable.Builder()
            .column("share", ValueKind.DOUBLE)
            .column("days_missing", ValueKind.TEXT)
            .column("rate", ValueKind.DOUBLE);
    double[] values = {5.5555e-5, -9.996e-4, 1e-12, 0, 0.25, 1234.5678901};
    for (double value : values) {
      builder.row().set(0, Double.doubleToRawLongBits(value)).set(2, 0L);
    }
    StringWriter text = new StringWriter();
    assertEquals(1, TextTable.writeReport(builder.build(), new PrintWriter(text)));
    assertEquals(
        """
             share  rate
        ──────────  ────
         0.0000556   0.0
            -0.001   0.0
           1.0E-12   0.0
               0.0   0.0
              0.25   0.0
        1234.56789   0.0
        """,
        text.toString());
  }

  @Test
  void aStateIsShortAndAListHasLines() throws Exception {
    String state = Base64.getEncoder().encodeToString(("FLWS" + "x".repeat(2065)).getBytes(UTF_8));
    String items =
        "[{\"item\":\"192.0.2.1\",\"value\":80,\"lower\":78,\"upper\":81},"
            + "{\"item\":[443,\"a\\u001b\"],\"value\":5,\"lower\":5,\"upper\":5},"
            + "{\"item\":22,\"value\":5,\"lower\":0,\"upper\":5},"
            + "{\"item\":25,\"value\":0,\"lower\":0,\"upper\":0}]";
    String changes =
        "[{\"item\":24,\"value\":-3,\"lower\":-7,\"upper\":-1},"
            + "{\"item\":22,\"value\":5,\"lower\":0,\"upper\":5},"
            + "{\"item\":23,\"value\":-3,\"lower\":-7,\"upper\":1}]";
    ResultTable table =
        new ResultTable.Builder()
            .column("n", ValueKind.LONG)
            .column("state", ValueKind.TEXT)
            .column("top", ValueKind.TEXT)
            .column("m", ValueKind.LONG)
            .row()
            .set(0, 1)
            .set(1, state)
            .set(2, items)
            .set(3, 2)
            .row()
            .set(0, 3)
            .set(1, "RkxXU is no state")
            .set(2, "[{\"item\":no")
            .set(3, 4)
            .row()
            .set(0, 5)
            .set(2, changes)
            .build();
    StringWriter text = new StringWriter();
    OutputFormat.TABLE.write(table, List.of(), new PrintWriter(text));
    assertEquals(
        """
        n  state                  top                                    m
        ─  ─────────────────────  ─────────────────────────────────────  ─
        1  RkxXU3… (2,069 bytes)  192.0.2.1: 80 (78 … 81)                2
                                  443, a\\x1b: 5
                                  22: 5 (0 … 5), may be none
                                  25: 0
        3  RkxXU is no state      [{"item":no                            4
        5                         24: -3 (-7 … -1)
                                  22: 5 (0 … 5), may not have changed
                                  23: -3 (-7 … 1), may not have changed
        """,
        text.toString());
    text.getBuffer().setLength(0);
    OutputFormat.CSV.write(table, List.of(), new PrintWriter(text));
    assertTrue(text.toString().contains(state), "other formats have all of it");
  }

  @Test
  void ofEveryColumnATableShowsThoseWithValuesAndCsvAll() throws Exception {
    FlowQuery all = QueryParser.parse("SELECT * FROM flows");
    ResultTable.Builder builder = new ResultTable.Builder();
    all.select().forEach(item -> builder.column(item.name(), item.what().kind()));
    ResultTable one = builder.row().set(10, 5).row().set(11, 7).build();
    StringWriter text = new StringWriter();
    assertEquals(
        FlowColumn.all().size() - 2,
        OutputFormat.TABLE.write(one, all.select(), new PrintWriter(text)));
    assertEquals(
        """
        bytes  packets
        ─────  ───────
            5
                     7
        """,
        text.toString());
    text.getBuffer().setLength(0);
    assertEquals(0, OutputFormat.CSV.write(one, all.select(), new PrintWriter(text)));
    assertEquals(
        FlowColumn.all().size() - 1,
        text.toString().lines().findFirst().get().chars().filter(c -> c == ',').count());
    FlowQuery named = QueryParser.parse("SELECT uid FROM flows");
    ResultTable empty = new ResultTable.Builder().column("uid", ValueKind.TEXT).row().build();
    text.getBuffer().setLength(0);
    assertEquals(0, OutputFormat.TABLE.write(empty, named.select(), new PrintWriter(text)));
    assertEquals("uid\n───\n\n", text.toString());
    text.getBuffer().setLength(0);
    ResultTable.Builder none = new ResultTable.Builder();
    all.select().forEach(item -> none.column(item.name(), item.what().kind()));
    assertEquals(0, OutputFormat.TABLE.write(none.build(), all.select(), new PrintWriter(text)));
    assertEquals("", text.toString());
  }

  @Test
  void durationsAreSecondsInATableAndMicrosecondsElsewhere() throws Exception {
    FlowQuery query =
        QueryParser.parse(
            "SELECT AVG(duration) AS mean, MAX(duration) AS most, AVG(bytes) AS bytes FROM flows");
    ResultTable table =
        new ResultTable.Builder()
            .column("mean", ValueKind.DOUBLE)
            .column("most", ValueKind.DURATION)
            .column("bytes", ValueKind.DOUBLE)
            .row()
            .set(0, Double.doubleToLongBits(1_234_567.5))
            .set(1, 2_500_000)
            .set(2, Double.doubleToLongBits(12_345_678.25))
            .build();
    assertEquals(
        """
              mean   most        bytes
        ──────────  ─────  ───────────
        1.234568 s  2.5 s  12345678.25
        """,
        text(OutputFormat.TABLE, table, query));
    assertEquals(
        "mean,most,bytes\n1234567.5,2500000,1.234567825E7\n", text(OutputFormat.CSV, table, query));
    assertEquals(
        "[\n{\"mean\":1234567.5,\"most\":2500000,\"bytes\":1.234567825E7}\n]\n",
        text(OutputFormat.JSON, table, query));
  }

  @Test
  void codesHaveTheirNamesAndThoseOfOtherVersionsStayNumbers() throws Exception {
    FlowQuery query =
        QueryParser.parse(
            "SELECT state, MAX(source_kind) AS kind, COUNT(state) AS n FROM flows GROUP BY state");
    ResultTable table =
        new ResultTable.Builder()
            .column("state", ValueKind.LONG)
            .column("kind", ValueKind.LONG)
            .column("n", ValueKind.LONG)
            .row()
            .set(0, 3)
            .set(1, 5)
            .set(2, 5)
            .row()
            .set(0, 200)
            .set(2, 3)
            .row()
            .set(2, 0)
            .build();
    assertEquals(
        """
        state  kind  n
        ─────  ────  ─
        SF     zeek  5
        200          3
                     0
        """,
        text(OutputFormat.TABLE, table, query));
    assertEquals("state,kind,n\nSF,zeek,5\n200,,3\n,,0\n", text(OutputFormat.CSV, table, query));
    assertEquals(
        """
        [
        {"state":"SF","kind":"zeek","n":5}
        ,{"state":200,"kind":null,"n":3}
        ,{"state":null,"kind":null,"n":0}
        ]
        """,
        text(OutputFormat.JSON, table, query));
  }

  private static String text(OutputFormat format) throws Exception {
    return text(
        format, TABLE, QueryParser.parse("SELECT src_addr, bytes, uid, arrival AS at FROM flows"));
  }

  private static String text(OutputFormat format, ResultTable table, FlowQuery query)
      throws Exception {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    format.write(table, query.select(), out);
    out.flush();
    return text.toString();
  }
}
