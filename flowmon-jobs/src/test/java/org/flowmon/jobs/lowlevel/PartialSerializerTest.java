package org.flowmon.jobs.lowlevel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.junit.jupiter.api.Test;

/** The bytes of messages between levels. */
class PartialSerializerTest {
  private final PartialSerializer serializer = new PartialSerializer();

  private byte[] write(Partial partial) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(partial, out);
    return out.getCopyOfBuffer();
  }

  private Partial read(byte[] bytes) throws IOException {
    return serializer.deserialize(new DataInputDeserializer(bytes));
  }

  @Test
  void whatHasNoArraysIsTheSameAfterwards() throws IOException {
    List<Partial> all =
        List.of(
            new Partial.Counts(3, 4, 5, ArrivalCounts.NONE),
            new Partial.Stopped(1, 2, 3),
            new Partial.Definition(7, new AnalysisChange("a", 4, "text")),
            new Partial.Definition(7, new AnalysisChange("a", 5, null)),
            new Partial.Started(1, 2, 3, 4, 5, Long.MIN_VALUE),
            new Partial.Missing(1, 2, "site", 3, 4));
    for (Partial partial : all) {
      assertEquals(partial, read(write(partial)));
    }
  }

  @Test
  void whatGoesInAdvanceAndItsRestAreTheSameAfterwards() throws IOException {
    byte[] bytes = {1, 2, 3};
    Partial.Advance advance = (Partial.Advance) read(write(new Partial.Advance(5, -6, bytes)));
    assertEquals(List.of(5L, -6L), List.of(advance.queryId(), advance.task()));
    assertArrayEquals(bytes, advance.bytes());
    SplittableRandom random = new SplittableRandom(1);
    for (int count : new int[] {0, 1, 1 << 16, (1 << 16) + 1, 200_000}) {
      int[] superseded = random.ints(count).toArray();
      Partial.Rest rest = (Partial.Rest) read(write(new Partial.Rest(5, 6, 7, superseded, bytes)));
      assertEquals(List.of(5L, 6L, 7), List.of(rest.queryId(), rest.task(), rest.advances()));
      assertArrayEquals(superseded, rest.superseded());
      assertArrayEquals(bytes, rest.bytes());
    }
  }

  @Test
  void bytesThatEndTooEarlyAreAnErrorAndTakeNoMemory() throws IOException {
    byte[] bytes = write(new Partial.Rest(5, 6, 7, new int[] {7, 8}, new byte[] {9}));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(IOException.class, () -> read(cut), length + " bytes");
    }
    int count = 1 + 1 + 8 + 8 + 4; // version, kind, query, task, advances
    for (int wrong : new int[] {-1, Integer.MAX_VALUE}) {
      byte[] other = bytes.clone();
      for (int i = 0; i < 4; i++) {
        other[count + i] = (byte) (wrong >>> (24 - 8 * i));
      }
      assertThrows(IOException.class, () -> read(other));
    }
    byte[] many = bytes.clone();
    many[count] = 15; // 251 million numbers, two of them present
    assertThrows(EOFException.class, () -> read(many));
    byte[] unknown = bytes.clone();
    unknown[1] = 11;
    assertThrows(IOException.class, () -> read(unknown));
  }
}
