package org.flowmon.jobs.site;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.lowlevel.ArrivalCounts;

/** A site's message on its states, version 1 of {@code docs/format/states-topic.md}. Immutable. */
public sealed interface StatesMessage {
  /** A broker takes 1 MiB by default. */
  int MAX_BYTES = 900_000;

  int MAX_PART_BYTES = 800_000;

  int MAX_WINDOW_BYTES = 1 << 28;

  int MAX_PUBLICATIONS = 1024;

  /** Random, for each start of the sending task. */
  long attempt();

  /** The number of earlier messages of the attempt. */
  long number();

  String site();

  /**
   * Publications, and the time in microseconds through which they are complete: windows of end +
   * lateness by {@code through} were published; {@link Long#MIN_VALUE}: nothing is known yet.
   */
  record Progress(long attempt, long number, String site, long through, List<Published> published)
      implements StatesMessage {
    public Progress {
      published = List.copyOf(published);
    }
  }

  /** {@code wholeFrom}: the first window with all flows, in µs; {@link Long#MIN_VALUE}: each. */
  record Published(Publication publication, long wholeFrom) {}

  /**
   * A part of the states of a window that ends at {@code windowEnd}, in microseconds.
   *
   * @param counts arrivals within the window
   * @param length bytes of all parts; 0 if the window has no states but flows
   * @param part 0 … parts − 1
   * @param bytes of this part; read-only
   */
  @SuppressWarnings("ArrayRecordComponent") // a message's payload, never compared
  record Part(
      long attempt,
      long number,
      String site,
      Publication publication,
      long windowEnd,
      ArrivalCounts counts,
      int length,
      int part,
      int parts,
      byte[] bytes)
      implements StatesMessage {}

  default byte[] toBytes() {
    return StatesLayout.write(this);
  }

  /** Opens bytes of any origin; StateFormatException names the found and the expected value. */
  static StatesMessage open(byte[] bytes) {
    return StatesLayout.open(bytes);
  }

  /** The messages of a window, the first with {@code number}. */
  static List<Part> parts(
      long attempt,
      long number,
      String site,
      Publication publication,
      long windowEnd,
      ArrivalCounts counts,
      byte[] states) {
    int parts = Math.max(1, (states.length + MAX_PART_BYTES - 1) / MAX_PART_BYTES);
    List<Part> all = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      int from = part * MAX_PART_BYTES;
      byte[] bytes = new byte[Math.min(MAX_PART_BYTES, states.length - from)];
      System.arraycopy(states, from, bytes, 0, bytes.length);
      all.add(
          new Part(
              attempt,
              number + part,
              site,
              publication,
              windowEnd,
              counts,
              states.length,
              part,
              parts,
              bytes));
    }
    return all;
  }
}
