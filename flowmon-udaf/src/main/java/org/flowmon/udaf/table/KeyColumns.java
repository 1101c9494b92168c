package org.flowmon.udaf.table;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.GroupHash;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.ValueKind;

/**
 * The keys of up to {@link Vector#CAPACITY} rows as columns of words, with each row's mask of NULL
 * keys and hash. Words of addresses and whole numbers lie in the vectors' own arrays, so that they
 * are the loaded rows' as long as the vectors are; all else is its own.
 */
final class KeyColumns {
  private static final long CANONICAL_NAN = Double.doubleToLongBits(Double.NaN);

  private final GroupLayout layout;
  private final TextDictionary texts;
  private final boolean hasTexts;
  private final int leadingWords;
  private final long leadingNulls;
  // By word.
  final long[][] words;
  private final long[][] textWords;
  private final long[][] doubleWords;
  // Bit k is set where key k is NULL.
  // With the hashes made when rows are first loaded: most tables only merge what others made.
  long[] nulls = {};
  long[] hashes = {};
  private boolean nullsAreClear = true;

  KeyColumns(GroupLayout layout, TextDictionary texts) {
    this(layout, texts, layout.keys().size());
  }

  /**
   * Keys of which the first are also those of other groups.
   *
   * @param leadingKeys how many: {@link #leadingHash} is of these alone
   */
  KeyColumns(GroupLayout layout, TextDictionary texts, int leadingKeys) {
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

  boolean hasTexts() {
    return hasTexts;
  }

  /** Takes over the keys of the first {@code count} places of the vectors. */
  void load(Vector[] keys, int count) {
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
    for (int i = 0; i < count; i++) {
      out[i] = texts.number(vector.texts()[i]);
    }
    return out;
  }

  /** One zero and one NaN, so that they make one group; the vector may be others' too. */
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
    if (words.length == 2 && !hasTexts && nullsAreClear) {
      hashTwo(words[0], words[1], count);
      return;
    }
    hash(nulls, words, count, hashes);
  }

  /** The commonest case, one address, in one loop. */
  private void hashTwo(long[] first, long[] second, int count) {
    for (int i = 0; i < count; i++) {
      hashes[i] =
          GroupHash.finish(GroupHash.mix(GroupHash.mix(GroupHash.SEED, first[i]), second[i]));
    }
  }

  /** The hash of one group whose words lie in an array: the same as its rows had. */
  long hash(long nulls, long[] data, int at) {
    return hash(nulls, data, at, words.length);
  }

  /** The hash of the leading keys of one group, whose key group it gives. */
  long leadingHash(long nulls, long[] data, int at) {
    return hash(nulls & leadingNulls, data, at, leadingWords);
  }

  /** Likewise of a loaded row, whose words lie there, too. */
  long leadingHash(int row, long nulls, long[] data, int at) {
    return leadingWords == words.length ? hashes[row] : leadingHash(nulls, data, at);
  }

  /**
   * Likewise of a group whose words lie in columns.
   *
   * @param hash of all its keys
   */
  long leadingHash(long nulls, long[][] columns, int row, long hash) {
    if (leadingWords == words.length) {
      return hash;
    }
    long leading = GroupHash.SEED;
    for (int w = 0; w < leadingWords; w++) {
      long word = columns[w][row];
      leading = GroupHash.mix(leading, textWords[w] != null ? texts.hash(word) : word);
    }
    long nullKeys = nulls & leadingNulls;
    return GroupHash.finish(nullKeys == 0 ? leading : GroupHash.mix(leading, nullKeys));
  }

  private long hash(long nulls, long[] data, int at, int count) {
    long hash = GroupHash.SEED;
    for (int w = 0; w < count; w++) {
      long word = data[at + w];
      hash = GroupHash.mix(hash, textWords[w] != null ? texts.hash(word) : word);
    }
    return GroupHash.finish(nulls == 0 ? hash : GroupHash.mix(hash, nulls));
  }

  /** The hashes of groups whose words lie in columns. */
  void hash(long[] nullsOf, long[][] columns, int count, long[] out) {
    Arrays.fill(out, 0, count, GroupHash.SEED);
    for (int w = 0; w < words.length; w++) {
      long[] column = columns[w];
      boolean isText = textWords[w] != null;
      for (int i = 0; i < count; i++) {
        out[i] = GroupHash.mix(out[i], isText ? texts.hash(column[i]) : column[i]);
      }
    }
    for (int i = 0; i < count; i++) {
      out[i] = GroupHash.finish(nullsOf[i] == 0 ? out[i] : GroupHash.mix(out[i], nullsOf[i]));
    }
  }
}
