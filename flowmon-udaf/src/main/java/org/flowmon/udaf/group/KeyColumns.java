package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * The keys of up to {@link Vector#CAPACITY} rows as columns of words, with masks of NULL keys and
 * hashes. Words of addresses and whole numbers lie in the vectors' own arrays and change with them;
 * the others are copies.
 *
 * <p>Tables find groups by {@link TableHash}: nobody outside of the process can predict it, and
 * nothing outside may depend on it. A text enters it as its number, the table's own. The stable
 * {@link GroupHash} of the leading keys is for agreement between processes.
 */
public final class KeyColumns {
  private static final long CANONICAL_NAN = Double.doubleToLongBits(Double.NaN);

  private final GroupLayout layout;
  private final TextDictionary texts;
  private final boolean hasTexts;
  private final int leadingWords;
  private final long leadingNulls;
  // By word.
  public final long[][] words;
  private final long[][] textWords;
  private final long[][] doubleWords;
  // Bit k is set if key k is NULL. Allocated with the first rows: most tables only merge states.
  public long[] nulls = {};
  public long[] hashes = {};
  private boolean nullsAreClear = true;

  public KeyColumns(GroupLayout layout, TextDictionary texts) {
    this(layout, texts, layout.keys().size());
  }

  /** Keys of which {@link #leadingHash} takes the leading ones. */
  public KeyColumns(GroupLayout layout, TextDictionary texts, int leadingKeys) {
    this.layout = layout;
    boolean all = leadingKeys == layout.keys().size();
    this.leadingWords = all ? layout.keyWords() : layout.keyWord(leadingKeys);
    this.leadingNulls = (1L << leadingKeys) - 1;
    this.texts = texts;
    this.words = new long[layout.keyWords()][];
    this.textWords = new long[layout.keyWords()][];
    this.doubleWords = new long[layout.keyWords()][];
    boolean any = false;
    for (int k = 0; k < layout.keys().size(); k++) {
      if (layout.keyKind(k) == ValueKind.TEXT) {
        textWords[layout.keyWord(k)] = new long[0]; // not null: the word numbers a text
        any = true;
      }
    }
    this.hasTexts = any;
  }

  public boolean hasTexts() {
    return hasTexts;
  }

  /** Whether {@link #nulls} has any, of the loaded rows. */
  public boolean hasNulls() {
    return !nullsAreClear;
  }

  public void load(Vector[] keys, int count) {
    if (hashes.length == 0) {
      allocate();
    }
    if (!nullsAreClear) {
      Arrays.fill(nulls, 0);
      nullsAreClear = true;
    }
    for (int k = 0; k < keys.length; k++) {
      Vector vector = keys[k];
      int word = layout.keyWord(k);
      switch (layout.keyKind(k)) {
        case ADDRESS -> {
          words[word] = vector.high();
          words[word + 1] = vector.values();
        }
        case TEXT -> words[word] = numbered(vector, count, textWords[word]);
        case DOUBLE -> words[word] = canonical(vector.values(), count, word);
        default -> words[word] = vector.values();
      }
      if (!vector.allValid()) {
        markNulls(vector, k, count);
      }
    }
    hash(count);
  }

  private void allocate() {
    nulls = new long[Vector.CAPACITY];
    hashes = new long[Vector.CAPACITY];
    for (int w = 0; w < textWords.length; w++) {
      textWords[w] = textWords[w] == null ? null : new long[Vector.CAPACITY];
    }
  }

  private long[] numbered(Vector vector, int count, long[] out) {
    @Nullable String[] values = vector.requireTexts();
    for (int i = 0; i < count; i++) {
      out[i] = texts.number(values[i]);
    }
    return out;
  }

  /** Makes all zeros and all NaNs equal: one group each. The vector may be shared. */
  private long[] canonical(long[] values, int count, int word) {
    if (doubleWords[word] == null) {
      doubleWords[word] = new long[Vector.CAPACITY];
    }
    long[] out = doubleWords[word];
    for (int i = 0; i < count; i++) {
      double value = Double.longBitsToDouble(values[i]);
      out[i] = value == 0 ? 0 : Double.isNaN(value) ? CANONICAL_NAN : values[i];
    }
    return out;
  }

  private void markNulls(Vector vector, int key, int count) {
    nullsAreClear = false;
    for (int i = 0; i < count; i++) {
      nulls[i] |= (vector.isValid(i) ? 0L : 1L) << key;
    }
  }

  private void hash(int count) {
    if (words.length == 2 && nullsAreClear) {
      TableHash.ofPairs(words[0], words[1], count, hashes); // one address, the most common case
      return;
    }
    hash(nulls, words, count, hashes);
  }

  public long hash(long nulls, long[][] columns, int row) {
    long sum = TableHash.start();
    for (int w = 0; w < words.length; w++) {
      sum = TableHash.add(sum, w, columns[w][row]);
    }
    return TableHash.finish(TableHash.addNulls(sum, nulls));
  }

  public void hash(long[] nullsOf, long[][] columns, int count, long[] out) {
    Arrays.fill(out, 0, count, TableHash.start());
    for (int w = 0; w < words.length; w++) {
      TableHash.add(out, w, columns[w], count);
    }
    for (int i = 0; i < count; i++) {
      out[i] = TableHash.finish(TableHash.addNulls(out[i], nullsOf[i]));
    }
  }

  /** Stable; decides a group's key group and the levels of {@link GroupSample} that keep it. */
  public long leadingHash(long nulls, long[] data, int at) {
    long hash = GroupHash.SEED;
    for (int w = 0; w < leadingWords; w++) {
      hash = GroupHash.mix(hash, stableWord(w, data[at + w]));
    }
    return finish(hash, nulls);
  }

  public long leadingHash(long nulls, long[][] columns, int row) {
    long hash = GroupHash.SEED;
    for (int w = 0; w < leadingWords; w++) {
      hash = GroupHash.mix(hash, stableWord(w, columns[w][row]));
    }
    return finish(hash, nulls);
  }

  /** Replaces a text's number, which is the table's own. */
  private long stableWord(int place, long word) {
    return textWords[place] != null ? texts.hash(word) : word;
  }

  private long finish(long hash, long nulls) {
    long leading = nulls & leadingNulls;
    return GroupHash.finish(leading == 0 ? hash : GroupHash.mix(hash, leading));
  }
}
