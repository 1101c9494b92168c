package org.flowmon.ingest.file.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.SourceKind;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.row.TypedRowReader;
import org.flowmon.ingest.file.zeek.ReadLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrivals of flows from files with some wrong times. */
class ArrivalClockTest {
  private static final long SEED = 20261123;
  private static final long SECOND = 1_000_000;
  private static final long DAY = 24 * 3600 * SECOND;
  private static final long START = Instant.parse("2026-11-20T08:00:00Z").getEpochSecond();
  private static final long WRONG = Instant.parse("2099-01-01T00:00:00Z").getEpochSecond();

  /** Writes flows with given end times to a file, and reads it. */
  private enum Kind {
    ZEEK {
      @Override
      byte[] write(List<Long> seconds) {
        StringBuilder text = new StringBuilder("#fields\tts\tid.orig_h\tid.resp_h\tconn_state\n");
        seconds.forEach(s -> text.append(s).append("\t10.0.0.1\t10.0.0.2\tSF\n"));
        return text.toString().getBytes(StandardCharsets.UTF_8);
      }
    },
    ZEEK_JSON {
      @Override
      byte[] write(List<Long> seconds) {
        StringBuilder text = new StringBuilder();
        seconds.forEach(
            s ->
                text.append("{\"ts\":")
                    .append(s)
                    .append(",\"id.orig_h\":\"10.0.0.1\",\"conn_state\":\"SF\"}\n"));
        return text.toString().getBytes(StandardCharsets.UTF_8);
      }
    },
    CSV {
      @Override
      byte[] write(List<Long> seconds) {
        StringBuilder text = new StringBuilder("end_time,src_addr\n");
        seconds.forEach(s -> text.append(s).append(",10.0.0.1\n"));
        return text.toString().getBytes(StandardCharsets.UTF_8);
      }
    },
    JSON {
      @Override
      byte[] write(List<Long> seconds) {
        StringBuilder text = new StringBuilder();
        seconds.forEach(s -> text.append("{\"end_time\":").append(s).append(",\"bytes\":1}\n"));
        return text.toString().getBytes(StandardCharsets.UTF_8);
      }
    },
    PCAP {
      @Override
      byte[] write(List<Long> seconds) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(
            ByteBuffer.allocate(24).putInt(0xA1B2C3D4).putInt(20, 101).array()); // raw IP
        for (long s : seconds) {
          ByteBuffer packet = ByteBuffer.allocate(16 + 28 + 72);
          packet.putInt((int) s).putInt(0).putInt(100).putInt(100);
          packet.put((byte) 0x45).put((byte) 0).putShort((short) 100).putInt(0);
          packet.put((byte) 64).put((byte) 17).putShort((short) 0).putInt(1).putInt(2);
          packet
              .putShort((short) 9)
              .putShort((short) 2055)
              .putShort((short) 80)
              .putShort((short) 0);
          packet.putShort((short) 5).putShort((short) 1).putInt(1000).putInt((int) s);
          out.writeBytes(packet.array());
        }
        return out.toByteArray();
      }
    },
    IPFIX {
      @Override
      byte[] write(List<Long> seconds) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (long s : seconds) {
          ByteBuffer message = ByteBuffer.allocate(16 + 12 + 8);
          message.putShort((short) 10).putShort((short) 36).putInt((int) s).putLong(0);
          message.putShort((short) 2).putShort((short) 12);
          message.putShort((short) 256).putShort((short) 1).putShort((short) 1).putShort((short) 4);
          message.putShort((short) 256).putShort((short) 8).putInt(7);
          out.writeBytes(message.array());
        }
        return out.toByteArray();
      }
    },
    /** Typed rows, like those of Parquet files. */
    TYPED {
      @Override
      byte[] write(List<Long> seconds) {
        return new byte[0];
      }
    };

    abstract byte[] write(List<Long> seconds);
  }

  @TempDir Path folder;
  private final FileReadOptions options = FileReadOptions.defaults();

  /** Arrivals, seconds since 1970. */
  private List<Long> arrivals(Kind kind, List<Long> seconds) throws IOException {
    return arrivals(kind, seconds, options);
  }

  private List<Long> arrivals(Kind kind, List<Long> seconds, FileReadOptions with)
      throws IOException {
    List<Long> arrivals = new ArrayList<>();
    if (kind == Kind.TYPED) {
      TypedRowReader rows =
          new TypedRowReader(
              folder,
              InputFormat.PARQUET,
              SourceKind.PARQUET,
              List.of(
                  new TypedRowReader.Column(
                      "end_time", "timestamp", TypedRowReader.Kind.TIME_MICROS)),
              with,
              batch -> add(batch, arrivals));
      for (long s : seconds) {
        rows.set(0, s * SECOND);
        rows.endRow();
      }
      rows.end(null);
      return arrivals;
    }
    Path file = Files.write(folder.resolve("flows"), kind.write(seconds));
    FlowFileReader reader = FlowFiles.open(file, with);
    if (reader instanceof ParallelFlowReader parallel) {
      parallel.read(3, batch -> add(batch, arrivals));
      return arrivals;
    }
    FlowRecorder recorder = new FlowRecorder(100);
    reader.read(recorder);
    for (Map<FlowColumn, Object> row : recorder.rows()) {
      arrivals.add((Long) row.get(FlowColumn.ARRIVAL) / SECOND);
    }
    return arrivals;
  }

  private static void add(FlowBatch batch, List<Long> arrivals) {
    for (int row = 0; row < batch.rows(); row++) {
      arrivals.add(batch.getLong(FlowColumn.ARRIVAL, row) / SECOND);
    }
  }

  private static List<Long> steady(int flows) {
    List<Long> seconds = new ArrayList<>();
    for (long i = 0; i < flows; i++) {
      seconds.add(START + i);
    }
    return seconds;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void oneTimeOf2099IsNotTheArrivalOfLaterFlows(Kind kind) throws IOException {
    for (int place : new int[] {0, 1, 100, 197, 198, 199}) {
      List<Long> seconds = steady(200);
      List<Long> expected = new ArrayList<>(seconds);
      seconds.set(place, WRONG);
      // Like the previous flow; the first one like the next.
      expected.set(place, place == 0 ? START + 1 : START + place - 1);
      FileReadOptions alone = FileReadOptions.defaults();
      assertEquals(expected, arrivals(kind, seconds, alone), kind + ", flow " + place);
      assertEquals(1, alone.clock().aheadFlows(), kind + ", flow " + place);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aWeekWithoutFlowsIsNoWrongTime(Kind kind) throws IOException {
    List<Long> seconds = steady(100);
    for (int i = 0; i < 100; i++) {
      seconds.add(START + 7 * DAY / SECOND + i);
    }
    assertEquals(seconds, arrivals(kind, seconds));
    assertEquals(0, options.clock().aheadFlows());
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aTenthOfWrongTimesMovesNoOtherFlow(Kind kind) throws IOException {
    Random random = new Random(SEED);
    List<Long> seconds = steady(40_000);
    List<Long> expected = new ArrayList<>(seconds);
    for (int i = 1; i < seconds.size(); i++) {
      if (random.nextInt(10) == 0) {
        seconds.set(i, WRONG + random.nextInt(1000) * DAY / SECOND / 100);
        expected.set(i, expected.get(i - 1));
      }
    }
    assertEquals(expected, arrivals(kind, seconds), kind + ", seed " + SEED);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void theSameFileGivesTheSameArrivalsAgain(Kind kind) throws IOException {
    Random random = new Random(SEED);
    List<Long> seconds = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      seconds.add(START + random.nextInt(1 << random.nextInt(27)));
    }
    List<Long> once = arrivals(kind, seconds, FileReadOptions.defaults());
    assertEquals(once, arrivals(kind, seconds, FileReadOptions.defaults()), "seed " + SEED);
    List<Long> sorted = new ArrayList<>(once);
    Collections.sort(sorted);
    assertEquals(sorted, once, "they go back, seed " + SEED);
  }

  @Test
  void aWrongTimeInOneFileLeavesTheNextFileAlone() throws IOException {
    List<Long> seconds = steady(50);
    seconds.add(WRONG);
    arrivals(Kind.ZEEK, seconds);
    List<Long> next = List.of(START + 100, START + 101);
    assertEquals(next, arrivals(Kind.CSV, next));
    // A file with its own time, however far ahead of the previous file.
    List<Long> alone = List.of(START + 20 * DAY / SECOND);
    assertEquals(alone, arrivals(Kind.CSV, alone));
    assertEquals(0, options.clock().aheadFlows());
  }

  @Test
  void whatALineSaysThatIsNoFlowConfirmsNothing() throws IOException {
    String fields = "#fields\tts\tid.orig_h\tid.resp_h\tconn_state\n";
    StringBuilder log = new StringBuilder(fields);
    for (long s : steady(10)) {
      log.append(s).append("\t10.0.0.1\t10.0.0.2\tSF\n");
    }
    log.append(WRONG).append("\t10.0.0.1\t10.0.0.2\tSF\n");
    for (int i = 0; i < 40; i++) {
      log.append(WRONG).append("\tno address\t10.0.0.2\tSF\n\n");
    }
    log.append(START + 10).append("\t10.0.0.1\t10.0.0.2\tSF\n");
    ReadLog read = ReadLog.of(log.toString(), folder);
    assertEquals(40, read.rejects().size());
    assertEquals(12, read.rows().size());
    assertTrue(
        read.rows().stream().allMatch(row -> (Long) row.get(FlowColumn.ARRIVAL) < WRONG * SECOND));
    assertEquals((START + 9) * SECOND, read.rows().get(10).get(FlowColumn.ARRIVAL));
  }
}
