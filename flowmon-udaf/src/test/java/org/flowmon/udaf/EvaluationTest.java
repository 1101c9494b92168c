package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.vector.Vector;
import org.junit.jupiter.api.Test;

/**
 * Vectors give the same values as a naive interpreter row by row, and constraints keep every row
 * that a filter keeps.
 */
class EvaluationTest {
  private static final String NOW = "TIMESTAMP '2026-11-21'";

  /** Cases that the comparison with DuckDB does not reach. */
  static final List<String> SPECIAL =
      List.of(
          "SAME_HOUR(end_time, " + NOW + ", 7)",
          "NOT SAME_HOUR(start_time, " + NOW + ", 3)",
          "SAME_HOUR(end_time, " + NOW + " - INTERVAL '30' MINUTE, 7, INTERVAL '5' HOUR)",
          "NOT SAME_HOUR(end_time, " + NOW + ", 4, INTERVAL '1' DAY)",
          "DAYS_BEFORE(end_time, " + NOW + ") IN (1, 3, 5)",
          "service LIKE '%t_'",
          "service NOT LIKE 'h%p' OR uid LIKE '%1%'",
          "NETWORK(src_addr, 24, 64) = '10.0.1.0'",
          "'2001:db8::' = NETWORK(dst_addr, 30, 32)",
          "NETWORK(src_addr, 8) <> NETWORK(dst_addr, 8)",
          "NETWORK(src_addr, 24, 64) IN ('10.0.1.0', '10.0.2.7', '2001:db8::', NULL)",
          "NETWORK(dst_addr, 25, 47) NOT IN ('10.0.0.0', '2001:db8::')",
          "NETWORK(dst_addr, 24, 48) IN ('10.0.0.0/16', '2001:db8::')",
          "src_addr IN ('10.0.0.0/24', '::/0', '10.0.2.3') OR dst_addr IN ('10.0.0.0/24', '::/0',"
              + " '10.0.2.3')",
          "src_addr NOT IN ('0.0.0.0/0', NULL)",
          "TIME_BUCKET(end_time, INTERVAL '1' DAY) = TIMESTAMP '2026-11-18'",
          "TIME_BUCKET(end_time, INTERVAL '7' HOUR) < TIMESTAMP '2026-11-18 13:00'",
          "COALESCE(reverse_bytes, bytes, 0) * 3 > 4611686018427387904",
          "bytes + reverse_bytes > 0",
          "bytes * bytes IS NULL",
          "(bytes - reverse_bytes) % packets = 1",
          "tcp_flags & 2 = 2 AND tcp_flags | 16 <> tcp_flags",
          "end_time - start_time > INTERVAL '5' MINUTE",
          "duration / INTERVAL '1' SECOND > 600.5e0",
          "state IN ('SF', 'S0')",
          "CASE WHEN outgoing THEN packets > 3 WHEN bytes > 10 THEN NULL ELSE outgoing END",
          "CASE protocol WHEN 6 THEN service WHEN 1 THEN uid ELSE 'none' END >= 'http'",
          "(outgoing IS FALSE) = (packets > 4)",
          "NULL",
          "bytes = NULL OR packets IN (NULL, 3)",
          "outgoing IN (TRUE)",
          "packets / protocol IN (0.5e0, 2, NULL)",
          "arrival < " + NOW + " - INTERVAL '3' DAY AND arrival >= " + NOW + " - INTERVAL '5' DAY");

  private final List<FlowBatch> flows = new RandomFlows(11).batches(16, 200);

  @Test
  void predicatesChooseWhatTheNaiveInterpreterChooses() {
    for (Expression condition : conditions()) {
      CompiledPredicate predicate = CompiledPredicate.of(condition);
      int[] selection = new int[Vector.CAPACITY];
      for (FlowBatch batch : flows) {
        int from = batch.rows() / 3;
        int n = predicate.select(batch, from, batch.rows() - from, selection);
        List<Integer> expected = new ArrayList<>();
        for (int row = from; row < batch.rows(); row++) {
          if (Boolean.TRUE.equals(new NaiveRow(batch, row).value(condition))) {
            expected.add(row - from);
          }
        }
        assertEquals(
            expected, Arrays.stream(selection, 0, n).boxed().toList(), condition.toString());
      }
    }
  }

  @Test
  void valuesAreThoseOfTheNaiveInterpreter() {
    List<Expression> expressions = new ArrayList<>(conditions());
    for (String sql :
        List.of(
            "NETWORK(dst_addr, 25, 47)",
            "DAYS_BEFORE(arrival, " + NOW + ")",
            "bytes / packets",
            "service",
            "duration",
            "TIME_BUCKET(start_time, INTERVAL '90' SECOND)",
            "COALESCE(service, uid, 'x')",
            "-bytes * 2",
            "end_time",
            "CASE WHEN outgoing THEN 1 ELSE 2.5 END",
            "COALESCE(next_hop, src_addr)")) {
      expressions.add(
          QueryParser.parse("SELECT " + sql + " AS x FROM flows").select().get(0).what());
    }
    for (Expression expression : expressions) {
      CompiledExpression compiled = CompiledExpression.of(expression);
      Vector vector = compiled.newVector();
      for (FlowBatch batch : flows) {
        compiled.evaluate(batch, 0, batch.rows(), vector);
        for (int row = 0; row < batch.rows(); row++) {
          assertEquals(
              new NaiveRow(batch, row).value(expression),
              read(vector, row),
              expression + " row " + row);
        }
      }
    }
  }

