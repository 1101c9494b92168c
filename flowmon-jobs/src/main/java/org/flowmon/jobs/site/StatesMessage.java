package org.flowmon.jobs.site;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.udaf.state.StateFormatException;

/**
 * A message of a site's job on its states: version 1 of the messages in {@code
 * docs/format/states-topic.md}. Immutable.
 */
public sealed interface StatesMessage {
  /** The most bytes of a message: a broker takes 1 MiB by default. */
  int MAX_BYTES = 900_000;

  /** The most bytes of a window's states in one message. */
  int MAX_PART_BYTES = 800_000;

  /** The most bytes of all states of a window. */
  int MAX_WINDOW_BYTES = 1 << 28;

  /** The most analyses of one site. */
  int MAX_PUBLICATIONS = 1024;

  /** A random number for each start of the sending task. */
  long attempt();

  /** The number of earlier messages of the attempt. */
  long number();

  /** The site's name. */
  String site();

  /**
   * A site's publications, and the time through which they are complete.
   *
   * @param through windows whose end + lateness is not after this, in microseconds, were published
   *     before; {@link Long#MIN_VALUE}: nothing is known yet
   */
  record Progress(long attempt, long number, String site, long through, List<Published> published)
      implements StatesMessage {
    public Progress {
      published = List.copyOf(published);
    }
  }

  /**
   * A publication of a site.
   *
   * @param wholeFrom start of the first window that has all of its flows, in microseconds; {@link
   *     Long#MIN_VALUE}: each has
   */
  record Published(Publication publication, long wholeFrom) {}

  /**
   * A part of a window's states.
   *
   * @param windowEnd in microseconds
   * @param counts arrivals within the window
   * @param length bytes of all parts; 0 if the window has no states but flows
   * @param part its number, 0 … parts − 1
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

  /** Encodes the message. */
  default byte[] toBytes() {
    return StatesLayout.write(this);
  }

  /**
   * Opens bytes of any origin.
   *
   * @throws StateFormatException naming the found and the expected value
   */
  static StatesMessage open(byte[] bytes) {
    return StatesLayout.open(bytes);
  }

  /**
   * Returns the messages of a window: its states in parts.
   *
   * @param number of the first
   */
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
