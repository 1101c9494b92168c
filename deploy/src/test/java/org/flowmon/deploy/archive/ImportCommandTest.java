package org.flowmon.deploy.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ImportCommandTest {
  private static final String LINE =
      "{\"ts\":%d.5,\"uid\":\"C1\",\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":1,"
          + "\"id.resp_h\":\"192.0.2.2\",\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5}\n";

  @TempDir Path folder;

  @Test
  void everyFileIsNamedOnceAndTimesBetweenFilesAreNotClaimed() throws Exception {
    Path early = Files.writeString(folder.resolve("early.log"), LINE.formatted(1_000_000_000));
    Path late = Files.writeString(folder.resolve("late.log"), LINE.formatted(1_700_000_000));
    Path none = folder.resolve("none.log");
    Path odd = Files.writeString(folder.resolve("odd.log"), "nothing that is a flow");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    int code;
    try {
      code =
          Flowmon.commandLine()
              .execute(
                  "import",
                  early.toString(),
                  none.toString(),
                  odd.toString(),
                  late.toString(),
                  early.toString(),
                  "--archive",
                  folder.resolve("archive").toString());
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
    String errors = err.toString(StandardCharsets.UTF_8);
    assertEquals(3, code, errors);
    assertEquals(
        List.of(
            "there was no archive at " + folder.resolve("archive") + ": a new one is made there",
            early + ": zeek_json, 1 flows",
            late + ": zeek_json, 1 flows",
            "2 of 5 files, 2 flows imported; lost: nothing",
            "the archive holds flows of 2001-09-09T01:46:42Z … 2023-11-14T22:13:22Z, with 1 break"
                + " of a day or more between segments"),
        out.toString(StandardCharsets.UTF_8).lines().toList());
    List<String> failed = errors.lines().toList();
    assertEquals(4, failed.size(), errors);
    assertEquals(none + ": not imported: no such file", failed.get(0));
    assertTrue(failed.get(1).startsWith(odd + ": not imported: it is text that"), errors);
    assertTrue(
        failed.get(2).startsWith(early + ": not imported: was imported before, as early.log ("),
        errors);
    assertTrue(failed.get(3).startsWith("supported are pcap and pcapng"), errors);
  }

  @Test
  void theFormatsAreNamedOnceForAllFilesThatAreOfNone() throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("import", "--archive", folder.resolve("a")));
    for (int i = 0; i < 5; i++) {
      arguments.add(Files.writeString(folder.resolve("odd" + i), "nothing that is a flow"));
    }
    CommandRun said = CommandRun.of(arguments.toArray());
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    List<String> lines = said.err().lines().toList();
    assertEquals(6, lines.size(), said.err());
    assertTrue(lines.subList(0, 5).stream().noneMatch(l -> l.contains("supported")), said.err());
    assertTrue(lines.get(5).startsWith("supported are "), said.err());
  }

  @Test
  void aFileWithoutOneFlowIsNotAmongThoseImported() throws Exception {
    Path log = Files.writeString(folder.resolve("conn.log"), LINE.formatted(1_700_000_000));
    Path bad = Files.writeString(folder.resolve("bad.log"), "{\"ts\":\"no time\"}\n");
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", bad, log, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(
        said.err().contains(bad + ": not imported: nothing in it is a flow, rejected {"),
        said.toString());
    assertTrue(
        said.out().contains("1 of 2 files, 1 flows imported; lost: 1 lines"), said.toString());
    assertFalse(said.out().contains("0 flows"), said.toString());
    assertTrue(said.out().contains("rejected lines are in "), said.toString());
  }

  @Test
  void aLogWithoutARecordSaysThatNothingWasStored() throws Exception {
    String header =
        "#separator \\x09\n#path\tconn\n#fields\tts\tid.orig_h\tid.resp_h\n"
            + "#types\ttime\taddr\taddr\n";
    Path empty = Files.writeString(folder.resolve("empty.log"), header);
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", empty, "--archive", archive);
    assertEquals(ExitCodes.NO, said.code(), said.toString());
    assertEquals(
        "no flow was imported: the file can be read, but there is no record in it",
        said.err().strip());
    assertTrue(said.out().contains("nothing was imported: no archive is left there"), said.out());
    assertFalse(Files.exists(archive));
    Path log = Files.writeString(folder.resolve("conn.log"), LINE.formatted(1_700_000_000));
    CommandRun both = CommandRun.of("import", empty, log, "--archive", archive);
    assertEquals(ExitCodes.DONE, both.code(), both.toString());
    assertEquals(ExitCodes.NO, CommandRun.of("import", empty, "--archive", archive).code());
    assertTrue(arrivals(archive).lines().count() > 1, "what was there stays");
  }

  @Test
  void aFirstImportThatIsRefusedLeavesNothingAndTouchesNoOtherFile() throws Exception {
    Path bad = Files.writeString(folder.resolve("bad.log"), "{\"ts\":\"no time\"}\n");
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", bad, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().contains("; line 1: "), "what is wrong with it: " + said.err());
    assertFalse(said.out().contains("rejected lines are in"), said.out());
    assertFalse(Files.exists(archive), "neither archive nor rejects");
    Path own = Files.createDirectories(folder.resolve("own/sub"));
    Files.writeString(own.resolve("notes"), "kept");
    Files.writeString(own.resolveSibling("file"), "kept");
    said = CommandRun.of("import", bad, "--archive", own.getParent());
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    try (Stream<Path> left = Files.walk(own.getParent())) {
      assertEquals(4, left.count(), "the folder as it was");
    }
    Path none = Files.createDirectory(folder.resolve("none"));
    assertEquals(ExitCodes.FAILED, CommandRun.of("import", bad, "--archive", none).code());
    assertTrue(Files.isDirectory(none), "it was there");
  }

  @Test
  void aCaptureOfOtherTrafficIsRefusedAndFlowsAreMadeOfItIfAskedFor() throws Exception {
    byte[] packet = new byte[42];
    packet[12] = 0x08; // Ethernet, then IPv4 with UDP, 28 bytes
    packet[14] = 0x45;
    packet[17] = 28;
    packet[23] = 17;
    packet[39] = 8;
    ByteBuffer capture = ByteBuffer.allocate(24 + 2 * (16 + packet.length));
    capture.putInt(0xA1B2C3D4).putInt(0x0002_0004).putLong(0).putInt(65_535).putInt(1);
    for (int second = 1_700_000_000; second < 1_700_000_002; second++) {
      capture.putInt(second).putInt(0).putInt(packet.length).putInt(packet.length).put(packet);
    }
    Path file = Files.write(folder.resolve("traffic.pcap"), capture.array());
    Path archive = folder.resolve("archive");
    CommandRun refused = CommandRun.of("import", file, "--archive", archive);
    assertEquals(ExitCodes.FAILED, refused.code(), refused.toString());
    assertTrue(
        refused.err().contains(": not imported: a capture of other traffic: none of its 2 packets"),
        refused.toString());
    assertTrue(refused.err().contains("--from-packets makes flows"), refused.toString());
    assertFalse(refused.out().contains(": pcap, 0 flows"), refused.toString());
    CommandRun made = CommandRun.of("import", file, "--from-packets", "--archive", archive);
    assertEquals(ExitCodes.DONE, made.code(), made.toString());
    assertTrue(made.out().contains(": pcap, 1 flows"), made.toString());
    CommandRun cut =
        CommandRun.of(
            "import",
            file,
            "--from-packets",
            "--active-timeout",
            "1s",
            "--tunnels",
            "outer",
            "--force",
            "--archive",
            archive);
    assertTrue(cut.out().contains(": pcap, 2 flows"), cut.toString());
    CommandRun wrong = CommandRun.of("import", file, "--tunnels", "both", "--archive", archive);
    assertEquals(ExitCodes.USAGE, wrong.code(), wrong.toString());
  }

  private String ask(Path archive, String sql) {
    CommandRun run = CommandRun.of("query", sql, "--archive", archive, "--format", "csv");
    assertEquals(ExitCodes.DONE, run.code(), run.toString());
    return run.out().replace("\r\n", "\n").lines().skip(1).findFirst().orElseThrow();
  }

  /** Rows stored are the records and those split off, and the sums are those of both ways. */
  @Test
  void splitBiflowsAreCountedAndTheSumsStay() throws Exception {
    long seed = 3;
    Random random = new Random(seed);
    StringBuilder log = new StringBuilder();
    StringBuilder csv = new StringBuilder("end_time,src_addr,dst_addr,bytes,reverse_bytes\n");
    int back = 0;
    for (int i = 0; i < 5000; i++) {
      int answered = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 10_000);
      back += answered > 0 ? 1 : 0;
      long second = 1_700_000_000L + i;
      log.append(
          LINE.formatted(second)
              .replace(
                  "\"duration\"",
                  "\"orig_ip_bytes\":%d,\"resp_ip_bytes\":%d,\"duration\""
                      .formatted(random.nextInt(1000), answered)));
      csv.append("%d,192.0.2.1,192.0.2.2,%d,%d%n".formatted(second, i, answered));
    }
    for (Path file :
        List.of(
            Files.writeString(folder.resolve("conn.log"), log),
            Files.writeString(folder.resolve("flows.csv"), csv))) {
      Path kept = folder.resolve("kept-" + file.getFileName());
      Path split = folder.resolve("split-" + file.getFileName());
      CommandRun keep = CommandRun.of("import", file, "--archive", kept);
      assertTrue(keep.out().contains(", 5000 flows\n"), keep.toString());
      CommandRun two = CommandRun.of("import", file, "--biflow", "split", "--archive", split);
      assertEquals(ExitCodes.DONE, two.code(), two.toString());
      int rows = 5000 + back;
      assertTrue(
          two.out().contains(", " + rows + " flows, " + back + " of them split off biflows\n"),
          two.toString());
      assertTrue(two.out().contains("1 of 1 files, " + rows + " flows imported"), two.toString());
      assertEquals(
          ask(kept, "SELECT SUM(bytes), SUM(reverse_bytes) FROM flows"),
          ask(
              split,
              "SELECT SUM(bytes) FILTER (WHERE src_addr = '192.0.2.1'), SUM(bytes) FILTER (WHERE"
                  + " src_addr = '192.0.2.2') FROM flows"),
          "seed " + seed + ", " + file);
      assertEquals(rows + "," + 0, ask(split, "SELECT COUNT(*), COUNT(reverse_bytes) FROM flows"));
    }
    CommandRun wrong =
        CommandRun.of("import", folder.resolve("conn.log"), "--biflow", "both", "--archive", "x");
    assertEquals(ExitCodes.USAGE, wrong.code(), wrong.toString());
  }

  @Test
  void aFirstImportThatFailsLeavesNoArchive() throws Exception {
    Path bad = Files.writeString(folder.resolve("bad.csv"), "colour,shape\nred,round\n");
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", bad, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertFalse(Files.exists(archive), said.toString());
    Path log = Files.writeString(folder.resolve("conn.log"), LINE.formatted(1_700_000_000));
    CommandRun.of("import", log, "--archive", archive);
    CommandRun.of("import", bad, "--archive", archive);
    assertTrue(Files.exists(archive.resolve("manifest")), "one with flows stays");
  }

  @Test
  void namesWithoutAMeaningAreWarnedOfOnceAndTheFormatMayBeSaid() throws Exception {
    String event =
        "{\"timestamp\":\"x\",\"event_type\":\"flow\",\"src_ip\":\"10.0.0.1\",\"dest_ip\":\"10.0.0.2\",\"flow\":{\"start\":\"2024-01-01T00:00:00Z\"},\"colour\":\"red\"}\n";
    Path log = Files.writeString(folder.resolve("eve.json"), event + event);
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", log, "--archive", archive, "--format", "Suricata");
    assertEquals(ExitCodes.DONE, said.code(), said.toString());
    assertTrue(said.out().contains("eve.json: suricata, 2 flows"), said.toString());
    assertEquals(said.err().indexOf("colour"), said.err().lastIndexOf("colour"), said.err());
    assertTrue(said.err().contains("left out, as flowmon has no meaning for them: colour"));
    CommandRun wrong = CommandRun.of("import", log, "--archive", archive, "--format", "eve");
    assertEquals(ExitCodes.USAGE, wrong.code(), wrong.toString());
    assertTrue(wrong.err().contains("expected one of pcap, pcapng"), wrong.toString());
  }

  @Test
  void aFollowedLogIsInTheArchiveOnceAlsoAfterACrashWithinItsCommit() throws Exception {
    Path log = Files.writeString(folder.resolve("conn.log"), LINE.formatted(1_700_000_000));
    Path archive = folder.resolve("archive");
    Object[] follow = {"import", "--follow", log, "--until-idle", "300ms", "--archive", archive};
    CommandRun said = CommandRun.of(follow);
    assertEquals(ExitCodes.DONE, said.code(), said.toString());
    Path place;
    try (Stream<Path> files = Files.list(archive.resolve("followed"))) {
      place = files.findAny().orElseThrow();
    }
    byte[] first = Files.readAllBytes(place);
    Files.writeString(log, LINE.formatted(1_700_000_001), StandardOpenOption.APPEND);
    said = CommandRun.of(follow);
    assertTrue(said.out().contains("1 of 1 files, 1 flows imported"), said.toString());
    // As if the process had ended between the commit and the note that it was made.
    Files.write(place.resolveSibling(place.getFileName() + ".pending"), Files.readAllBytes(place));
    Files.write(place, first);
    said = CommandRun.of(follow);
    assertTrue(said.out().contains("1 of 1 files, 0 flows imported"), said.toString());
    // And before the commit: the place that was to be reached is not in the archive.
    Files.writeString(log, LINE.formatted(1_700_000_002), StandardOpenOption.APPEND);
    Files.writeString(
        place.resolveSibling(place.getFileName() + ".pending"),
        "flowmon-follow 1 999999 " + Files.readString(place).strip().split(" ", 4)[3] + "\n");
    said = CommandRun.of(follow);
    assertTrue(said.out().contains("1 of 1 files, 1 flows imported"), said.toString());
  }

  /** Version 10 with a set of templates, and one of data if asked for, in UDP in IPv4. */
  private Path ipfix(String name, int template, boolean hasData) throws Exception {
    int payload = 28 + (hasData ? 8 : 0);
    int length = 28 + payload;
    ByteBuffer out = ByteBuffer.allocate(24 + 16 + length);
    out.putInt(0xA1B2C3D4).putInt(0x0002_0004).putLong(0).putInt(65_535).putInt(101);
    out.putInt(1_750_000_000).putInt(0).putInt(length).putInt(length);
    out.putInt(0x4500_0000 | length).putInt(0).putInt(0x4011_0000);
    out.putInt(0xC000_0201).putInt(0xC000_0202);
    out.putShort((short) 2055).putShort((short) 2055).putInt((8 + payload) << 16);
    out.putShort((short) 10).putShort((short) payload).putInt(1_750_000_000).putLong(0);
    out.putInt(0x0002_000C).putShort((short) template).putShort((short) 1).putInt(0x0001_0004);
    if (hasData) {
      out.putInt(0x0100_0008).putInt(7);
    }
    return Files.write(folder.resolve(name), out.array());
  }

  @Test
  void anImportOfTemplatesAloneSaysThatItStoredNothing() throws Exception {
    Path templates = ipfix("templates.pcap", 256, false);
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", templates, "--archive", archive);
    assertEquals(ExitCodes.NO, said.code(), said.toString());
    assertTrue(said.err().contains("no flow was imported: the exports have none"), said.err());
    CommandRun both =
        CommandRun.of("import", templates, ipfix("data.pcap", 256, true), "--archive", archive);
    assertEquals(ExitCodes.DONE, both.code(), both.toString());
    assertTrue(both.out().contains("2 of 2 files, 1 flows imported; lost: nothing"), both.out());
  }

  @Test
  void exportsLinesAndFlowsThatAreLostAreNotAddedTogether() throws Exception {
    Path missed = ipfix("missed.pcap", 257, true);
    Path log =
        Files.writeString(
            folder.resolve("conn.log"), LINE.formatted(1_700_000_000) + "{\"ts\":\"no\"}\n");
    Path archive = folder.resolve("archive");
    CommandRun said = CommandRun.of("import", missed, log, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(
        said.out().contains("1 of 2 files, 1 flows imported; lost: 1 lines, 1 sets"), said.out());
  }

  @Test
  void aFirstImportOfALiveInputThatFailsLeavesNoArchive() throws Exception {
    Path archive = folder.resolve("archive");
    Path none = folder.resolve("none.log");
    CommandRun said = CommandRun.of("import", "--follow", none, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertEquals(none + ": not imported: no such file", said.err().strip());
    assertTrue(said.out().contains("nothing was imported: no archive is left there"), said.out());
    assertFalse(Files.exists(archive), said.toString());
    Path document = Files.writeString(folder.resolve("flows.json"), "[\n{\"end_time\":1}\n]\n");
    said = CommandRun.of("import", "--follow", document, "--archive", archive);
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().contains("json_document is not read as it grows"), said.err());
    assertFalse(Files.exists(archive), said.toString());
    said = CommandRun.of("import", "--from-topic", "lines", "--archive", archive);
    assertEquals(ExitCodes.USAGE, said.code(), said.toString());
    assertFalse(Files.exists(archive), "the command line is checked first");
  }

  @Test
  void theFlowsBeforeTheDamageOfAPipeAreImportedAndTheFailureCountsOnce() throws Exception {
    String text = "[{\"end_time\":1,\"bytes\":7},{\"end_time\":2,\"by";
    CommandRun said;
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
      said = CommandRun.of("import", "-", "--archive", folder.resolve("archive"));
    } finally {
      System.setIn(before);
    }
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().contains("-: not read to its end: damaged: "), said.err());
    assertTrue(said.err().strip().endsWith("; 1 flows before it are imported"), said.err());
    assertTrue(
        said.out().contains("0 of 1 files, 1 flows imported; lost: 1 lines"), said.toString());
    assertTrue(said.out().contains("the archive holds flows of"), said.toString());
  }

  @Test
  void aDamagedFileIsNamedOnce() throws Exception {
    byte[] capture = new byte[60];
    ByteBuffer.wrap(capture).order(ByteOrder.LITTLE_ENDIAN).putInt(0xA1B2C3D4).putShort((short) 2);
    ByteBuffer.wrap(capture).order(ByteOrder.LITTLE_ENDIAN).putInt(20, 1).putInt(32, -5);
    Path bad = Files.write(folder.resolve("bad.pcap"), capture);
    CommandRun said = CommandRun.of("import", bad, "--archive", folder.resolve("archive"));
    assertEquals(ExitCodes.FAILED, said.code(), said.toString());
    assertTrue(said.err().startsWith(bad + ": not imported: damaged: byte "), said.toString());
    assertEquals(said.err().indexOf("bad.pcap"), said.err().lastIndexOf("bad.pcap"), said.err());
  }

  @Test
  void aLineThatIsNoFlowIsKeptAndTheOthersAreImported() throws Exception {
    Path log = folder.resolve("conn.log");
    Files.writeString(log, LINE.formatted(1_700_000_000) + "{\"ts\":\"no time\"}\n");
    Path archive = folder.resolve("archive");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    int code;
    try {
      code =
          Flowmon.commandLine().execute("import", log.toString(), "--archive", archive.toString());
    } finally {
      System.setOut(stdout);
    }
    String said = out.toString(StandardCharsets.UTF_8);
    assertEquals(ExitCodes.NO, code, "a part was lost: " + said);
    assertTrue(said.contains("1 of 1 files, 1 flows imported; lost: 1 lines"), said);
    try (Stream<Path> kept = Files.list(archive.resolve("rejects"))) {
      Path file = kept.findFirst().orElseThrow();
      assertTrue(said.contains("rejected lines are in " + file), said);
      assertTrue(Files.readString(file).contains("no time"), Files.readString(file));
    }
  }

  private static String arrivals(Path archive) {
    return CommandRun.of(
            "query",
            "SELECT end_time, arrival FROM flows ORDER BY end_time, arrival LIMIT 20",
            "--archive",
            archive,
            "--format",
            "csv")
        .out();
  }

  @Test
  void flowsArriveWhenTheyEndWhateverTheOrderOfFilesAndLines() throws Exception {
    Path late = Files.writeString(folder.resolve("late.log"), LINE.formatted(1_700_000_000));
    Path mixed =
        Files.writeString(
            folder.resolve("mixed.log"),
            LINE.formatted(1_600_000_300)
                + LINE.formatted(1_600_000_001)
                + LINE.formatted(1_600_000_002));
    Path csv =
        Files.writeString(
            folder.resolve("old.csv"),
            "end_time,arrival,bytes\n1500000000,,1\n1500000001,1500000002,2\n1500000009,,3\n");
    CommandRun run =
        CommandRun.of("import", late, mixed, csv, "--archive", folder.resolve("archive"));
    assertEquals("", run.err());
    CommandRun other =
        CommandRun.of("import", csv, mixed, late, "--archive", folder.resolve("other"));
    assertEquals("", other.err());
    String rows = arrivals(folder.resolve("archive"));
    assertEquals(rows, arrivals(folder.resolve("other")));
    for (String row : rows.lines().skip(1).toList()) {
      String[] times = row.split(",", -1);
      boolean isGiven = times[0].equals("2017-07-14T02:40:01Z");
      assertEquals(isGiven ? "2017-07-14T02:40:02Z" : times[0], times[1], rows);
    }
    assertEquals(8, rows.lines().count(), rows);
  }

  @Test
  void aLineFarAheadOfThoseAroundItIsWarnedOfAndMovesNoOther() throws Exception {
    StringBuilder lines = new StringBuilder("end_time,bytes\n");
    for (int i = 0; i < 10; i++) {
      lines.append(i == 5 ? 4_070_908_800L : 1_700_000_000 + i).append(",1\n");
    }
    Path csv = Files.writeString(folder.resolve("flows.csv"), lines);
    Path archive = folder.resolve("archive");
    CommandRun run = CommandRun.of("import", csv, "--archive", archive);
    assertEquals(
        List.of(
            "warning: "
                + csv
                + ": the times of 1 flows are more than a day off those around them: they"
                + " arrive with these"),
        run.err().lines().toList());
    run =
        CommandRun.of(
            "query",
            "SELECT COUNT(*) AS flows, MAX(arrival) AS last FROM flows",
            "--archive",
            archive,
            "--format",
            "csv");
    assertTrue(run.out().contains("10,2023-11-14T22:13:29"), run.out());
  }

  /** The heap holds the rows of a file before sealing, but not the memory for sealing them. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void aFileThatFillsTheHeapIsNotImportedAndTheOthersAre(String threads) throws Exception {
    Path first = Files.writeString(folder.resolve("first.csv"), "end_time,bytes\n1,7\n");
    Path last = Files.writeString(folder.resolve("last.csv"), "end_time,bytes\n2,8\n");
    Path large = folder.resolve("large.csv");
    try (BufferedWriter out = Files.newBufferedWriter(large)) {
      out.write("end_time,src_addr,bytes\n");
      for (int i = 0; i < 1_100_000; i++) {
        out.write(i + ",10." + (i >> 16) + "." + (i >> 8 & 0xFF) + "." + (i & 0xFF) + ",1\n");
      }
    }
    Path archive = folder.resolve("archive");
    Path said = folder.resolve("said");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx80m");
    for (String opened : List.of("java.lang", "java.nio", "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Flowmon.class.getName(), "import", "--threads", threads));
    command.addAll(List.of("--archive", archive.toString()));
    command.addAll(List.of(first.toString(), large.toString(), last.toString()));
    int code =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start()
            .waitFor();
    String lines = Files.readString(said);
    assertEquals(ExitCodes.FAILED, code, lines);
    assertTrue(lines.contains(first + ": csv, 1 flows"), lines);
    assertTrue(
        lines.contains(large + ": not imported: it needs more memory than the heap of 80 MiB has"),
        lines);
    assertTrue(lines.contains(last + ": csv, 1 flows"), lines);
    assertTrue(lines.contains("2 of 3 files, 2 flows imported"), lines);
    assertFalse(lines.contains("defect"), lines);
    // If the heap is too full to remove it, what was being written keeps its temporary name.
    try (Stream<Path> kept = Files.list(archive.resolve("segments"))) {
      List<Path> files = kept.filter(path -> !path.toString().endsWith(".tmp")).toList();
      assertEquals(4, files.size(), () -> "segments and sidecars of two files: " + files);
    }
    CommandRun verified = CommandRun.of("verify", "--archive", archive);
    assertEquals(ExitCodes.DONE, verified.code(), verified.toString());
    CommandRun again = CommandRun.of("import", large, "--archive", archive);
    assertEquals(ExitCodes.DONE, again.code(), again.toString());
  }

  @Test
  void aCsvFileWhoseFirstColumnIsCalledAsParquetFilesBeginIsRead() throws Exception {
    Path csv =
        Files.writeString(
            folder.resolve("par.csv"), "PAR1,end_time,src_addr\n7,1600000000,192.0.2.1\n");
    CommandRun run =
        CommandRun.of("import", csv, "--map", "PAR1=bytes", "--archive", folder.resolve("archive"));
    assertEquals(ExitCodes.DONE, run.code(), run.toString());
    assertTrue(run.out().contains(csv + ": csv, 1 flows"), run.toString());
    Path cut = Files.writeString(folder.resolve("cut.parquet"), "PAR1 and no more of it");
    run = CommandRun.of("import", cut, "--archive", folder.resolve("archive"));
    assertEquals(ExitCodes.FAILED, run.code(), run.toString());
    assertTrue(run.err().contains("cut.parquet: not imported: it begins with PAR1"), run.err());
    assertTrue(run.err().contains("with the bytes 66 20 69 74"), run.err());
  }
}
