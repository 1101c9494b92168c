package org.flowmon.udaf.partial;

import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.pane.PaneKey;
import org.jspecify.annotations.Nullable;

/**
 * The samples of tables, as words: the level and the merged rest of the dropped groups. {@code
 * docs/format/partial-groups.md} is the specification:
 *
 * <pre>
 *   (pane start | from window end | due | grouping · 2^32 + level | rest: 0 or 1 | words of a state, if 1) …
 * </pre>
 */
public final class SampleWords {
  private static final int FIXED = 5;

  private long[] words = {};

  /** Takes the sample of one table. */
  public interface Reader {
    /** Takes a sample; the merged rest of the dropped groups is null if there are none. */
    void read(PaneKey pane, int grouping, int level, long @Nullable [] rest);
  }

  /** Adds the sample of a table; nothing if it has all groups. */
  public void write(PaneKey pane, int grouping, GroupSample sample) {
    if (sample.level() == 0) {
      return;
    }
    int at = words.length;
    long[] rest = sample.rest();
    words = Arrays.copyOf(words, at + FIXED + (rest == null ? 0 : rest.length));
    words[at] = pane.start();
    words[at + 1] = pane.fromWindowEnd();
    words[at + 2] = pane.due();
    words[at + 3] = (long) grouping << 32 | sample.level();
    if (rest != null) {
      words[at + 4] = 1;
      System.arraycopy(rest, 0, words, at + FIXED, rest.length);
    }
  }

  public long[] words() {
    return words;
  }

  /**
   * Reads untrusted words.
   *
   * @throws PartialFormatException if they are not samples
   */
  public static void read(long[] words, List<GroupLayout> layouts, Reader reader) {
    int at = 0;
    while (at < words.length) {
      if (words.length - at < FIXED) {
        throw new PartialFormatException("a sample of less than " + FIXED + " words");
      }
      long grouping = words[at + 3] >>> 32;
      int level = (int) words[at + 3];
      boolean hasRest = words[at + 4] == 1;
      if (grouping >= layouts.size()
          || level < 1
          || level > GroupSample.NONE
          || (words[at + 4] & ~1L) != 0) {
        throw new PartialFormatException(
            "a sample of grouping "
                + grouping
                + " at level "
                + level
                + ", expected one of "
                + layouts.size()
                + " groupings and 1 \u2026 "
                + GroupSample.NONE);
      }
      int length = hasRest ? layouts.get((int) grouping).stateWords() : 0;
      if (words.length - at - FIXED < length) {
        throw new PartialFormatException("a sample's rest of less than " + length + " words");
      }
      PaneKey pane = new PaneKey(words[at], words[at + 1], words[at + 2]);
      at += FIXED;
      reader.read(
          pane, (int) grouping, level, hasRest ? Arrays.copyOfRange(words, at, at + length) : null);
      at += length;
    }
  }
}
