package org.flowmon.udaf.enrich;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledExpressions;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.vector.Vector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds a flow for the four columns that follow from its role: the role found out for each
 * column, and once for all.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DerivedColumnsBenchmark {
  private static final int ROWS = 64 * Vector.CAPACITY;
  private static final int[] FLAGS = {2, 18, 20, 24, 27};

  private FlowBatch flows;
  private CompiledExpression[] alone;
  private CompiledExpressions together;
  private CompiledExpression[] once;
  private Vector[] vectors;

  @Setup
  public void fill() {
    Random random = new Random(1);
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int i = 0; i < ROWS; i++) {
      boolean isAnswer = random.nextBoolean();
      int port = List.of(22, 53, 80, 443, 8080).get(random.nextInt(5));
      int other = 1024 + random.nextInt(60_000);
      builder.beginRow();
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(random.nextInt()));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.ofIpv4(random.nextInt()));
      builder.set(FlowColumn.PROTOCOL, random.nextInt(4) == 0 ? 17 : 6);
      builder.set(FlowColumn.SRC_PORT, isAnswer ? port : other);
      builder.set(FlowColumn.DST_PORT, isAnswer ? other : port);
      builder.set(FlowColumn.TCP_FLAGS, FLAGS[random.nextInt(FLAGS.length)]);
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(20));
      builder.set(FlowColumn.ARRIVAL, i);
      builder.endRow();
    }
    flows = FlowBatch.open(builder.build(1, 0, ROWS, 0));
    List<Expression> columns =
        QueryParser.parse("SELECT client_addr, server_addr, server_port, answered FROM flows")
            .select()
            .stream()
            .map(SelectItem::what)
            .toList();
    alone = columns.stream().map(CompiledExpression::of).toArray(CompiledExpression[]::new);
    together = new CompiledExpressions(Map.of());
    once = together.add(columns);
    vectors = new Vector[alone.length];
    for (int c = 0; c < vectors.length; c++) {
      vectors[c] = alone[c].newVector();
    }
  }

  private Vector[] evaluate(CompiledExpression[] columns) {
    for (int from = 0; from < ROWS; from += Vector.CAPACITY) {
      together.next();
      for (int c = 0; c < columns.length; c++) {
        columns[c].evaluate(flows, from, Vector.CAPACITY, vectors[c]);
      }
    }
    return vectors;
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public Vector[] forEachColumn() {
    return evaluate(alone);
  }

  @Benchmark
  @OperationsPerInvocation(ROWS)
  public Vector[] onceForAll() {
    return evaluate(once);
  }
}
