package org.flowmon.udaf.partial;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.bytes.Crc32c;
import org.flowmon.flow.bytes.LittleEndian;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupWords;
import org.flowmon.udaf.group.TextDictionary;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.value.ValueKind;

/**
 * Packs partial states into the bytes of {@link PartialGroups}: of one query, or of several whose
 * groups lie side by side and that each get their own columns. Reused, it allocates only bytes
 * given away.
 */
public final class PartialGroupsBuilder {
  // Beyond this size the added groups are packed; one group alone may have more.
  private static final long MAX_STATE_BYTES = 1 << 24;

  private final GroupLayout layout;
  private final int stride;
  // Row by row: mask of NULL keys, key words, state words; the first begins at base.
  private long[] rows;
  private int base;
  // By row and key, if the layout has text keys.
  private String[] texts;
  private final int textKeys;
  private int count;

  // By function: its states one after the other, and the end of each group's state.
  private final StateSink[] states;
  private final int[][] stateEnds;

  private final Scratch scratch;
  // By column, and one more: its start in the scratch bytes after packing.
  private final int[] starts;

  /** A buffer for packing bytes of unknown length; builders may share one. */
  public static final class Scratch {
    private byte[] bytes = {};

    private byte[] ofSize(int size) {
      if (bytes.length < size) {
        bytes = new byte[Math.max(size, (int) Math.min(2L * bytes.length, 1 << 24))];
      }
      return bytes;
    }
  }

  public PartialGroupsBuilder(GroupLayout layout, Scratch scratch) {
    this.layout = layout;
    this.scratch = scratch;
    this.stride = 1 + layout.keyWords() + layout.stateWords();
    this.starts = new int[stride + layout.functions().size() + 1];
    this.rows = new long[8 * stride];
    int number = 0;
    for (int k = 0; k < layout.keys().size(); k++) {
      number += layout.keyKind(k) == ValueKind.TEXT ? 1 : 0;
    }
    this.textKeys = number;
    this.texts = new String[8 * textKeys];
    this.states = new StateSink[layout.functions().size()];
    Arrays.setAll(states, function -> new StateSink());
    this.stateEnds = new int[states.length][8];
  }

  public int count() {
    return count;
  }

  public boolean isFull() {
    return count == PartialLayout.MAX_GROUPS || stateBytes() >= MAX_STATE_BYTES;
  }

  public long stateBytes() {
    long bytes = 0;
    for (StateSink sink : states) {
      bytes += sink.size();
    }
    return bytes;
  }

  /** Adds a group: key words, then state, at {@code at} of data; function states by the source. */
  public void add(
      long nulls, long[] data, int at, TextDictionary dictionary, StateSource source, int group) {
    if ((count + 1) * stride > rows.length) {
      rows = Arrays.copyOf(rows, 2 * rows.length);
      texts = Arrays.copyOf(texts, 2 * texts.length);
    }
    int row = count * stride;
    rows[row] = nulls;
    System.arraycopy(data, at, rows, row + 1, stride - 1);
    if (textKeys > 0) {
      int text = count * textKeys;
      for (int k = 0; k < layout.keys().size(); k++) {
        if (layout.keyKind(k) == ValueKind.TEXT) {
          texts[text++] = dictionary.text(data[at + layout.keyWord(k)]);
        }
      }
    }
    for (int f = 0; f < states.length; f++) {
      if (count == stateEnds[f].length) {
        stateEnds[f] = Arrays.copyOf(stateEnds[f], 2 * count);
      }
      source.output(f, group, states[f]);
      stateEnds[f][count] = states[f].size();
    }
    count++;
  }

  /** Packs the added groups for one recipient, and begins anew. */
  public byte[] build(
      PartialRecipient to, int keyGroup, long paneStart, long fromWindowEnd, long due) {
    pack();
    byte[] bytes = message(to, keyGroup, paneStart, fromWindowEnd, due);
    clear();
    return bytes;
  }

