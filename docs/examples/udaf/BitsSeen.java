import java.util.List;
import org.flowmon.udaf.vector.Vector;
import org.flowmon.udaf.function.*;
import org.flowmon.udaf.state.*;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** {@code BITS_SEEN(tcp_flags)}: the bits that any value of a group has. {@code BITS(state)} is a number of them. */
public class BitsSeen implements Udaf {
  public String name() { return "BITS_SEEN"; }

  public String signature() { return "BITS_SEEN(x)"; }

  public BoundUdaf bind(UdafCall call) {
    call.rows(0, "x", ValueKind.LONG);
    call.atMost(1);
    return BoundUdaf.exact(call, Low::new, High::new);
  }

  public List<Extractor> extractors() {
    return List.of(Extractor.exact("BITS", ValueKind.LONG, state -> Value.ofLong(((High) state).bits)));
  }

  /** A pad is one word, the bits so far: it takes any number of rows. */
  private static class Low implements SubAggregate {
    public int words() { return 1; }

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
      bytes.expectForm(1);
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
}
