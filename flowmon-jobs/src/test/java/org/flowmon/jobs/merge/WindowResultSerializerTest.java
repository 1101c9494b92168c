package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;
import org.junit.jupiter.api.Test;

class WindowResultSerializerTest {
  private final WindowResultSerializer serializer = new WindowResultSerializer();

  private static WindowResult result() {
    ResultTable table =
        new ResultTable.Builder().column("bytes", ValueKind.LONG).row().set(0, 7).build();
    ArrivalCounts counts = new ArrivalCounts(1, 2, 3, 4, 5, 6);
    return new WindowResult("a", "text", 100, 200, 3, 230, 250, table, table, 5, counts);
  }

  private byte[] bytes(WindowResult result) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(result, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void aResultComesBackAsItWas() throws Exception {
    WindowResult result = result();
    assertEquals(result, serializer.deserialize(new DataInputDeserializer(bytes(result))));
  }

  @Test
  void aResultOfVersion1IsTheOnlyOneOfItsWindow() throws Exception {
    byte[] now = bytes(result().withDefinition(null));
    int name = 1 + 3; // version and name, then the definition that is none
    int times = name + 16;
    byte[] old = Arrays.copyOf(now, now.length - 21 - 16); // two counts, too
    System.arraycopy(now, name + 1, old, name, 16);
    System.arraycopy(now, times + 21, old, times, old.length - times);
    old[0] = 1;
    WindowResult read = serializer.deserialize(new DataInputDeserializer(old));
    WindowResult of = result();
    ArrivalCounts four = new ArrivalCounts(1, 2, 3, 4);
    assertEquals(new WindowResult("a", 100, 200, of.rows(), of.totals(), 5, four), read);
    assertTrue(read.isFinal());
  }
}
