package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line of a replay. */
class ReplayJobTest {
  @TempDir private Path directory;
  private String config;

  @BeforeEach
  void writeConfiguration() throws Exception {
    config = directory.resolve("flowmon.yaml").toString();
    Files.writeString(
        Path.of(config),
        "kafka: {bootstrap: b}\narchive: {directory: /a}\njob: {checkpoint_interval: 3s}\n");
  }

  private ReplayJob parse(String... more) {
    List<String> all = new ArrayList<>(List.of("--config", config));
    all.addAll(List.of(more));
    return ReplayJob.parse(all.toArray(new String[0]));
  }

  private void refuses(String expected, String... more) {
    ConfigException e = assertThrows(ConfigException.class, () -> parse(more));
    assertTrue(e.getMessage().contains(expected), e.getMessage());
  }

  @Test
  void anAnalysisOfTheConfigurationIsReplayedWithItsSettings() {
    ReplayJob job =
        parse(
            "--replay",
            "elephants",
            "--from",
            "2026-11-21T08:00:00Z",
            "--to",
            "2026-11-21T09:00:00.5Z");
    assertEquals("flowmon.replays.elephants", job.topic());
    assertEquals(1_795_248_000_000_000L, job.spec().from());
    assertEquals(1_795_251_600_500_000L, job.spec().to());
    assertEquals(6, job.spec().historyDelay().toSeconds());
    assertEquals("elephants", job.spec().analysis().name());
  }

  @Test
  void whatIsWrongIsSaid() {
    String[] right = {"--from", "2026-11-21T08:00:00Z", "--to", "2026-11-21T09:00:00Z"};
    refuses("--from is missing; expected --config FILE --replay", "--replay", "elephants");
    refuses("--replay is missing", right);
    refuses("there is no analysis 'mouse' among [elephants]", with(right, "--replay", "mouse"));
    refuses("found [", with(right, "--replay"));
    refuses("found [", with(right, "--replay", "elephants", "--verbose", "x"));
    refuses("--to is given twice", with(right, "--replay", "elephants", "--to", "x"));
    refuses(
        "--from: expected a time such as 2026-11-21T08:00:00Z, found 'noon'",
        "--replay",
        "elephants",
        "--from",
        "noon",
        "--to",
        "2026-11-21T09:00:00Z");
    refuses(
        "the first time is not before the second",
        "--replay",
        "elephants",
        "--from",
        "2026-11-21T09:00:00Z",
        "--to",
        "2026-11-21T09:00:00Z");
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(new String[0]);
  }
}
