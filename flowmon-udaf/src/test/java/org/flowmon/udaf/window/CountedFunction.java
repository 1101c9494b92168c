package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;

/**
 * A function that moves a clock by counted work instead of elapsed time: nanoseconds for a row at
 * the low half, for a merge, and for a byte that is merged or merged into.
 *
 * @param clock the time
 * @param nanosOfRow by low half
 */
public record CountedFunction(BoundUdaf function, AtomicLong clock, Map<String, Integer> nanosOfRow)
    implements BoundUdaf {
  private static final long NANOS_OF_MERGE = 100;
  private static final long BYTES_OF_NANO = 2;

  @Override
  public UdafCall call() {
    return function.call();
  }

  @Override
  public int arguments() {
    return function.arguments();
  }

  @Override
  public String stateType() {
    return function.stateType();
  }

  @Override
  public boolean isExact() {
    return function.isExact();
  }

  @Override
  public String lowHalf() {
    return function.lowHalf();
  }

  @Override
  public List<BoundUdaf> choices() {
    List<BoundUdaf> all = new ArrayList<>();
    function.choices().forEach(one -> all.add(new CountedFunction(one, clock, nanosOfRow)));
    return all;
  }

  @Override
  public SubAggregate subAggregate() {
    SubAggregate low = function.subAggregate();
    int nanos = nanosOfRow.get(lowHalf());
    return new SubAggregate() {
      @Override
      public int words() {
        return low.words();
      }

      @Override
      public void initialize(long[] pads, int at) {
        low.initialize(pads, at);
      }

      @Override
      public int iterate(
          Vector[] arguments,
          int[] selection,
          int from,
          int to,
          long[] pads,
          int[] places,
          int word) {
        int stopped = low.iterate(arguments, selection, from, to, pads, places, word);
        clock.addAndGet((long) nanos * (stopped - from));
        return stopped;
      }

      @Override
      public void output(long[] pads, int at, StateSink sink) {
        low.output(pads, at, sink);
      }
    };
  }

  @Override
  public SuperAggregate superAggregate() {
    SuperAggregate high = function.superAggregate();
    return () -> new Counted(high.initialize(), clock);
  }

  private record Counted(SuperState state, AtomicLong clock) implements SuperState {
    @Override
    public void merge(StateReader bytes) {
      clock.addAndGet(NANOS_OF_MERGE + 10L * bytes.remaining() / BYTES_OF_NANO);
      state.merge(bytes);
      clock.addAndGet(state.memoryBytes() / BYTES_OF_NANO);
    }

    @Override
    public void output(StateSink sink) {
      state.output(sink);
    }

    @Override
    public long memoryBytes() {
      return state.memoryBytes();
    }
  }
}
