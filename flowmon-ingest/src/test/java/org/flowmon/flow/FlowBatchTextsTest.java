package org.flowmon.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.flowmon.flow.bytes.ByteSink;
import org.junit.jupiter.api.Test;

class FlowBatchTextsTest {
  private static final String[] TEXTS = {"", "dns", "ShADadfF", "grüße", "\uD83D\uDE00", "0123456"};

  @Test
  void textsAreTheSameAsBytesAndAsStrings() {
    long seed = 3;
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      FlowBatch batch = batch(random, 1 + random.nextInt(TEXTS.length), random.nextInt(3));
      int from = random.nextInt(batch.rows() + 1);
      int count = random.nextInt(batch.rows() - from + 1);
      ByteSink out = new ByteSink();
      out.putInt(7); // what is there stays
      int[] ends = new int[count];
      batch.readUtf8(FlowColumn.SERVICE, from, count, out, ends);
      int start = 4;
      for (int i = 0; i < count; i++) {
        String text = batch.text(FlowColumn.SERVICE, from + i);
        String read = new String(out.array(), start, ends[i] - start, StandardCharsets.UTF_8);
        assertEquals(text == null ? "" : text, read, "seed " + seed + ", round " + round);
        start = ends[i];
      }
      assertEquals(start, out.size());
    }
  }

  /** Of rows with few texts; {@code nulls} 0: none is null, 2: all are. */
  private static FlowBatch batch(Random random, int kinds, int nulls) {
    int rows = 1 + random.nextInt(100);
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int row = 0; row < rows; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, row);
      if (nulls == 0 || (nulls == 1 && random.nextBoolean())) {
        builder.setText(FlowColumn.SERVICE, TEXTS[random.nextInt(kinds)]);
      }
      builder.endRow();
    }
    return builder.close(new BatchStream(), 0);
  }

  @Test
  void textsOfOtherBytesHaveOtherHashes() {
    byte[] bytes = new byte[40];
    new Random(9).nextBytes(bytes);
    Arrays.fill(bytes, 20, 40, (byte) 0); // zeros, which only the length tells
    Set<Long> hashes = new HashSet<>();
    for (int to = 0; to <= bytes.length; to++) {
      hashes.add(TableHash.of(bytes, 0, to));
      byte[] moved = new byte[bytes.length + 3];
      System.arraycopy(bytes, 0, moved, 3, to);
      Arrays.fill(moved, to + 3, moved.length, (byte) 0x55);
      assertEquals(TableHash.of(bytes, 0, to), TableHash.of(moved, 3, to + 3), to + " bytes");
      for (int i = 0; i < to; i++) {
        moved[3 + i] ^= 0x10;
        assertNotEquals(TableHash.of(bytes, 0, to), TableHash.of(moved, 3, to + 3), "byte " + i);
        moved[3 + i] ^= 0x10;
      }
    }
    assertEquals(bytes.length + 1, hashes.size());
  }
}
