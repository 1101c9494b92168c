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
 * The numbers of a site's messages: they show repeats, losses, and a second sender of its name. A
 * restarted job never continues the former's numbers, so a forged message is followed by one of the
 * site that does not continue its number. Not thread-safe.
 */
final class MessageNumbers {
  // Messages recognized by their bytes: a mirror of topics repeats the last ones.
  static final int MAX_RECENT = 1024;
  private static final int MAX_NUMBERED = 64;

  // By attempt, the most recent; the last entry sent last.
  private final Map<Long, Long> next = new LinkedHashMap<>();
  private final Set<Long> recent = new LinkedHashSet<>();

  /**
   * What a number means.
   *
   * @param isRepeat it came before, byte by byte: ignore it
   * @param isOther it does not continue the one before, as after another sender: one is not the
   *     site's
   * @param lost messages before it that are known to be missing
   */
  record Heard(boolean isRepeat, boolean isOther, long lost) {}

  /** Equal for equal bytes alone. */
  static long fingerprint(byte[] message) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(message)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /**
   * Takes a message before anything else. {@code hasSpoken}: the site sent a progress before, so
   * messages before the very first one are known to be missing.
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
    // The attempt goes on from here: a forged number hides no later loss.
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

  /** {@code withRecent} false: the older format without the last messages' fingerprints. */
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
