package org.flowmon.jobs.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.MockOperatorCoordinatorContext;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.job.JobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job says of the analyses in the state of another build's savepoint. */
class RestoredAnalysesTest {
  @TempDir private Path directory;

  @Test
  void whatThisBuildCannotRunIsToldAsRefusedAndAFormerLogicGoesOn() throws Exception {
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      JobConfig config = config(kafka);
      new ControlTopic(config.kafka()).createIfMissing();
      for (int i = 0; i < 5; i++) {
        new ControlTopic(config.kafka()).send("mice", before("mice"));
      }
      AnalysisChange atStart = new AnalysisChange("wrong", 1, "name: wrong");
      AnalysesCoordinator coordinator =
          coordinator(config, Map.of(atStart, "it was wrong at the start"));
      String unreadable = before("mice").replace("name: mice", "name: other");
      coordinator.resetToCheckpoint(
          7,
          state(
              5,
              new AnalysisChange("elephants", 2, before("elephants")),
              new AnalysisChange("slow_scans", 3, before("slow_scans")),
              new AnalysisChange("unreadable", 4, unreadable),
              new AnalysisChange("gone", 5, null)));
      coordinator.start();
      try {
        ControlStatus.Said said = await(config, one -> one.running() != null);
        assertEquals(List.of("elephants"), names(said));
        assertEquals("query", said.running().analyses().get(0).logic());
        assertRefused(said, "wrong", 1, "it was wrong at the start");
        assertRefused(said, "slow_scans", 3, "logic portscans is a query now");
        assertRefused(said, "unreadable", 4, "expected 'unreadable', found 'other'");
        assertEquals(3, said.outcomes().size(), "no other has an answer: " + said.outcomes());

        // Another file of the name replaces it.
        long change =
            new ControlTopic(config.kafka())
                .send("slow_scans", TestAnalyses.text("slow_scans", "2s", "2s", "1s", 64, "", 10));
        said = await(config, one -> names(one).contains("slow_scans"));
        assertEquals(List.of("elephants", "slow_scans"), names(said));
        said = await(config, one -> one.outcomes().get("slow_scans").version() == change);
        assertFalse(said.outcomes().get("slow_scans").isRefused());
      } finally {
        coordinator.close();
      }
    }
  }

  private static List<String> names(ControlStatus.Said said) {
    List<String> names = new ArrayList<>();
    said.running().analyses().forEach(one -> names.add(one.name()));
    return names;
  }

  private static void assertRefused(
      ControlStatus.Said said, String name, long version, String why) {
    ControlStatus.Outcome outcome = said.outcomes().get(name);
    assertEquals(version, outcome.version(), name);
    assertTrue(outcome.isRefused(), name);
    assertTrue(outcome.message().contains(why), outcome.message());
  }

  private static ControlStatus.Said await(JobConfig config, Predicate<ControlStatus.Said> isSaid)
      throws InterruptedException {
    while (true) {
      ControlStatus.Said said = ControlStatus.read(config.kafka());
      if (isSaid.test(said)) {
        return said;
      }
      Thread.sleep(20); // bounded by the test's limit
    }
  }

  private static AnalysesCoordinator coordinator(
      JobConfig config, Map<AnalysisChange, String> refused) {
    return new AnalysesCoordinator(
        new AnalysesCoordinator.Settings(
            config.kafka(),
            new AnalysisSet(List.of()),
            0,
            config.job().budget(),
            RestoredAnalysesTest::refusal,
            refused),
        new MockOperatorCoordinatorContext(new OperatorID(), 1));
  }

  private static Optional<String> refusal(AnalysisChange change) {
    try {
      JobAnalyses.check(change.config() == null ? List.of() : List.of(change.config()));
      return Optional.empty();
    } catch (ConfigException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** The layout that {@link AnalysesCoordinator#checkpointCoordinator} documents. */
  private static byte[] state(long position, AnalysisChange... changes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(1);
    out.writeLong(position);
    out.writeInt(changes.length);
    for (AnalysisChange change : changes) {
      out.writeUTF(change.name());
      out.writeLong(change.version());
      if (change.text() == null) {
        out.writeInt(-1);
      } else {
        byte[] text = change.text().getBytes(StandardCharsets.UTF_8);
        out.writeInt(text.length);
        out.write(text);
      }
    }
    return bytes.toByteArray();
  }

  /** A file that came with commit be42ca52. */
  private static String before(String name) {
    return YamlFile.resourceText("/analyses-before/" + name + ".yaml");
  }

  private static JobConfig config(TestKafka kafka) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: flows, analyses_topic: analyses}
        job: {role: analyses}
        """
            .formatted(kafka.bootstrap()));
  }
}