  /** Packs at most {@link PartialLayout#MAX_GROUPS} groups of {@link GroupWords}, in place. */
  public byte[] build(
      long[] words, int first, int n, PartialRecipient to, int keyGroup, PaneKey pane) {
    if (textKeys > 0 || states.length > 0 || count > 0) {
      throw new IllegalStateException("expected groups of words alone, and none added before");
    }
    long[] own = rows;
    rows = words;
    base = first * stride;
    count = n;
    try {
      pack();
      return message(to, keyGroup, pane.start(), pane.fromWindowEnd(), pane.due());
    } finally {
      rows = own;
      base = 0;
      count = 0;
    }
  }

  /** Packs the columns for {@link #message}, until a builder with the same scratch bytes packs. */
  public void pack() {
    byte[] bytes = scratch.ofSize(bound());
    int at = writeWords(bytes, 0, 0);
    starts[1] = at;
    int text = 0;
    for (int k = 0; k < layout.keys().size(); k++) {
      int word = 1 + layout.keyWord(k);
      at =
          layout.keyKind(k) == ValueKind.TEXT
              ? writeTexts(bytes, at, text++)
              : writeWords(bytes, at, word);
      starts[word + 1] = at;
      if (layout.keyKind(k) == ValueKind.ADDRESS) {
        at = writeWords(bytes, at, word + 1);
        starts[word + 2] = at;
      }
    }
    for (int w = 1 + layout.keyWords(); w < stride; w++) {
      at = writeWords(bytes, at, w);
      starts[w + 1] = at;
    }
    for (int f = 0; f < states.length; f++) {
      at = writeStates(bytes, at, f);
      starts[stride + f + 1] = at;
    }
  }

  /** The message for one recipient: its part of the packed columns. */
  public byte[] message(
      PartialRecipient to, int keyGroup, long paneStart, long fromWindowEnd, long due) {
    int keysEnd = starts[1 + layout.keyWords()];
    int length = PartialLayout.HEADER_BYTES + keysEnd;
    for (int place : to.places) {
      int column = 1 + layout.keyWords() + place;
      length += starts[column + 1] - starts[column];
    }
    byte[] bytes = new byte[length];
    LittleEndian.putInt(bytes, 0, PartialLayout.MAGIC);
    LittleEndian.putU16(
        bytes,
        PartialLayout.VERSION_AT,
        to.layout.functions().isEmpty() ? PartialLayout.WORDS_VERSION : PartialLayout.VERSION);
    LittleEndian.putU16(bytes, PartialLayout.KEY_GROUP_AT, keyGroup);
    LittleEndian.putInt(bytes, PartialLayout.LENGTH_AT, length);
    LittleEndian.putInt(bytes, PartialLayout.GROUPS_AT, count);
    LittleEndian.putLong(bytes, PartialLayout.QUERY_AT, to.queryId);
    LittleEndian.putLong(bytes, PartialLayout.PANE_AT, paneStart);
    LittleEndian.putLong(bytes, PartialLayout.FROM_WINDOW_AT, fromWindowEnd);
    LittleEndian.putLong(bytes, PartialLayout.DUE_AT, due);
    LittleEndian.putLong(bytes, PartialLayout.FINGERPRINT_AT, to.layout.fingerprint());
    LittleEndian.putU16(bytes, PartialLayout.COLUMNS_AT, 1 + layout.keyWords() + to.places.length);
    LittleEndian.putU16(bytes, PartialLayout.GROUPING_AT, to.grouping);
    System.arraycopy(scratch.bytes, 0, bytes, PartialLayout.HEADER_BYTES, keysEnd);
    int at = PartialLayout.HEADER_BYTES + keysEnd;
    for (int place : to.places) {
      int column = 1 + layout.keyWords() + place;
      int size = starts[column + 1] - starts[column];
      System.arraycopy(scratch.bytes, starts[column], bytes, at, size);
      at += size;
    }
    LittleEndian.putInt(bytes, PartialLayout.CRC_AT, Crc32c.around(bytes, PartialLayout.CRC_AT));
    return bytes;
  }

