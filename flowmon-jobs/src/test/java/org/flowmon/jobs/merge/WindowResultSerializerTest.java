package org.flowmon.jobs.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

class WindowResultSerializerTest {
  private final WindowResultSerializer serializer = new WindowResultSerializer();

  private static final List<String> SITES = List.of("graz", "wien");

  private static WindowResult result() {
    ResultTable table =
        new ResultTable.Builder().column("bytes", ValueKind.LONG).row().set(0, 7).build();
    ArrivalCounts counts = new ArrivalCounts(1, 2, 3, 4, 5, 6);
    return new WindowResult(
        "a", "text", 100, 200, 3, 230, 250, table, table, 5, 3, counts, 190, List.of(), SITES);
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
  void boundsOfValuesComeBackAsTheyWere() throws Exception {
    WindowResult result =
        result()
            .withBounds(
                List.of(
                    new ValueBound("MEDIAN(QUANTILES(bytes))", ErrorBound.ofRank(2.5, 1)),
                    new ValueBound("t", ErrorBound.additive(7, 0.95)),
                    new ValueBound("r", ErrorBound.relative(0.01, 0.9))));
    assertEquals(result, serializer.deserialize(new DataInputDeserializer(bytes(result))));
  }

  /** Encodes in version 5: without missing sites. */
  private byte[] ofVersion5(WindowResult result) throws IOException {
    byte[] now = bytes(result);
    byte[] old = Arrays.copyOf(now, now.length - 4 - 2 * 6);
    old[0] = 5;
    return old;
  }

  @Test
  void aResultOfVersion5LacksNoSites() throws Exception {
    List<ValueBound> bounds = List.of(new ValueBound("t", ErrorBound.additive(7, 0.95)));
    byte[] old = ofVersion5(result().withBounds(bounds));
    WindowResult read = serializer.deserialize(new DataInputDeserializer(old));
    assertEquals(List.of(), read.missingSites());
    assertEquals(bounds, read.bounds());
    assertEquals(SITES, result().missingSites());
  }

  /** Encodes in version 4: without bounds. */
  private byte[] ofVersion4(WindowResult result) throws IOException {
    byte[] now = ofVersion5(result.withBounds(List.of()));
    byte[] old = Arrays.copyOf(now, now.length - 4);
    old[0] = 4;
    return old;
  }

  @Test
  void aResultOfVersion4HasNoBounds() throws Exception {
    WindowResult read = serializer.deserialize(new DataInputDeserializer(ofVersion4(result())));
    assertEquals(List.of(), read.bounds());
    assertEquals(result().withMissing(List.of()), read);
  }

  /** Encodes in version 3: without the end of input. */
  private byte[] ofVersion3(WindowResult result) throws IOException {
    byte[] now = ofVersion4(result);
    byte[] old = Arrays.copyOf(now, now.length - 8);
    old[0] = 3;
    return old;
  }

  @Test
  void aResultOfVersion3IsOfATimeThatHadCome() throws Exception {
    WindowResult read = serializer.deserialize(new DataInputDeserializer(ofVersion3(result())));
    assertEquals(Long.MAX_VALUE, read.inputThrough());
    assertEquals(result().groupLevel(), read.groupLevel());
    assertEquals(result().counts(), read.counts());
  }

  /** Encodes in version 2: without the level of the groups, before the six counts. */
  private byte[] ofVersion2(WindowResult result) throws IOException {
    byte[] now = ofVersion3(result);
    int at = now.length - 6 * 8 - 4;
    byte[] old = Arrays.copyOf(now, now.length - 4);
    System.arraycopy(now, at + 4, old, at, 6 * 8);
    old[0] = 2;
    return old;
  }

  @Test
  void aResultOfVersion2IsOfAllGroups() throws Exception {
    WindowResult read = serializer.deserialize(new DataInputDeserializer(ofVersion2(result())));
    assertEquals(0, read.groupLevel());
    assertEquals(result().counts(), read.counts());
    assertEquals(result().groups(), read.groups());
  }

  @Test
  void aResultOfVersion1IsTheOnlyOneOfItsWindow() throws Exception {
    byte[] now = ofVersion2(result().withDefinition(null));
    int name = 1 + 3; // version and name, then the null definition
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
