package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;
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
            "\r\n",
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

  private static String text(OutputFormat format) throws Exception {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    format.write(TABLE, out);
    out.flush();
    return text.toString();
  }
}
