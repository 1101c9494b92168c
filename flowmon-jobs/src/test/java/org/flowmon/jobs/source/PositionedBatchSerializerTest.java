package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.quarantine.Quarantined;
import org.junit.jupiter.api.Test;

class PositionedBatchSerializerTest {
  private static final FlowBatch BATCH =
      TestFlow.batches(TestFlow.random(3, 100, 1, 9), 100, 4).get(0);
  private final PositionedBatchSerializer serializer = new PositionedBatchSerializer();

  @Test
  void whatIsWrittenIsRead() throws Exception {
    PositionedBatch read = serializer.deserialize(new DataInputDeserializer(bytes()));
    assertEquals("id:3", read.sourceKey());
    assertEquals(42, read.offset());
    assertEquals(7, read.lostBefore());
    assertArrayEquals(BATCH.bytes(), read.batch().bytes());
    assertFalse(read.repeat());
  }

  @Test
  void aRepeatStaysOneAndVersion1KnewNone() throws Exception {
    PositionedBatch repeat = new PositionedBatch("id:3", 42, BATCH, 7).asRepeat();
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(repeat, out);
    assertTrue(serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer())).repeat());
    DataOutputSerializer old = new DataOutputSerializer(64);
    old.writeByte(1);
    old.writeUTF("id:3");
    old.writeLong(42);
    old.writeLong(7);
    old.writeInt(BATCH.bytes().length);
    old.write(BATCH.bytes());
    PositionedBatch read = serializer.deserialize(new DataInputDeserializer(old.getCopyOfBuffer()));
    assertFalse(read.repeat());
    assertEquals(BATCH.maxArrival(), read.reached());
    assertArrayEquals(BATCH.bytes(), read.batch().bytes());
  }

  @Test
  void whatIsRefusedStaysSo() throws Exception {
    byte[] message = {1, 2, 3};
    PositionedBatch place =
        PositionedBatch.of(Quarantined.of("id:3", 42, "flow-source", "no batch", message));
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(place, out);
    PositionedBatch read = serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
    assertTrue(read.repeat());
    assertEquals(Long.MIN_VALUE, read.reached());
    Quarantined refused = read.refused().orElseThrow();
    assertEquals("id:3@42", refused.position());
    assertEquals("no batch", refused.reason());
    assertEquals("flow-source", refused.where());
    assertEquals(3, refused.length());
    assertArrayEquals(message, refused.bytes());
  }

  @Test
  void anotherVersionIsRefusedByNumber() throws Exception {
    byte[] bytes = bytes();
    bytes[0] = 4;
    IOException e =
        assertThrows(
            IOException.class, () -> serializer.deserialize(new DataInputDeserializer(bytes)));
    assertTrue(e.getMessage().contains("found version 4, this reads versions 1…3"), e.getMessage());
  }

  @Test
  void aDamagedBatchIsRefusedWithItsPosition() throws Exception {
    byte[] bytes = bytes();
    bytes[1 + 2 + 4 + 8 + 8 + 1 + 8 + 1 + 4] = 0; // the batch's magic
    IOException e =
        assertThrows(
            IOException.class, () -> serializer.deserialize(new DataInputDeserializer(bytes)));
    assertTrue(e.getMessage().contains("batch at id:3@42: not a flow batch"), e.getMessage());
  }

  private byte[] bytes() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(new PositionedBatch("id:3", 42, BATCH, 7), out);
    return out.getCopyOfBuffer();
  }
}