  public void clear() {
    Arrays.fill(texts, 0, count * textKeys, null);
    for (StateSink sink : states) {
      sink.clear();
    }
    count = 0;
  }

  /** An upper bound of the bytes of all columns. */
  private int bound() {
    int bound = stride * (9 + 8 * count);
    for (int t = 0; t < count * textKeys; t++) {
      bound = Math.addExact(bound, texts[t] == null ? 0 : 3 * texts[t].length());
    }
    long more = 4L * textKeys * (count + 1) + states.length * (1 + 4L * (count + 1));
    return Math.toIntExact(bound + more + stateBytes());
  }

  private int writeStates(byte[] bytes, int start, int function) {
    bytes[start] = PartialLayout.STATES;
    int offsets = start + 1;
    LittleEndian.putInt(bytes, offsets, 0);
    for (int i = 0; i < count; i++) {
      LittleEndian.putInt(bytes, offsets + 4 * (i + 1), stateEnds[function][i]);
    }
    int at = offsets + 4 * (count + 1);
    int size = states[function].size();
    System.arraycopy(states[function].array(), 0, bytes, at, size);
    return at + size;
  }

  private int writeWords(byte[] bytes, int start, int word) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int from = base + word;
    for (int i = 0, row = from; i < count; i++, row += stride) {
      min = Math.min(min, rows[row]);
      max = Math.max(max, rows[row]);
    }
    int encoding = encoding(max - min); // unsigned
    int at = start;
    bytes[at++] = (byte) encoding;
    if (encoding == PartialLayout.PLAIN) {
      for (int i = 0, row = from; i < count; i++, row += stride, at += 8) {
        LittleEndian.putLong(bytes, at, rows[row]);
      }
      return at;
    }
    LittleEndian.putLong(bytes, at, min);
    at += 8;
    switch (encoding) {
      case PartialLayout.OFFSET_1 -> {
        for (int i = 0, row = from; i < count; i++, row += stride) {
          bytes[at + i] = (byte) (rows[row] - min);
        }
      }
      case PartialLayout.OFFSET_2 -> {
        for (int i = 0, row = from; i < count; i++, row += stride) {
          LittleEndian.putU16(bytes, at + 2 * i, (int) (rows[row] - min));
        }
      }
      case PartialLayout.OFFSET_4 -> {
        for (int i = 0, row = from; i < count; i++, row += stride) {
          LittleEndian.putInt(bytes, at + 4 * i, (int) (rows[row] - min));
        }
      }
      default -> {} // all are the same
    }
    return at + encoding * count;
  }

  private static int encoding(long range) {
    if (range == 0) {
      return PartialLayout.CONSTANT;
    }
    if (range < 0 || range > 0xFFFF_FFFFL) {
      return PartialLayout.PLAIN;
    }
    return range <= 0xFF
        ? PartialLayout.OFFSET_1
        : range <= 0xFFFF ? PartialLayout.OFFSET_2 : PartialLayout.OFFSET_4;
  }

  private int writeTexts(byte[] bytes, int start, int text) {
    bytes[start] = PartialLayout.TEXT;
    int offsets = start + 1;
    int first = offsets + 4 * (count + 1);
    int at = first;
    LittleEndian.putInt(bytes, offsets, 0);
    for (int i = 0; i < count; i++) {
      String value = texts[i * textKeys + text];
      if (value != null) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > FlowBatch.MAX_TEXT_BYTES) {
          // A literal of the query: no column holds such a text, and no reader would accept it.
          throw new IllegalStateException(
              "a text key of "
                  + utf8.length
                  + " bytes, at most "
                  + FlowBatch.MAX_TEXT_BYTES
                  + " are possible: "
                  + value.substring(0, 32)
                  + "\u2026");
        }
        System.arraycopy(utf8, 0, bytes, at, utf8.length);
        at += utf8.length;
      }
      LittleEndian.putInt(bytes, offsets + 4 * (i + 1), at - first);
    }
    return at;
  }
}
