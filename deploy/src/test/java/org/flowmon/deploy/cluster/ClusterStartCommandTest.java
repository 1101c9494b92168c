package org.flowmon.deploy.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.command.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code flowmon cluster start} keeps, before any process starts. */
class ClusterStartCommandTest {
  @TempDir Path root;

  @Test
  void changesNothingWhileAnotherCommandIsBusy() throws IOException {
    Path place = root.resolve("cluster");
    Path jar = Files.createFile(root.resolve("job.jar"));
    try (var lock = ClusterFolder.make(place).lock()) {
      CommandRun run =
          CommandRun.of("cluster", "start", "--dir", place.toString(), "--job-jar", jar.toString());
      assertTrue(run.err().contains("is busy with " + place), run.toString());
    }
    assertFalse(Files.exists(place.resolve("cluster.properties")));
  }

  @Test
  void settingsOfTheFirstStartStay() throws IOException {
    ClusterFolder first = ClusterFolder.make(root.resolve("kept"));
    first.settle(Map.of("slots", "2", "port.flink", "1234"), Map.of("slots", "3"));
    ClusterFolder later = ClusterFolder.make(root.resolve("kept"));
    later.settle(Map.of("port.flink", "99", "port.zookeeper", "5678"), Map.of("slots", "3"));
    assertEquals("3", later.setting("slots"));
    assertEquals("127.0.0.1:1234", later.address("flink"));
    assertEquals("127.0.0.1:5678", ClusterFolder.open(root.resolve("kept")).address("zookeeper"));
    CommandException e =
        assertThrows(
            CommandException.class, () -> later.settle(Map.of(), Map.of("port.flink", "99")));
    assertTrue(
        String.valueOf(e.getMessage()).contains("was made with port.flink=1234, not 99"),
        e.getMessage());
  }
}
