package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of docs/tools.md. */
final class ToolsPageTest {
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
  private static final String LINE =
      "{\"ts\":%d.5,\"id.orig_h\":\"192.0.2.1\",\"id.orig_p\":1,\"id.resp_h\":\"192.0.2.2\","
          + "\"id.resp_p\":53,\"proto\":\"udp\",\"duration\":1.5,\"orig_ip_bytes\":%d}\n";

  @TempDir Path folder;

  /** The page's commands. A command continues after a backslash and within an open quote. */
  private static List<String> examples() throws Exception {
    List<String> examples = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    for (String line : Files.readAllLines(Path.of("..", "docs", "tools.md"))) {
      if (command.length() == 0 && !line.startsWith("./flowmon ")) {
        continue;
      }
      boolean goesOn = line.endsWith("\\");
      command.append(goesOn ? line.substring(0, line.length() - 1) : line).append(' ');
      if (!goesOn && command.chars().filter(c -> c == '"').count() % 2 == 0) {
        examples.add(command.toString().strip());
        command.setLength(0);
      }
    }
    assertEquals("", command.toString(), "a command that does not end");
    return examples;
  }

  @Test
  void everyExampleThatNeedsNoServerWorks() throws Exception {
    Path archive = folder.resolve("archive");
    Files.writeString(
        folder.resolve("flows.csv"),
        "end_time,src_addr,dst_addr,dst_port,protocol,bytes\n"
            + "2026-11-01T00:00:01Z,10.0.0.1,10.0.0.2,443,6,100\n"
            + "2026-11-01T00:11:01Z,10.0.0.1,10.0.0.2,443,6,200\n");
    Files.writeString(folder.resolve("other.csv"), "client,server,when,note\n::1,::2,1000,x\n");
    Files.writeString(folder.resolve("conn.log.gz"), LINE.formatted(1_700_000_000, 5));
    Files.writeString(folder.resolve("export.pcap"), LINE.formatted(1_700_000_001, 6));
    Files.writeString(
        folder.resolve("queries.sql"),
        "SELECT COUNT(*) AS n FROM flows;\nSELECT uid FROM flows;\n");
    int run = 0;
    for (String example : examples()) {
      if (example.contains("//HOST")) {
        continue;
      }
      List<String> words = new ArrayList<>();
      Matcher matcher = WORD.matcher(example.substring("./flowmon ".length()));
      while (matcher.find()) {
        String word = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        words.add(matcher.group(1) != null ? word : place(word, archive));
      }
      if (words.get(0).equals("exact")) {
        report(archive);
      }
      CommandRun said = run(words);
      assertEquals(0, said.code(), example + "\n" + said);
      if (example.contains("report slots")) {
        assertTrue(said.out().contains("2026-11-01T00:10:00Z"), said.out());
      }
      run++;
    }
    assertTrue(run >= 12, run + " examples");
  }

  /** With the file behind {@code <} on standard input, or nothing. */
  private CommandRun run(List<String> words) throws Exception {
    int from = words.indexOf("<");
    InputStream before = System.in;
    try (InputStream in =
        from < 0
            ? InputStream.nullInputStream()
            : Files.newInputStream(folder.resolve(words.get(from + 1)))) {
      System.setIn(in);
      return CommandRun.of(words.subList(0, from < 0 ? words.size() : from).toArray());
    } finally {
      System.setIn(before);
    }
  }

  /** Replays an analysis with an approximate column over the archive into {@code report.json}. */
  private void report(Path archive) throws Exception {
    Path analysis = folder.resolve("sizes.yaml");
    Files.writeString(
        analysis,
        """
        name: sizes
        live:
          query: SELECT src_addr, MEDIAN(QUANTILES(bytes)) AS size FROM flows GROUP BY src_addr
          window: 10m
        report: {logic: live}
        """);
    CommandRun replay =
        CommandRun.of(
            "replay",
            "--archive",
            archive,
            "--analysis",
            analysis,
            "--format",
            "json",
            "--from",
            "2026-11-01T00:00:00Z",
            "--to",
            "2026-11-01T00:20:00Z");
    assertEquals(0, replay.code(), replay.err());
    Files.writeString(folder.resolve("report.json"), replay.out());
  }

  private String place(String word, Path archive) throws Exception {
    if (word.startsWith("DIR")) {
      String rest = word.substring(3);
      if (rest.contains("ID")) {
        try (Stream<Path> files = Files.list(archive.resolve("segments"))) {
          return files
              .filter(file -> file.toString().endsWith(".parquet"))
              .findFirst()
              .orElseThrow()
              .toString();
        }
      }
      return archive + rest;
    }
    if (word.startsWith("jdbc:sqlite:")) {
      return "jdbc:sqlite:" + folder.resolve(word.substring("jdbc:sqlite:".length()));
    }
    return word.matches("[a-z]+\\.(csv|csv\\.gz|log\\.gz|pcap|parquet|json)|conn\\.log\\.gz")
        ? folder.resolve(word).toString()
        : word;
  }
}
