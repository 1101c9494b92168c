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
    target.writeInt((4 << 20) + 1);
    DataInputDeserializer source = new DataInputDeserializer(target.getCopyOfBuffer());
    IOException e = assertThrows(IOException.class, () -> RecordSerializer.readText(source));
    assertEquals("found a length of 4194305 bytes, expected 0…4194304", e.getMessage());
  }
}