  private static Object read(Vector vector, int i) {
    if (!vector.isValid(i)) {
      assertEquals(0, vector.values()[i], "the value of a NULL is 0");
      assertFalse(vector.allValid());
      return null;
    }
    return switch (vector.kind()) {
      case BOOLEAN -> vector.values()[i] != 0;
      case DOUBLE -> Double.longBitsToDouble(vector.values()[i]);
      case ADDRESS -> new IpAddress(vector.high()[i], vector.values()[i]);
      case TEXT -> vector.texts()[i];
      default -> vector.values()[i];
    };
  }

  private static List<Expression> conditions() {
    List<Expression> conditions = new ArrayList<>();
    for (String sql : SPECIAL) {
      conditions.add(QueryParser.parseCondition(sql));
      conditions.add(
          QueryParser.parseCondition("NOT (" + sql + ") OR (" + sql + ") IS NULL AND packets > 4"));
    }
    for (int seed = 0; seed < 200; seed++) {
      conditions.add(
          QueryParser.parseCondition(new RandomQueries(new Random(seed)).condition(3).ours()));
    }
    return conditions;
  }

  @Test
  void constraintsKeepEveryRowThatTheFilterKeeps() {
    int useful = 0;
    for (Expression condition : conditions()) {
      Constraints constraints = Constraints.of(condition);
      for (FlowBatch batch : flows) {
        for (int row = 0; row < batch.rows(); row++) {
          boolean kept = Boolean.TRUE.equals(new NaiveRow(batch, row).value(condition));
          boolean allowed = allows(constraints, batch, row);
          assertTrue(allowed || !kept, condition + " keeps a row that is not in " + constraints);
          useful += allowed ? 0 : 1;
        }
      }
    }
    assertTrue(useful > 50_000, "constraints should exclude rows, excluded " + useful);
  }

  private static boolean allows(Constraints constraints, FlowBatch batch, int row) {
    if (constraints.isImpossible()) {
      return false;
    }
    for (FlowColumn column : FlowColumn.all()) {
      LongRanges longs = constraints.longs(column);
      AddressRanges addresses = constraints.addresses(column);
      boolean isNull = batch.isNull(column, row);
      boolean outside = longs != null && (isNull || !longs.contains(batch.getLong(column, row)));
      if (addresses != null) {
        outside |= isNull || !addresses.contains(batch.getAddress(column, row));
      }
      if (outside) {
        return false;
      }
    }
    return constraints.alternatives().stream()
        .allMatch(any -> any.stream().anyMatch(one -> allows(one, batch, row)));
  }

  @Test
  void timesReckonedFromAnotherConstrainAsIfTheyWereWritten() {
    assertEquals(
        constraints("end_time >= TIMESTAMP '2026-11-20 23:00'"),
        constraints("end_time >= " + NOW + " - INTERVAL '1' HOUR"));
    assertEquals(
        constraints("end_time < TIMESTAMP '2026-11-21 02:00'"),
        constraints(NOW + " - INTERVAL '1' HOUR + 3 * INTERVAL '1' HOUR > end_time"));
    assertEquals(
        constraints("end_time >= TIMESTAMP '2026-11-13 22:00'"),
        constraints(
            "end_time >= TIME_BUCKET(TIMESTAMP '2026-11-20 22:59:59' - INTERVAL '7' DAY,"
                + " INTERVAL '1' HOUR)"));
    assertEquals(constraints("bytes > 12"), constraints("bytes > 3 * (7 - 3)"));
    // A result beyond 64 bits is NULL, and so is a comparison with it: no row is excluded.
    assertEquals(Constraints.NOTHING, constraints("bytes > 9223372036854775807 + 1"));
  }

  private static Constraints constraints(String condition) {
    return Constraints.of(QueryParser.parse("SELECT * FROM flows WHERE " + condition).where());
  }

  @Test
  void constraintsAreExactWhereTheyCanBe() {
    Constraints hours =
        Constraints.of(QueryParser.parseCondition("SAME_HOUR(end_time, " + NOW + ", 2)"));
    long day = 24 * RandomFlows.HOUR;
    assertEquals(
        LongRanges.of(
                RandomFlows.START - 2 * day, RandomFlows.START - 2 * day + RandomFlows.HOUR - 1)
            .or(
                LongRanges.of(
                    RandomFlows.START - day, RandomFlows.START - day + RandomFlows.HOUR - 1)),
        hours.longs(FlowColumn.END_TIME));
    Constraints party =
        Constraints.of(
            QueryParser.parseCondition(
                "(src_addr = '10.0.0.1' OR dst_addr = '10.0.0.1') AND bytes > 5"));
    assertEquals(1, party.alternatives().size());
    assertEquals(2, party.alternatives().get(0).size());
    assertEquals(LongRanges.of(6, Long.MAX_VALUE), party.longs(FlowColumn.BYTES));
    // Whoever is a client is the source or the destination.
    assertEquals(party, constraints("client_addr = '10.0.0.1' AND bytes > 5"));
    assertEquals(
        constraints("dst_addr IN ('10.0.0.0/8', '::1') OR src_addr IN ('10.0.0.0/8', '::1')"),
        constraints("server_addr IN ('10.0.0.0/8', '::1')"));
    assertEquals(Constraints.NOTHING, constraints("NOT client_addr IN ('10.0.0.1')"));
    Constraints list =
        Constraints.of(QueryParser.parseCondition("src_port IN (7, 9, 8) OR src_port = 20"));
    assertEquals(LongRanges.of(7, 9).or(LongRanges.of(20, 20)), list.longs(FlowColumn.SRC_PORT));
    assertEquals(List.of(), list.alternatives());
    assertTrue(
        Constraints.of(QueryParser.parseCondition("bytes > 5 AND bytes < 3")).isImpossible());
  }
}
