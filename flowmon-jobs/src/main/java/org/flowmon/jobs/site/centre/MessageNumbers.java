package org.flowmon.jobs.site.centre;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.state.StateReader;
import org.flowmon.udaf.state.StateSink;

/**
 * The numbers of a site's messages: which are repeats, how many were lost, and whether more than
 * one speaks in its name. A site's job counts its messages, and a job that was started again never
 * goes on with the numbers of the one before. So what somebody makes up in its name is followed by
 * a message of the site that does not go on from it. Not thread-safe.
 */
final class MessageNumbers {
  // Messages that are told from others by their bytes: a mirror of topics repeats the last ones.
  static final int MAX_RECENT = 1024;
  private static final int MAX_NUMBERED = 64;

  // Number of the next message, of the attempts that were heard last; the last spoke last.
  private final Map<Long, Long> next = new LinkedHashMap<>();
  private final Set<Long> recent = new LinkedHashSet<>();

  /**
   * What the number of a message says.
   *
   * @param isRepeat whether it came before, byte by byte: nothing is to be made of it
   * @param isOther whether it does not go on from the message before it, as if another had spoken
   *     meanwhile: one of the two is not the site's job
   * @param lost messages before it that are known not to be here
   */
  record Heard(boolean isRepeat, boolean isOther, long lost) {}

  /** What all messages that are the same to the last byte have in common, and no others. */
  static long fingerprint(byte[] message) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(message)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /**
   * Hears a message: the first thing that is done with one.
   *
   * @param hasSpoken whether the site has said before how far it is: what was before the first
   *     message that is here at all is known to be missing
   */
  Heard hear(StatesMessage message, long fingerprint, boolean hasSpoken) {
    if (!recent.add(fingerprint)) {
      return new Heard(true, false, 0);
    }
    if (recent.size() > MAX_RECENT) {
      recent.remove(recent.iterator().next());
    }
    boolean isFirst = !hasSpoken && next.isEmpty();
    boolean goesOn = isLast(message.attempt());
    Long expected = next.remove(message.attempt());
    // Whatever was said before, this is where the attempt is: a number that somebody makes up
    // hides no loss behind it.
    next.put(message.attempt(), Math.min(message.number(), Long.MAX_VALUE - 1) + 1);
    if (next.size() > MAX_NUMBERED) {
      next.remove(next.keySet().iterator().next());
    }
    if (expected == null) {
      return new Heard(false, false, isFirst ? 0 : message.number());
    }
    boolean isOther = !goesOn || message.number() < expected;
    return new Heard(false, isOther, Math.max(0, message.number() - expected));
  }

  private boolean isLast(long attempt) {
    long last = attempt;
    for (long one : next.keySet()) {
      last = one;
    }
    return last == attempt;
  }

  void write(StateSink sink) {
    sink.putVarint(next.size());
    next.forEach(
        (attempt, number) -> {
          sink.putLong(attempt);
          sink.putLong(number);
        });
    sink.putVarint(recent.size());
    recent.forEach(sink::putLong);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param withRecent false: as it was written before the last messages were known by their bytes
   */
  static MessageNumbers read(StateReader reader, boolean withRecent) {
    MessageNumbers numbers = new MessageNumbers();
    for (int n = reader.count("attempts", MAX_NUMBERED, 16); n > 0; n--) {
      numbers.next.put(reader.getLong(), reader.getLong());
    }
    if (withRecent) {
      for (int n = reader.count("messages", MAX_RECENT, 8); n > 0; n--) {
        numbers.recent.add(reader.getLong());
      }
    }
    return numbers;
  }
}
