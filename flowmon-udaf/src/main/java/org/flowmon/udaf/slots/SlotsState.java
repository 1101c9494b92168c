package org.flowmon.udaf.slots;

import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SuperState;

/**
 * The slots with values, a bit each; {@code docs/format/states.md} is the specification.
 *
 * <pre>
 *   u8 form 64 | u64 slots
 * </pre>
 */
final class SlotsState implements SuperState {
  private static final int FORM = 64;
  private static final long MEMORY_BYTES = 24;

  private long slots;

  long slots() {
    return slots;
  }

  static void write(long slots, StateSink sink) {
    sink.putByte(FORM);
    sink.putLong(slots);
  }

  @Override
  public void merge(StateReader bytes) {
    if (bytes.remaining() == 0) {
      return; // no rows
    }
    bytes.expectForm(FORM);
    long more = bytes.getLong();
    bytes.end(); // before anything changes
    slots |= more;
  }

  @Override
  public void output(StateSink sink) {
    write(slots, sink);
  }

  @Override
  public long memoryBytes() {
    return MEMORY_BYTES;
  }
}
