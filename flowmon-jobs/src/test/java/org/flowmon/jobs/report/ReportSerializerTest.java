package org.flowmon.jobs.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flowmon.jobs.merge.WindowResult;
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
  void aReportOfVersion3DoesNotSayHowManyGroupsThereWere() throws Exception {
    Report report = TestReports.report(3, "192.0.2.1", 5);
    Confidence was = report.confidence();
    Confidence sampled =
        new Confidence(
            was.history(),
            was.asOf(),
            was.historyFrom(),
            was.historyThrough(),
            was.arrivedThrough(),
            was.finalAt(),
            2,
            400,
            was.counts(),
            null);
    assertEquals(400, sampled.groupEstimate().value());
    assertTrue(sampled.groupEstimate().lower() < 400 && sampled.groupEstimate().upper() > 400);
    byte[] now =
        ofVersion4(
            new Report(
                report.analysis(),
                report.definition(),
                report.windowStart(),
                report.windowEnd(),
                report.revision(),
                report.columns(),
                report.rows(),
                sampled,
                List.of()));
    assertEquals(sampled, serializer.deserialize(new DataInputDeserializer(now)).confidence());
    int at = now.length - 1 - 6 * 8 - 8;
    byte[] old = Arrays.copyOf(now, now.length - 8);
    System.arraycopy(now, at + 8, old, at, now.length - at - 8);
    old[0] = 3;
    Confidence read = serializer.deserialize(new DataInputDeserializer(old)).confidence();
    assertEquals(2, read.groupLevel());
    assertEquals(-1, read.groups());
    assertEquals(was.counts(), read.counts());
    assertEquals(-1, read.groupEstimate().value());
  }

  @Test
  void whatIsApproximateComesBackAsItWas() throws Exception {
    Report report = TestReports.approximate();
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(bytes(report))));
  }

  @Test
  void theVersionsOfJoinedFilesComeBackAsTheyWere() throws Exception {
    Report report = TestReports.enriched();
    assertEquals(2, report.confidence().enrichment().size());
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(bytes(report))));
  }

  @Test
  void aReportOfVersion5HasNoJoinedFiles() throws Exception {
    Report report = TestReports.approximate();
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(ofVersion5(report))));
  }

  /** Encodes in version 6: columns that are not computed. */
  private byte[] ofVersion6(Report report) throws IOException {
    byte[] now = bytes(report);
    byte[] old = Arrays.copyOf(now, now.length - report.approximations().size());
    old[0] = 6;
    return old;
  }

  @Test
  void aReportOfVersion6HasNoListsAndNoComputedColumns() throws Exception {
    Report report = TestReports.withLists(false);
    Report read = serializer.deserialize(new DataInputDeserializer(ofVersion6(report)));
    assertEquals(TestReports.withLists(true).columns().size(), read.columns().size());
    assertTrue(read.columns().stream().noneMatch(ReportColumn::list));
    assertTrue(read.approximations().stream().noneMatch(ReportApproximation::computed));
    assertEquals(report.rows(), read.rows());
  }

  @Test
  void listsAndComputedColumnsComeBackAsTheyWere() throws Exception {
    Report report = TestReports.withLists(true);
    assertTrue(report.columns().stream().anyMatch(ReportColumn::list));
    assertTrue(report.approximations().stream().anyMatch(ReportApproximation::computed));
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(bytes(report))));
  }

  /** Encodes in version 5: without versions of files. */
  private byte[] ofVersion5(Report report) throws IOException {
    byte[] now = ofVersion6(report);
    byte[] old = Arrays.copyOf(now, now.length - 4);
    old[0] = 5;
    return old;
  }

  /** Encodes in version 4: without approximations. */
  private byte[] ofVersion4(Report report) throws IOException {
    byte[] now = ofVersion5(report);
    byte[] old = Arrays.copyOf(now, now.length - 4);
    old[0] = 4;
    return old;
  }

  @Test
  void aReportOfVersion4HasNothingApproximate() throws Exception {
    Report report = TestReports.report(7, "192.0.2.1", 5, null, 6);
    assertEquals(report, serializer.deserialize(new DataInputDeserializer(ofVersion4(report))));
  }

  @Test
  void aReportOfVersion1IsTheFinalOneAtItsWindowsEnd() throws Exception {
    Report report = TestReports.report(3, "192.0.2.1", 5);
    byte[] now = ofVersion4(report);
    int name = 1 + 2 + "elephants".length();
    // before the two times, the groups' level and number, the counts and no message
    int at = now.length - 1 - 6 * 8 - 12 - 16;
    byte[] old = Arrays.copyOf(now, now.length - 1 - 16 - 12 - 16);
    System.arraycopy(now, name + 1, old, name, at - name - 1); // without: no definition
    System.arraycopy(now, at + 28, old, at - 1, 4 * 8); // nor the two times, level and number
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
            0,
            WindowResult.UNKNOWN_GROUPS,
            was.counts(),
            null);
    assertEquals(expected, read.confidence());
  }
}
