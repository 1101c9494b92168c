package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LogFileTest {
  @TempDir Path root;

  /** A process that logs a number of warnings and waits for its input to end. */
  static final class Collector {
    private Collector() {}

    public static void main(String[] args) throws IOException {
      LogFile.begin("collect", args[0]);
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        LoggerFactory.getLogger("org.flowmon.Collector").warn("of {}: line {}", args[2], i);
      }
      System.out.println("ready");
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static Process start(Path folder, int lines, String name) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-Dflowmon.log.size=2KB",
                "-cp",
                System.getProperty("java.class.path"),
                Collector.class.getName(),
                folder.toString(),
                Integer.toString(lines),
                name)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out = process.inputReader();
    assertEquals("ready", out.readLine());
    return process;
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".log"))
          .sorted()
          .toList();
    }
  }

  private static void end(Process process) throws Exception {
    process.getOutputStream().close();
    assertEquals(0, process.waitFor());
  }

  @Test
  void eachProcessHasAFileOfItsOwnThatIsRotated() throws Exception {
    Path folder = root.resolve("a folder/logs");
    Process one = start(folder, 1000, "one");
    Process two = start(folder, 3, "two");
    try {
      assertEquals(
          List.of(
              "collect-2.log",
              "collect.1.log",
              "collect.2.log",
              "collect.3.log",
              "collect.4.log",
              "collect.5.log",
              "collect.log"),
          names(folder));
      List<String> second = Files.readAllLines(folder.resolve("collect-2.log"));
      assertEquals(3, second.size(), second.toString());
      assertTrue(
          second.get(2).matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z WARN  Collector - of two: line 2"),
          second.get(2));
      String last = Files.readString(folder.resolve("collect.log"));
      assertTrue(last.isEmpty() || last.contains("line 999"), last);
      for (String name : names(folder)) {
        assertTrue(Files.size(folder.resolve(name)) < 3000, name);
      }
    } finally {
      end(one);
      end(two);
    }
    end(start(folder, 1, "third"));
    assertTrue(Files.readString(folder.resolve("collect.log")).contains("of third: line 0"));
  }

  @Test
  void aFolderThatCannotBeWrittenIsSaid() throws IOException {
    Path file = Files.writeString(root.resolve("file"), "");
    CommandException e =
        assertThrows(CommandException.class, () -> LogFile.begin("serve", file.toString()));
    assertTrue(e.getMessage().startsWith("FLOWMON_LOG_DIR=" + file), e.getMessage());
  }

  @Test
  void shortCommandsAndNoFolderMakeNoFile() throws IOException {
    LogFile.begin("query", root.resolve("none").toString());
    LogFile.begin("serve", "");
    LogFile.begin("serve", null);
    assertTrue(Files.notExists(root.resolve("none")));
  }
}
