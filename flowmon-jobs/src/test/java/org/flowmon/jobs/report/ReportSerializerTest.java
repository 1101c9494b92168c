package org.flowmon.jobs.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class ReportSerializerTest {
  private final ReportSerializer serializer = new ReportSerializer();

  private byte[] bytes(Report report) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(256);
    serializer.serialize(report, out);
    return out.getCopyOfBuffer();
  }

  @Test
  void aReportComesBackAsItWas() throws Exception {
    Report report = TestReports.report(7, "192.0.2.1", 5, null, 6);
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(bytes(report))));
  }

  @Test
  void aReportOfVersion1IsTheFinalOneAtItsWindowsEnd() throws Exception {
    Report report = TestReports.report(3, "192.0.2.1", 5);
    byte[] now = bytes(report);
    int name = 1 + 2 + "elephants".length();
    // before the two times, the groups' level, the counts and no message
    int at = now.length - 1 - 6 * 8 - 4 - 16;
    byte[] old = Arrays.copyOf(now, now.length - 1 - 16 - 4 - 16);
    System.arraycopy(now, name + 1, old, name, at - name - 1); // without: no definition
    System.arraycopy(now, at + 20, old, at - 1, 4 * 8); // nor the two times and the level
    old[old.length - 1] = now[now.length - 1]; // nor the last two counts
    old[0] = 1;
    Report read = serializer.deserialize(new DataInputDeserializer(old));
    assertEquals(report.rows(), read.rows());
    Confidence was = report.confidence();
    Confidence expected =
        new Confidence(
            was.history(),
            was.asOf(),
            was.historyFrom(),
            was.historyThrough(),
            report.windowEnd(),
            report.windowEnd(),
            was.counts(),
            null);
    assertEquals(expected, read.confidence());
  }
}
