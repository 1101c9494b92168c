package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.state.SuperAggregate;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * The "null" function of the paper, the baseline of the others: the sum of an argument in two
 * halves, one word a group.
 */
final class SumBaseline implements BoundUdaf {
  static final String NAME = "null";
  private static final int FORM = 1;

  private final int argument;

  /** The sum of one of the arguments, from 0. */
  SumBaseline(int argument) {
    this.argument = argument;
  }

  @Override
  public UdafCall call() {
    List<UdafCall.Argument> rows = new ArrayList<>();
    for (int a = 0; a <= argument; a++) {
      rows.add(UdafCall.Argument.ofRows(ValueKind.LONG));
    }
    return new UdafCall(NAME, stateType(), rows);
  }

  @Override
  public int arguments() {
    return argument + 1;
  }

  @Override
  public String stateType() {
    return NAME + "(LONG)";
  }

  @Override
  public boolean isExact() {
    return true;
  }

  @Override
  public SubAggregate subAggregate() {
    return new Low(argument);
  }

  @Override
  public SuperAggregate superAggregate() {
    return Sum::new;
  }

  private record Low(int argument) implements SubAggregate {
    @Override
    public int words() {
      return 1;
    }

    @Override
    public void initialize(long[] pads, int at) {
      pads[at] = 0;
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
      long[] values = arguments[argument].values();
      for (int r = from; r < to; r++) {
        pads[places[r] + word] += values[selection[r]];
      }
      return to;
    }

    @Override
    public void output(long[] pads, int at, StateSink sink) {
      sink.putByte(FORM);
      sink.putLong(pads[at]);
    }
  }

  /** A sum. */
  static final class Sum implements SuperState {
    private long sum;

    long sum() {
      return sum;
    }

    @Override
    public void merge(StateReader bytes) {
      if (bytes.remaining() == 0) {
        return;
      }
      int form = bytes.getByte();
      if (form != FORM) {
        throw bytes.error("expected form " + FORM + ", found " + form);
      }
      long more = bytes.getLong();
      bytes.end();
      sum += more;
    }

    @Override
    public void output(StateSink sink) {
      sink.putByte(FORM);
      sink.putLong(sum);
    }

    @Override
    public long memoryBytes() {
      return 24;
    }
  }
}
