package org.flowmon.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.catalogue.ExportedState;
import org.flowmon.udaf.catalogue.Udafs;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.state.StateFormatException;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ResultTable;

/**
 * States of aggregate functions as they are exported, and as {@code flowmon sketch} takes them:
 * with the frame's length and checksum made right. What is taken goes to bytes and back unchanged,
 * merges with itself and answers its extractors.
 */
final class StatesFuzz implements FuzzTarget {
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 12;
  private static final List<String> CALLS =
      List.of(
          "QUANTILES(bytes)",
          "QUANTILES(bytes, 0)",
          "QUANTILES(bytes, 0.05, 'heavy')",
          "QUANTILES(bytes, 0.1, 'kll')",
          "HEAVY_HITTERS(src_addr, bytes)",
          "HEAVY_HITTERS(dst_port)",
          "APPROX_COUNT_DISTINCT(src_addr)",
          "DISTINCT_SAMPLE(dst_addr)");

  private final Udafs functions = Udafs.load(StatesFuzz.class.getClassLoader());

  @Override
  public String name() {
    return "states";
  }

  @Override
  public String about() {
    return "exported states of aggregate functions: read, merged, asked, written again";
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (String call : CALLS) {
      for (int rows : new int[] {1, 3, 400}) {
        FlowQuery query = QueryParser.parse("SELECT " + call + " AS s FROM flows");
        ResultTable table = FlowQueries.run(List.of(FuzzFlows.batch(2, rows)), query);
        seeds.add(Base64.getDecoder().decode(table.text(0, 0)));
      }
    }
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (16L << 20) + 64L * input.length;
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 100_000_000L + 2_000_000L * (input.length / 1024);
  }

  @Override
  public void run(byte[] input) {
    byte[] framed = input.clone();
    Edits.putLength(framed, LENGTH_AT);
    Edits.seal(framed, CRC_AT);
    try {
      ExportedState exported = ExportedState.read(framed);
      BoundUdaf function = exported.bind(functions);
      SuperState state = function.superAggregate().initialize();
      exported.mergeInto(state);
      check(function, state);
    } catch (StateFormatException | UdafException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
    }
  }

  private void check(BoundUdaf function, SuperState state) {
    byte[] bytes = bytes(state);
    SuperState again = function.superAggregate().initialize();
    again.merge(new StateReader(bytes, 0, bytes.length, "a state"));
    ExportsFuzz.require(
        Arrays.equals(bytes, bytes(again)), "written and read again it has other bytes");
    for (Extractor extractor : functions.find(function.call().name()).extractors()) {
      try {
        BoundExtractor bound = functions.bindExtractor(function, extractor.name(), List.of());
        ExportsFuzz.require(
            bound.extract(state).equals(bound.extract(again)), extractor.name() + " differs");
      } catch (UdafException e) {
        ExportsFuzz.require(e.getMessage() != null, "an error without a message"); // arguments
      }
    }
    SuperState both = function.superAggregate().initialize();
    both.merge(state);
    both.merge(again);
    bytes(both);
  }

  private static byte[] bytes(SuperState state) {
    StateSink sink = new StateSink();
    state.output(sink);
    return sink.toBytes();
  }
}
