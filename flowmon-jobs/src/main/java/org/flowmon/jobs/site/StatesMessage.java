package org.flowmon.jobs.site;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.udaf.state.StateFormatException;

/**
 * What a site's job says of its states: version 1 of the messages that {@code
 * docs/format/states-topic.md} specifies. Immutable.
 */
public sealed interface StatesMessage {
  /** Bytes of a message, at most: a broker takes 1 MiB where it is not told otherwise. */
  int MAX_BYTES = 900_000;

  /** Bytes of a window's states in one message, at most. */
  int MAX_PART_BYTES = 800_000;

  /** Bytes of all states of a window, at most. */
  int MAX_WINDOW_BYTES = 1 << 28;

  /** Analyses of one site, at most. */
  int MAX_PUBLICATIONS = 1024;

  /** A random number of the start of the task that says it. */
  long attempt();

  /** How many messages the attempt had said before. */
  long number();

  /** The site's name. */
  String site();

  /**
   * What a site publishes, and up to when all of it is here.
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
   * @param counts what arrived within the window
   * @param length bytes of all parts; 0 where the window has no states but flows
   * @param part its number, 0 … parts − 1
   * @param bytes of this part; not to be written to
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

  /** The message as bytes. */
  default byte[] toBytes() {
    return StatesLayout.write(this);
  }

  /**
   * Opens bytes that may come from anywhere.
   *
   * @throws StateFormatException saying what was found and what was expected
   */
  static StatesMessage open(byte[] bytes) {
    return StatesLayout.open(bytes);
  }

  /**
   * The messages of a window: its states in parts.
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
