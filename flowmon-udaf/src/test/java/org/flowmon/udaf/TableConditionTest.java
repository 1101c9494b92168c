package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.result.TableCondition;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** Conditions over the rows of a result choose the same rows as a naive interpreter. */
class TableConditionTest {
  private static final List<Named> COLUMNS =
      List.of(
          new Named("src_addr", ValueKind.ADDRESS),
          new Named("bytes", ValueKind.LONG),
          new Named("share", ValueKind.DOUBLE),
          new Named("verdict", ValueKind.TEXT));

  @Test
  void rowsOfResultsAreChosenAsTheNaiveInterpreterChooses() {
    ResultTable table =
        FlowQueries.run(
            new RandomFlows(17).batches(30, 200), QueryParser.parse("SELECT * FROM flows"));
    assertTrue(table.rowCount() > 2 * 1024, "more rows than a vector holds");
    int chosenRows = 0;
    for (String sql : conditions()) {
      Expression condition = QueryParser.parseCondition(sql, columnsOf(table), "the report");
      int[] expected =
          IntStream.range(0, table.rowCount())
              .filter(row -> Boolean.TRUE.equals(new NaiveRow(table, row).value(condition)))
              .toArray();
      int[] chosen = TableCondition.parse(sql, columnsOf(table), "the report").select(table);
      assertArrayEquals(expected, chosen, sql);
      ResultTable some = table.withRows(chosen);
      for (int i = 0; i < chosen.length; i += 97) {
        assertEquals(table.withRows(new int[] {chosen[i]}), some.withRows(new int[] {i}), sql);
      }
      chosenRows += chosen.length;
    }
    assertTrue(chosenRows > table.rowCount(), "the conditions choose something");
  }

  /** Only columns of flows have names of codes. */
  private static List<String> conditions() {
    List<String> conditions = new ArrayList<>();
    for (String sql : EvaluationTest.SPECIAL) {
      if (!sql.contains("state IN")) {
        conditions.add(sql);
      }
    }
    for (int seed = 0; seed < 300; seed++) {
      conditions.add(new RandomQueries(new Random(seed)).condition(3).ours());
    }
    return conditions;
  }

  private static List<Named> columnsOf(ResultTable table) {
    return IntStream.range(0, table.columnCount())
        .mapToObj(c -> new Named(table.name(c), table.kind(c)))
        .toList();
  }

  @Test
  void sumsBeyondSixtyFourBitsAreComparedWithAllOfThem() {
    ResultTable.Builder rows = new ResultTable.Builder().column("bytes", ValueKind.LONG);
    List<BigInteger> values = new ArrayList<>();
    Random random = new Random(5);
    for (int i = 0; i < 1500; i++) {
      BigInteger value = new BigInteger(random.nextInt(100), random);
      values.add(value);
      rows.row().set(0, value.shiftRight(64).longValue(), value.longValue());
    }
    ResultTable table = rows.row().build();
    int[] chosen =
        TableCondition.parse(
                "bytes > 9223372036854775807",
                List.of(new Named("bytes", ValueKind.LONG)),
                "the report")
            .select(table);
    BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);
    int[] expected =
        IntStream.range(0, values.size())
            .filter(row -> values.get(row).compareTo(most) > 0)
            .toArray();
    assertArrayEquals(expected, chosen);
    assertTrue(chosen.length > 100 && chosen.length < 1400, chosen.length + " rows");
    ResultTable some = table.withRows(chosen);
    assertEquals(values.get(chosen[7]), some.bigValue(7, 0));
    assertTrue(table.withRows(new int[] {1500}).isNull(0, 0));
  }

  @Test
  void namesAreThoseOfTheTableInAnyCaseAndQuotedAsTheyStand() {
    ResultTable table =
        new ResultTable.Builder()
            .column("verdict", ValueKind.TEXT)
            .column("share", ValueKind.DOUBLE)
            .column("bytes", ValueKind.LONG)
            .column("src_addr", ValueKind.ADDRESS)
            .row()
            .set(0, "new")
            .set(1, Double.doubleToLongBits(0.2))
            .build();
    for (String sql : List.of("VERDICT = 'new'", "\"verdict\" = 'new'", "share * 10 > 1 ")) {
      assertArrayEquals(
          new int[] {0}, TableCondition.parse(sql, COLUMNS, "the report").select(table), sql);
    }
    assertArrayEquals(
        new int[0],
        TableCondition.parse("bytes > 0 OR src_addr IN '10.0.0.0/8'", COLUMNS, "the report")
            .select(table));
  }

  @Test
  void errorsNameThePlaceAndWhatWasExpected() {
    error("verdct = 'new'", 0, "no column 'verdct' in the report; did you mean 'verdict'?");
    error(
        "bytes > 1 AND protocol = 'dns'",
        14,
        "line 1:15: no column 'protocol' in the report; expected one of src_addr, bytes, share,"
            + " verdict");
    error("\"Verdict\" = 'new'", 0, "double quotes hold a name, a text takes single quotes");
    error("bytes > 'many'", 8, "expected a LONG to compare with, found a TEXT");
    error("share", 0, "expected a condition, found a DOUBLE");
    error("src_addr = '10.0.0.0/8'", 11, "prefixes are matched by IN");
    error(
        "SUM(bytes) > 1", 0, "SUM is an aggregate: expected an expression over the columns of the");
    error("bytes > :least", 8, "the rows of the report takes no parameters, found :least");
    error("NETWROK(src_addr, 24) = '10.0.0.0'", 0, "did you mean NETWORK?");
    error("bytes > 1 bytes", 10, "expected an operator or the end of the condition, found 'bytes'");
    error("bytes >", 7, "expected an expression, found the end");
  }

  private static void error(String sql, int position, String message) {
    QueryException e =
        assertThrows(
            QueryException.class, () -> TableCondition.parse(sql, COLUMNS, "the report"), sql);
    assertEquals(position, e.position(), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void aTableWithoutTheColumnIsRefused() {
    TableCondition condition = TableCondition.parse("bytes > 1", COLUMNS, "the report");
    ResultTable other = new ResultTable.Builder().column("bytes", ValueKind.DOUBLE).row().build();
    assertThrows(IllegalArgumentException.class, () -> condition.select(other));
    assertThrows(
        IllegalArgumentException.class,
        () -> condition.select(new ResultTable.Builder().row().build()));
  }
}
