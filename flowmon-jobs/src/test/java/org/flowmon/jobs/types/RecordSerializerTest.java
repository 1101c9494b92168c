package org.flowmon.jobs.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class RecordSerializerTest {
  @Test
  void aDamagedLengthOfATextIsRefusedBeforeItIsAllocated() throws IOException {
    DataOutputSerializer target = new DataOutputSerializer(8);
    target.writeBoolean(true);
    target.writeInt((16 << 20) + 1);
    DataInputDeserializer source = new DataInputDeserializer(target.getCopyOfBuffer());
    IOException e = assertThrows(IOException.class, () -> RecordSerializer.readText(source));
    assertEquals("found a length of 16777217 bytes, expected 0…16777216", e.getMessage());
  }

  @Test
  void whatIsWrittenCanBeReadAndTheRestIsRefused() throws IOException {
    String most = "a".repeat(16 << 20);
    DataOutputSerializer target = new DataOutputSerializer(8);
    RecordSerializer.writeText(most, target);
    DataInputDeserializer source = new DataInputDeserializer(target.getCopyOfBuffer());
    assertEquals(most, RecordSerializer.readText(source));
    IOException e =
        assertThrows(IOException.class, () -> RecordSerializer.writeText(most + "a", target));
    assertEquals("a text of 16777217 bytes, more than 16777216, cannot be written", e.getMessage());
  }
}
