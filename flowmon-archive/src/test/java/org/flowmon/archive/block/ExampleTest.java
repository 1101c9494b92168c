package org.flowmon.archive.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.query.Traffic;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/api.md} compiles, is short, and prints correct results. */
class ExampleTest {
  private static final Path EXAMPLE = Path.of("..", "docs", "examples", "Silence.java");

  @TempDir Path directory;

  @Test
  void longestSilences() throws Exception {
    Map<IpAddress, List<Long>> times = new TreeMap<>();
    List<String> archives = new ArrayList<>();
    for (int a = 0; a < 2; a++) {
      Path folder = directory.resolve("archive" + a);
      archives.add(folder.toString());
      try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS)) {
        Traffic traffic = new Traffic(20 + a, true, 0.1);
        for (double from : new double[] {0.5, 0.2, 0.4}) {
          List<FlowBatch> batches = traffic.batches(2000, from, from + 0.3);
          Traffic.commit(archive, batches);
          batches.forEach(batch -> add(batch, times));
        }
      }
    }
    assertEquals(expected(times), run(archives));
    List<String> lines = Files.readAllLines(EXAMPLE);
    assertTrue(lines.size() - lines.indexOf("public class Silence {") <= 40);
  }

  private static void add(FlowBatch batch, Map<IpAddress, List<Long>> times) {
    FlowBlock all = BlockReader.read(batch, java.util.Set.of(FlowColumn.SRC_ADDR), 0, batch.rows());
    for (int r = 0; r < all.rows(); r++) {
      if (!all.isNull(FlowColumn.SRC_ADDR, r)) {
        times
            .computeIfAbsent(all.address(FlowColumn.SRC_ADDR, r), s -> new ArrayList<>())
            .add(all.time(r));
      }
    }
  }

  private static String expected(Map<IpAddress, List<Long>> times) {
    Map<IpAddress, Long> silences = new TreeMap<>();
    times.forEach(
        (source, all) -> {
          List<Long> sorted = all.stream().sorted().toList();
          long longest = 0;
          for (int i = 1; i < sorted.size(); i++) {
            longest = Math.max(longest, sorted.get(i) - sorted.get(i - 1));
          }
          silences.put(source, longest);
        });
    return silences.entrySet().stream()
        .sorted((a, b) -> Long.compare(b.getValue(), a.getValue())) // stable: then by address
        .limit(10)
        .map(e -> e.getKey() + " " + Duration.ofMillis(e.getValue() / 1000))
        .collect(Collectors.joining("\n"));
  }

  private String run(List<String> archives) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Path classes = Files.createDirectories(directory.resolve("classes"));
    int code =
        compiler.run(
            null,
            null,
            null,
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            classes.toString(),
            EXAMPLE.toString());
    assertEquals(0, code);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass("Silence")
          .getMethod("main", String[].class)
          .invoke(null, (Object) archives.toArray(new String[0]));
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).strip().replace("\r", "");
  }
}
