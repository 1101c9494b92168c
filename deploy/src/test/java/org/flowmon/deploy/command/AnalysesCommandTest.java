package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.deploy.Flowmon;
import org.flowmon.deploy.embedded.EmbeddedKafka;
import org.flowmon.jobs.config.AnalysisConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnalysesCommandTest {
  @TempDir private Path folder;

  /** What a command gave. */
  private record Ran(int code, String out) {}

  private static Ran run(String... args) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      int code = Flowmon.commandLine().execute(args);
      return new Ran(code, out.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }

  @Test
  void theFilesThatComeAlongAreShownAndRight() throws Exception {
    Ran list = run("analyses", "list");
    assertEquals(0, list.code());
    List<String> names =
        Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
            .map(AnalysisConfig::name)
            .toList();
    assertTrue(names.containsAll(List.of("elephants", "portscans", "beacons")), names.toString());
    for (String name : names) {
      assertTrue(list.out().contains("\n" + name + " "), list.out());
      Ran shown = run("analyses", "show", name);
      assertEquals(0, shown.code());
      Files.writeString(folder.resolve(name + ".yaml"), shown.out());
    }
    Ran checked = run("analyses", "check", folder.toString());
    assertEquals(0, checked.code(), checked.out());
    assertEquals(names.size(), checked.out().lines().count(), checked.out());
    Ran ofFolder = run("analyses", "list", folder.toString());
    assertEquals(1 + names.size(), ofFolder.out().lines().count(), ofFolder.out());
    assertTrue(ofFolder.out().contains("dispersion           10m      1m"), ofFolder.out());
  }

  @Test
  void everyWrongFileIsSaidWithItsPlace() throws Exception {
    String right = run("analyses", "show", "elephants").out();
    Files.writeString(folder.resolve("a.yaml"), right);
    Files.writeString(folder.resolve("b.yaml"), right);
    Files.writeString(folder.resolve("c.yaml"), right.replace("SUM(bytes)", "SUM(byte)"));
    Files.writeString(folder.resolve("d.yaml"), right.replace("factor: 3", "factr: 3"));
    Ran ran = run("analyses", "check", folder.toString());
    assertEquals(1, ran.code());
    String[] lines = ran.out().split("\n", -1);
    assertTrue(lines[0].endsWith("a.yaml: elephants is right"), lines[0]);
    assertTrue(lines[1].contains("b.yaml: name: 'elephants' is already defined in"), lines[1]);
    assertTrue(ran.out().contains("c.yaml"), ran.out());
    assertTrue(ran.out().contains("'byte'"), ran.out());
    assertTrue(
        ran.out().contains("d.yaml:30: report.parameters.factr: is not a parameter of logic"),
        ran.out());
  }

  @Test
  void whatIsNotThereIsSaid() {
    assertEquals(2, run("analyses").code());
    assertEquals(2, run("analyses", "show", "nothing").code());
    assertEquals(3, run("analyses", "check", folder.toString()).code());
    assertEquals(3, run("analyses", "list", folder.resolve("nowhere").toString()).code());
  }

  @Test
  void changesAreSentCheckedAndListed() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      Path config = folder.resolve("flowmon.yaml");
      Files.writeString(
          config,
          "kafka: {bootstrap: '%s', analyses_topic: mine}%njob: {role: analyses}%n"
              .formatted(kafka.bootstrapServers()));
      Path mice = folder.resolve("mice.yaml");
      Files.writeString(mice, run("analyses", "show", "mice").out());
      Ran added =
          run("analyses", "add", "--wait", "100ms", "--config", config.toString(), mice.toString());
      assertEquals(0, added.code(), added.out());
      assertEquals(
          "mice (change 1 of topic mine) is sent; no job has answered: one that starts will take"
              + " it\n",
          added.out());
      Path wrong = folder.resolve("wrong.yaml");
      Files.writeString(wrong, Files.readString(mice).replace("limit: 100", "limt: 100"));
      assertEquals(
          3, run("analyses", "add", "--config", config.toString(), wrong.toString()).code());
      Ran removed =
          run(
              "analyses",
              "remove",
              "--wait",
              "0s",
              "--topic",
              "mine",
              "--kafka",
              kafka.bootstrapServers(),
              "elephants");
      assertEquals("elephants (change 2 of topic mine) is sent\n", removed.out());
      Ran list = run("analyses", "list", "--config", config.toString());
      assertEquals(2, list.out().lines().count(), list.out());
      assertTrue(list.out().matches("(?s).*\nmice .* added .*"), list.out());
    }
    assertEquals(2, run("analyses", "add", "some.yaml").code());
  }
}
