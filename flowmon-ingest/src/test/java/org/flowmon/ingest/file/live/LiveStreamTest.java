package org.flowmon.ingest.file.live;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.SampleTexts;
import org.flowmon.ingest.file.binary.GoFlowBytes;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.UnknownFormatException;
import org.flowmon.ingest.file.line.LineReader;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.junit.jupiter.api.Test;

class LiveStreamTest {
  /** Gives pieces one after the other, then nothing, or its end. */
  private static final class Pieces implements LiveSource {
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private final boolean isWhole;
    private boolean ends;
    private boolean isSlow;
    private boolean isClosed;

    Pieces(boolean isWhole, byte[]... pieces) {
      this.isWhole = isWhole;
      this.pieces.addAll(List.of(pieces));
    }

    static Pieces of(String... texts) {
      Pieces pieces = new Pieces(false);
      for (String text : texts) {
        pieces.pieces.add(text.getBytes(StandardCharsets.UTF_8));
      }
      return pieces;
    }

    @Override
    public Optional<byte[]> next(long millis) {
      byte[] piece = isSlow && millis == 0 ? null : pieces.poll();
      return piece == null && ends && pieces.isEmpty()
          ? Optional.empty()
          : Optional.of(piece == null ? new byte[0] : piece);
    }

    @Override
    public boolean givesWholeRecords() {
      return isWhole;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private final List<Long> waits = new ArrayList<>();

  /** Goes on until nothing is left. */
  private LiveStream stream(Pieces source) {
    return new LiveStream(
        source,
        taken -> {
          waits.add(taken);
          return !source.pieces.isEmpty();
        });
  }

  private static String text(InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aStopGivesNoHalfLine() throws IOException {
    assertEquals("1\n23\n", text(stream(Pieces.of("1\n2", "3", "\n4", "5"))));
    assertEquals(5, waits.get(waits.size() - 1));
  }

  @Test
  void theLastLineOfASourceThatEndedIsGivenWithoutALineFeed() throws IOException {
    Pieces source = Pieces.of("1\n2", "3");
    source.ends = true;
    assertEquals("1\n23", text(new LiveStream(source, taken -> true)));
  }

  @Test
  void whatIsAvailableIsReadWithoutAWaitHoweverLateItIsRead() throws Exception {
    LiveStream stream = stream(Pieces.of("1\n", "2\n"));
    assertEquals(2, stream.available());
    Thread.sleep(1100);
    assertEquals('1', stream.read());
    assertEquals('\n', stream.read());
    assertEquals(List.of(), waits, "the flow of the line could not be handed on before");
    assertEquals(0, stream.available(), "a wait is due");
    assertEquals('2', stream.read());
    assertEquals(List.of(2L), waits);
  }

  @Test
  void aLineLongerThanAnyIsGivenInParts() throws IOException {
    String half = "x".repeat(LineReader.MAX_LINE_BYTES * 2 / 3);
    assertEquals(half + half, text(stream(Pieces.of(half, half))));
    assertEquals(0, waits.get(waits.size() - 1), "none of it is whole");
  }

  @Test
  void bytesThatAreNoTextNeedNoLineFeed() throws IOException {
    byte[] message = {30, 8, 3, 10, 1, 2};
    assertArrayEquals(message, stream(new Pieces(false, message)).readAllBytes());
  }

  @Test
  void readersLeaveTheSourceOpen() throws IOException {
    Pieces source = Pieces.of("{\"end_time\":1}\n");
    LiveStream stream = stream(source);
    FlowInput input = FlowInput.live(Path.of("-"), stream);
    FlowFiles.open(input, FileReadOptions.defaults()).read(new FlowRecorder(3));
    assertFalse(source.isClosed, "its owner asks it for its place first");
    stream.close();
    assertTrue(source.isClosed);
  }

  @Test
  void messagesOfGoflow2AreHandedOnBeforeMoreIsWaitedFor() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    List<Long> ends = new ArrayList<>();
    for (int port = 0; port < 5000; port++) {
      all.writeBytes(GoFlowBytes.flow(port).delimited());
      ends.add((long) all.size());
    }
    byte[] whole = all.toByteArray();
    for (boolean isWhole : new boolean[] {true, false}) {
      Pieces source = new Pieces(isWhole);
      int step = isWhole ? 2500 : 1111; // in the middle of messages if these may be cut
      for (int at = 0, end = 0; at < whole.length; at = end) {
        end = isWhole ? (int) (long) ends.get(ends.indexOf((long) at) + step) : at + step * 50;
        end = Math.min(end, whole.length);
        source.pieces.add(Arrays.copyOfRange(whole, at, end));
      }
      FlowRecorder recorder = new FlowRecorder(100);
      AtomicLong given = new AtomicLong();
      LiveStream stream =
          new LiveStream(
              source,
              taken -> {
                long flows = ends.stream().filter(end -> end <= taken).count();
                assertEquals(flows, recorder.rows().size(), "of " + taken + " bytes");
                given.set(taken);
                return !source.pieces.isEmpty();
              });
      FlowInput input = FlowInput.live(Path.of("topic"), stream);
      FlowFiles.open(input, FileReadOptions.defaults()).read(recorder);
      assertEquals(5000, recorder.rows().size());
      assertEquals(whole.length, given.get());
    }
  }

  @Test
  void aFlowOfZeekDoesNotWaitForLaterOnesToConfirmItsTime() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int day = i < 4 ? 0 : 3; // of the file's clock, which looks ahead at a jump
      lines.add(
          "{\"ts\":"
              + (1_700_000_000 + day * 86_400 + i)
              + ",\"uid\":\"C\",\"id.orig_h\":\"10.0.0.1\",\"id.orig_p\":1,"
              + "\"id.resp_h\":\"10.0.0.2\",\"id.resp_p\":2,\"proto\":\"udp\",\"duration\":0.5}\n");
    }
    Pieces source = Pieces.of(lines.toArray(new String[0]));
    source.isSlow = true;
    FlowRecorder recorder = new FlowRecorder(2);
    LiveStream stream =
        new LiveStream(
            source,
            taken -> {
              int bytes = 0;
              int whole = 0;
              while (bytes < taken) {
                bytes += lines.get(whole++).length();
              }
              assertEquals(whole, recorder.rows().size());
              return !source.pieces.isEmpty();
            });
    FlowInput input = FlowInput.followed(Path.of("conn.log"), stream);
    FlowFiles.open(input, FileReadOptions.defaults()).read(recorder);
    assertEquals(8, recorder.rows().size());
  }

