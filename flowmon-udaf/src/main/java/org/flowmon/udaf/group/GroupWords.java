package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * The words of a {@link GroupTable}'s groups, defined by {@link GroupLayout}, in one growing array.
 * Not thread-safe.
 *
 * <pre>
 *   g · stride: │ mask of NULL keys │ words of keys … │ words of the state … │ (g + 1) · stride: …
 *                                                     └ stateAt(g)
 * </pre>
 */
public final class GroupWords {
  private static final int MAX_WORDS = Integer.MAX_VALUE - 8;

  private final GroupLayout layout;
  private final int keyWords;
  private final int stride;
  private final MemoryDraw memory;
  private long[] words;
  private int size;

  // Keeps the compiler from removing the reads of touch().
  @SuppressWarnings("unused")
  private long touched;

  GroupWords(GroupLayout layout, MemoryDraw memory) {
    this.layout = layout;
    this.memory = memory;
    this.keyWords = layout.keyWords();
    this.stride = 1 + keyWords + layout.stateWords();
    memory.take(8L * 16 * stride);
    this.words = new long[16 * stride];
  }

  int size() {
    return size;
  }

  int stride() {
    return stride;
  }

  /** Valid until a group is added. */
  long[] all() {
    return words;
  }

  int stateAt(int group) {
    return group * stride + 1 + keyWords;
  }

  /** The inverse of {@link #stateAt}. */
  int groupAt(int state) {
    return (state - 1 - keyWords) / stride;
  }

  void toStates(int[] of, int n) {
    for (int r = 0; r < n; r++) {
      of[r] = stateAt(of[r]);
    }
  }

  /** Replaces places of states by group numbers: the inverse of {@link #toStates}. */
  void toGroups(int[] of, int n) {
    for (int r = 0; r < n; r++) {
      of[r] = groupAt(of[r]);
    }
  }

  int keysAt(int group) {
    return group * stride + 1;
  }

  int keyAt(int group, int key) {
    return group * stride + 1 + layout.keyWord(key);
  }

  boolean isKeyNull(int group, int key) {
    return (nulls(group) >>> key & 1) != 0;
  }

  /** Bit k is set if key k is NULL. */
  long nulls(int group) {
    return words[group * stride];
  }

  /** Copies a group's leading key words into row 0 of the columns. */
  void readKeys(int group, long[][] columns) {
    int at = group * stride + 1;
    for (int w = 0; w < columns.length; w++) {
      columns[w][0] = words[at + w];
    }
  }

  boolean is(int group, long nulls, long[][] keys, int row) {
    int at = group * stride;
    if (words[at] != nulls) {
      return false;
    }
    for (int w = 0; w < keys.length; w++) {
      if (words[at + 1 + w] != keys[w][row]) {
        return false;
      }
    }
    return true;
  }

  /** Reads words of a coming lookup independently, to pay memory latency once; −1: nothing. */
  void touch(int[] groups, int n) {
    long sum = 0;
    for (int r = 0; r < n; r++) {
      sum ^= groups[r] < 0 ? 0 : words[groups[r] * stride];
    }
    touched = sum;
  }

  /**
   * Adds a group without rows; returns its number.
   *
   * @throws AnswerTooLargeException if there is no room for it, or the memory has none
   */
  int add(long nulls, long[][] keys, int row) {
    if ((long) (size + 1) * stride > words.length) {
      grow();
    }
    int at = size * stride;
    words[at] = nulls;
    for (int w = 0; w < keys.length; w++) {
      words[at + 1 + w] = keys[w][row];
    }
    layout.reset(words, at + 1 + keyWords);
    return size++;
  }

  private void grow() {
    long wanted = Math.min(2L * words.length, MAX_WORDS);
    if ((long) (size + 1) * stride > wanted) {
      throw new AnswerTooLargeException(size + 1L, "groups", MAX_WORDS / stride);
    }
    copy((int) wanted);
  }

  /** Makes the array longer; both arrays exist during the copy. */
  private void copy(int length) {
    long before = heapBytes();
    memory.take(8L * length);
    words = Arrays.copyOf(words, length);
    memory.take(-before);
  }

  /** Makes room; an {@link AnswerTooLargeException} if there cannot be so many groups. */
  void reserve(long groups) {
    long needed = (size + groups) * stride;
    if (needed > words.length) {
      if (needed > MAX_WORDS) {
        throw new AnswerTooLargeException(size + groups, "groups", MAX_WORDS / stride);
      }
      long wanted = Math.min(MAX_WORDS, Math.max(needed, 2L * words.length));
      copy((int) wanted);
    }
  }

  /** Copies a group into reserved room. */
  void append(GroupWords other, int group) {
    System.arraycopy(other.words, group * stride, words, size * stride, stride);
    size++;
  }

  /** Takes over groups, keys by word, then group, and states at {@code at}, into reserved room. */
  void append(long[] nulls, long[][] keys, long[] states, int[] at, int n) {
    for (int i = 0; i < n; i++) {
      int group = size * stride;
      words[group] = nulls[i];
      for (int w = 0; w < keys.length; w++) {
        words[group + 1 + w] = keys[w][i];
      }
      System.arraycopy(states, at[i], words, group + 1 + keyWords, layout.stateWords());
      size++;
    }
  }

  /** Takes over groups with their states by word, then by group, into reserved room. */
  void append(long[] nulls, long[][] keys, long[][] states, int n) {
    int first = size * stride;
    for (int i = 0, at = first; i < n; i++, at += stride) {
      words[at] = nulls[i];
    }
    for (int w = 0; w < keys.length + states.length; w++) {
      long[] column = w < keys.length ? keys[w] : states[w - keys.length];
      for (int i = 0, at = first + 1 + w; i < n; i++, at += stride) {
        words[at] = column[i];
      }
    }
    size += n;
  }

  /** Drops all groups, and keeps the room. */
  void clear() {
    size = 0;
  }

  long heapBytes() {
    return 8L * words.length;
  }
}
