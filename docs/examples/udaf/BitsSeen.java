import java.util.List;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.function.Answer;
import org.flowmon.udaf.function.AnswerType;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.function.Estimate;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.StateReader;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.function.SubAggregate;
import org.flowmon.udaf.function.SuperAggregate;
import org.flowmon.udaf.function.SuperState;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.query.Value;
import org.flowmon.udaf.query.ValueKind;

/** {@code BITS_SEEN(tcp_flags)}: the bits that any value of a group has. {@code BITS(state)} is a number of them. */
public class BitsSeen implements Udaf {
  public String name() { return "BITS_SEEN"; }

  public String signature() { return "BITS_SEEN(x)"; }

  public BoundUdaf bind(UdafCall call) {
    call.rows(0, "x", ValueKind.LONG);
    call.atMost(1);
    return new Bound(call);
  }

  public List<Extractor> extractors() { return List.of(new Bits()); }

  private record Bound(UdafCall call) implements BoundUdaf {
    public int arguments() { return 1; }

    public String stateType() { return "BITS_SEEN(LONG)"; }

    public boolean isExact() { return true; }

    public SubAggregate subAggregate() { return new Low(); }

    public SuperAggregate superAggregate() { return High::new; }
  }

  /** A pad is one word, the bits so far: it takes any number of rows. */
  private static class Low implements SubAggregate {
    public int words() { return 1; }

    public int maxBytes() { return 9; }

    public void initialize(long[] pads, int at) { pads[at] = 0; }

    public int iterate(Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
      long[] values = arguments[0].values();
      for (int r = from; r < to; r++) {
        pads[places[r] + word] |= values[selection[r]]; // the value of a NULL is 0
      }
      return to;
    }

    public void output(long[] pads, int at, StateSink sink) { write(pads[at], sink); }
  }

  private static class High implements SuperState {
    private long bits;

    public void merge(StateReader bytes) {
      if (bytes.remaining() == 0) {
        return; // no rows
      }
      int form = bytes.getByte();
      if (form != 1) {
        throw bytes.error("form " + form + ", this reads form 1");
      }
      long more = bytes.getLong();
      bytes.end(); // before anything changes
      bits |= more;
    }

    public void output(StateSink sink) { write(bits, sink); }

    public long memoryBytes() { return 24; }
  }

  private static void write(long bits, StateSink sink) {
    sink.putByte(1); // the form: another layout would have another
    sink.putLong(bits);
  }

  private static class Bits implements Extractor, BoundExtractor {
    public String name() { return "BITS"; }

    public String signature() { return "BITS(state)"; }

    public BoundExtractor bind(BoundUdaf function, UdafCall call) {
      call.atMost(0);
      return this;
    }

    public AnswerType type() { return AnswerType.estimate(ValueKind.LONG); }

    public Answer extract(SuperState state) { return Estimate.exact(Value.ofLong(((High) state).bits)); }

    public ErrorBound bound(SuperState state) { return ErrorBound.EXACT; }
  }
}