  @Test
  void whatIsNotOfLinesIsNotFollowed() {
    for (String text :
        List.of(SampleTexts.AZURE.replace("\n", "") + "\n", "[\n{\"end_time\":1}\n]\n")) {
      FlowInput input = FlowInput.followed(Path.of("log"), stream(Pieces.of(text)));
      IOException e =
          assertThrows(
              UnknownFormatException.class,
              () -> FlowFiles.open(input, FileReadOptions.defaults()));
      assertTrue(e.getMessage().endsWith("is not read as it grows: name a file that is complete"));
    }
    byte[] message = GoFlowBytes.flow(1).delimited();
    FlowInput input = FlowInput.followed(Path.of("log"), stream(new Pieces(false, message)));
    assertThrows(
        UnknownFormatException.class, () -> FlowFiles.open(input, FileReadOptions.defaults()));
  }

  @Test
  void documentsOfJsonAreReadFromAPipe() throws IOException {
    for (String text : List.of(SampleTexts.AZURE, "[\n{\"end_time\":1},\n{\"end_time\":2}\n]\n")) {
      Pieces source = Pieces.of(text);
      source.ends = true;
      FlowRecorder recorder = new FlowRecorder(3);
      FlowInput input = FlowInput.live(Path.of("-"), new LiveStream(source, taken -> true));
      FlowFiles.open(input, FileReadOptions.defaults()).read(recorder);
      assertEquals(text.startsWith("[") ? 2 : 4, recorder.rows().size());
    }
  }
}
