package org.flowmon.ingest.file.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.ColumnNames;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.live.FollowedLog.Place;
import org.flowmon.ingest.file.reader.ArrivalClock;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedLogTest {
  @TempDir Path folder;

  private Path log;

  @BeforeEach
  void name() {
    log = folder.resolve("flows.log");
  }

  private void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What there is for now. */
  private static String next(FollowedLog followed) throws IOException {
    StringBuilder all = new StringBuilder();
    for (byte[] bytes = followed.next(0).orElseThrow();
        bytes.length > 0;
        bytes = followed.next(0).orElseThrow()) {
      all.append(new String(bytes, StandardCharsets.UTF_8));
    }
    return all.toString();
  }

  @Test
  void linesAreReadOnceOverRotationsAndTruncation() throws IOException {
    append(log, "1\n2\n");
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      assertEquals("1\n2\n", next(followed));
      append(log, "3\n");
      Files.move(log, folder.resolve("flows.log.1"));
      append(folder.resolve("flows.log.1"), "4");
      assertEquals("3\n4", next(followed), "the rest of the file before");
      append(log, "5\n");
      assertEquals("\n5\n", next(followed), "the line that the writer did not end is ended");
      Files.writeString(log, "6\n"); // copytruncate, and as long as before
      append(log, "");
      assertEquals("", next(followed), "as long as before: nothing tells it");
      Files.writeString(log, "");
      assertEquals("", next(followed));
      append(log, "7\n");
      assertEquals("7\n", next(followed));
    }
  }

  @Test
  void aFileThatIsStillEmptyDoesNotEndTheOneBefore() throws IOException {
    Path before = folder.resolve("flows.log.1");
    append(log, "1\n");
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      assertEquals("1\n", next(followed));
      Files.move(log, before);
      append(log, ""); // as logrotate's "create", before the writer opens it
      assertEquals("", next(followed));
      append(before, "2\n");
      assertEquals("2\n", next(followed));
      append(log, "3\n");
      assertEquals("3\n", next(followed));
    }
  }

  @Test
  void aPlaceIsFoundAgainAlsoInAFileThatWasRenamed() throws IOException {
    append(log, "#h\n1\n2\n3\n");
    Place place;
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      next(followed);
      place = followed.place(5);
      assertEquals(5, place.offset());
    }
    Files.move(log, folder.resolve("flows.log.1"));
    append(log, "#h\n4\n");
    byte[] header = {'#', 'h', '\n'};
    try (FollowedLog followed = new FollowedLog(log, Optional.of(place), header)) {
      assertEquals("#h\n2\n3\n#h\n4\n", next(followed));
      assertEquals(new Place(place.file(), 7), followed.place(5), "the header is not the log's");
      assertEquals(2, followed.place(9).offset(), "in the new file");
    }
  }

  @Test
  void filesThatHadTheNameBetweenTwoLooksAreReadInTheirOrder() throws IOException {
    append(log, "1\n");
    FileTime start = Files.getLastModifiedTime(log);
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      assertEquals("1\n", next(followed));
      append(log, "2\n");
      Files.move(log, folder.resolve("flows.log.3"));
      rotated("flows.log.2", "3\n", start, 10);
      rotated("flows-20240101.log", "4\n", start, 20);
      rotated("flows.log.4", "before\n", start, -10);
      rotated("flows.log.1.gz", "compressed\n", start, 30);
      rotated("flows.log.state", "another\n", start, 30);
      rotated("flows.log", "5\n", start, 40);
      assertEquals("2\n3\n4\n5\n", next(followed));
      append(log, "6\n");
      assertEquals("6\n", next(followed));
    }
  }

  /** A rotation within a second, of file systems that know no parts of it, or of a copy. */
  @Test
  void filesThatWereWrittenAtTheSameTimeAreReadOnceInTheOrderOfTheirNames() throws IOException {
    for (String[] names :
        new String[][] {
          {"flows.log.11", "flows.log.2", "flows.log.1"},
          {"flows.log-20240101", "flows.log-20240102", "flows.log-20240110"},
          {
            "flows.2024-01-01-00:00:00-01:00:00.log",
            "flows.2024-01-01-01:00:00-02:00:00.log",
            "flows.2024-01-01-10:00:00-11:00:00.log"
          }
        }) {
      for (boolean isRestarted : new boolean[] {false, true}) {
        assertReadInOrder(names, isRestarted);
      }
    }
  }

  private void assertReadInOrder(String[] names, boolean isRestarted) throws IOException {
    String where = names[0] + (isRestarted ? ", restarted" : "");
    FileTime time = FileTime.fromMillis(1_700_000_000_000L);
    rotated("flows.log.12", "before\n", time, -10);
    rotated("flows.log", "1\n", time, 0);
    FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0]);
    try {
      assertEquals("1\n", next(followed), where);
      append(log, "2\n");
      if (isRestarted) {
        Place place = followed.place(2);
        followed.close();
        rotate(names, time);
        followed = new FollowedLog(log, Optional.of(place), new byte[0]);
      } else {
        rotate(names, time);
      }
      assertEquals("2\n3\n4\n5\n", next(followed), where);
      Files.move(log, folder.resolve("flows.log.0"));
      rotated("flows.log", "6\n", time, 0);
      assertEquals("6\n", next(followed), where);
    } finally {
      followed.close();
    }
    for (String name : List.of("flows.log.12", names[0], names[1], names[2], "flows.log.0")) {
      Files.delete(folder.resolve(name));
    }
    Files.delete(log);
  }

  private void rotate(String[] names, FileTime time) throws IOException {
    Files.move(log, folder.resolve(names[0]));
    Files.setLastModifiedTime(folder.resolve(names[0]), time);
    rotated(names[1], "3\n", time, 0);
    rotated(names[2], "4\n", time, 0);
    rotated("flows.log", "5\n", time, 0);
  }

  @Test
  void filesOfRisingNumbersAreReadInTheirOrderIfSomeTimesSaySo() throws IOException {
    FileTime time = FileTime.fromMillis(1_700_000_000_000L);
    rotated("flows.log.1", "before\n", time, -10);
    rotated("flows.log", "1\n", time, 0);
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      assertEquals("1\n", next(followed));
      rotate(new String[] {"flows.log.2", "flows.log.3", "flows.log.10"}, time);
      assertEquals("3\n4\n5\n", next(followed));
    }
  }

  /** Else it would be read twice after the next rotation. */
  @Test
  void aFileThatIsTouchedLaterIsNotReadAgain() throws IOException {
    append(folder.resolve("flows.log.1"), "before\n");
    append(log, "1\n");
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      assertEquals("1\n", next(followed));
      Files.move(folder.resolve("flows.log.1"), folder.resolve("flows.log.2"));
      Files.move(log, folder.resolve("flows.log.1"));
      append(log, "2\n");
      assertEquals("2\n", next(followed));
      FileTime later = FileTime.fromMillis(System.currentTimeMillis() + 60_000);
      Files.setLastModifiedTime(folder.resolve("flows.log.1"), later);
      Files.setLastModifiedTime(folder.resolve("flows.log.2"), later);
      Files.move(log, folder.resolve("flows.log.0"));
      append(log, "3\n");
      assertEquals("3\n", next(followed));
    }
  }

  private void rotated(String name, String text, FileTime start, int later) throws IOException {
    Path file = folder.resolve(name);
    append(file, text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(start.toMillis() + later * 1000L));
  }

  @Test
  void aLogsFlowsAreHandedOnAsTheyComeAndTakenOnlyAsWholeLines() throws IOException {
    assertAllAreRead("a text", true);
  }

  @Test
  void recordsOfSeveralLinesAreWaitedFor() throws IOException {
    assertAllAreRead("a \"\"quoted\"\" text\nof two lines", false);
  }

  private void assertAllAreRead(String text, boolean isLine) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String header = "end_time,src_addr,dst_addr,bytes,service\n";
    append(log, header);
    List<String> expected = new ArrayList<>();
    StringBuilder waiting = new StringBuilder();
    FlowRecorder recorder = new FlowRecorder(7);
    try (FollowedLog followed = new FollowedLog(log, Optional.empty(), new byte[0])) {
      LiveStream stream =
          new LiveStream(
              followed,
              taken -> {
                int rows = recorder.rows().size();
                long lines = Files.readString(log).substring(0, (int) taken).lines().count() - 1;
                assertTrue(!isLine || rows == lines, "seed " + seed + ": " + rows + ", " + lines);
                if (expected.size() == 200) {
                  return waiting.length() > 0;
                }
                String line =
                    "2024-01-01T00:00:00Z,10.0.0.1,10.0.0.2,"
                        + expected.size()
                        + ",\""
                        + text
                        + "\"\n";
                expected.add(String.valueOf(expected.size()));
                waiting.append(line);
                int cut = random.nextInt(waiting.length() + 1);
                append(log, waiting.substring(0, cut));
                waiting.delete(0, cut);
                if (expected.size() == 200) {
                  append(log, waiting.toString());
                  waiting.setLength(0);
                }
                return true;
              });
      FileReadOptions options =
          FileReadOptions.defaults().withClock(ArrivalClock.ofWall(() -> 1_800_000_000_000_000L));
      FlowFiles.open(FlowInput.followed(log, stream), options).read(recorder);
    }
    List<String> read =
        recorder.rows().stream().map(row -> row.get(FlowColumn.BYTES).toString()).toList();
    assertEquals(expected, read, "seed " + seed);
    assertEquals(1_800_000_000_000_000L, recorder.rows().get(0).get(FlowColumn.ARRIVAL));
  }

  @Test
  void aPipeIsReadToItsEnd() throws IOException {
    byte[] text =
        "{\"end_time\":\"2024-01-01T00:00:00Z\",\"src_addr\":\"10.0.0.1\"}\n"
            .getBytes(StandardCharsets.UTF_8);
    InputStream in = new ByteArrayInputStream(text);
    FlowRecorder recorder = new FlowRecorder(7);
    LiveStream stream = new LiveStream(new PipeSource(in), taken -> true);
    FlowFiles.open(FlowInput.live(Path.of("-"), stream), FileReadOptions.defaults()).read(recorder);
    assertEquals(1, recorder.rows().size());
  }

  @Test
  void theHeaderOfALogIsFoundAndAFirstRecordIsNone() {
    assertEquals("#separator \\x09\n#fields\tts\n", header("#separator \\x09\n#fields\tts\n1\n"));
    assertEquals("end_time,src_addr\n", header("end_time,src_addr\n1,10.0.0.1\n"));
    assertEquals("", header("{\"end_time\":1}\n"));
    assertEquals(
        "", header("2 123 eni-1 10.0.0.1 10.0.0.2 1 2 6 20 42 1418530010 1418530070 ACCEPT OK\n"));
    String flowExport = "#:unix_secs,unix_nsecs,sysuptime,first,srcaddr,dstaddr\n";
    assertEquals(flowExport, header(flowExport + "1,2,3,4,5,6\n"));
  }

  private static String header(String text) {
    byte[] head = text.getBytes(StandardCharsets.UTF_8);
    return new String(
        LogHeader.of(head, ColumnNames.DEFAULTS, Optional.empty()), StandardCharsets.UTF_8);
  }
}
