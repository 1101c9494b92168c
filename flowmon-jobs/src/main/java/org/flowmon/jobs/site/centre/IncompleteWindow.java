package org.flowmon.jobs.site.centre;

import java.util.Arrays;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.StatesLayout;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/** A window of a site's attempt whose first parts came; its memory is bounded by their bytes. */
final class IncompleteWindow {
  final Publication publication;
  final long windowEnd;
  final ArrivalCounts counts;
  private final int length;
  private final int parts;
  private byte[] bytes;
  private int size;
  private int taken;
  // The last part's sequence number, for IncompleteWindows: not in the state.
  long touched;

  private IncompleteWindow(
      Publication publication, long windowEnd, ArrivalCounts counts, int length, int parts) {
    this.publication = publication;
    this.windowEnd = windowEnd;
    this.counts = counts;
    this.length = length;
    this.parts = parts;
    this.bytes = new byte[Math.min(length, StatesMessage.MAX_PART_BYTES)];
  }

  static IncompleteWindow of(StatesMessage.Part first) {
    return new IncompleteWindow(
        first.publication(), first.windowEnd(), first.counts(), first.length(), first.parts());
  }

  /** False if the part is not the next one. */
  boolean take(StatesMessage.Part part) {
    boolean follows =
        part.part() == taken
            && part.parts() == parts
            && part.length() == length
            && part.windowEnd() == windowEnd
            && part.publication().equals(publication)
            && part.bytes().length <= length - size
            && (taken < parts - 1 || part.bytes().length == length - size);
    if (follows) {
      int needed = size + part.bytes().length;
      if (needed > bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(length, Math.max(needed, 2L * bytes.length)));
      }
      System.arraycopy(part.bytes(), 0, bytes, size, part.bytes().length);
      size = needed;
      taken++;
    }
    return follows;
  }

  long windowStart() {
    return windowEnd - publication.widthMicros();
  }

  boolean isComplete() {
    return taken == parts;
  }

  /** Of a complete window; empty if it has none. */
  byte[] states() {
    return bytes;
  }

  /** Bytes in memory: the parts that have come, and reserved room. */
  int room() {
    return bytes.length;
  }

  void write(StateSink sink) {
    StatesLayout.putPublication(publication, sink);
    sink.putLong(windowEnd);
    StatesLayout.putCounts(counts, sink);
    sink.putInt(length);
    sink.putU16(parts);
    sink.putU16(taken);
    sink.putInt(size);
    sink.putBytes(bytes, 0, size);
  }

  static IncompleteWindow read(StateReader reader) {
    Publication publication = StatesLayout.getPublication(reader);
    long end = reader.getLong();
    ArrivalCounts counts = StatesLayout.getCounts(reader);
    IncompleteWindow assembly =
        new IncompleteWindow(publication, end, counts, reader.getInt(), reader.getU16());
    assembly.taken = reader.getU16();
    assembly.size = reader.getInt();
    int from = reader.skip(assembly.size);
    assembly.bytes = Arrays.copyOfRange(reader.array(), from, from + assembly.size);
    return assembly;
  }
}
