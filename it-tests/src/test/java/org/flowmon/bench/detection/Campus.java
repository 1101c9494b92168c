package org.flowmon.bench.detection;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.replay.LocalReplay;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.flowmon.jobs.replay.ReplaySpec;

/** Each analysis over the last day of a campus, by replay, against what was planted there. */
public final class Campus implements Experiment {
  private static final long DAY = Duration.ofDays(1).toSeconds() * 1_000_000;
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Its state is nothing beside that of the others. */
  private static final String STATELESS = "icmp_tunnels";

  private Truth truth;
  private CampusFlows flows;

  @Override
  public void run(Run run) throws Exception {
    Path folder = run.path("dir").isPresent() ? run.path("dir").get() : run.folder();
    flows = CampusFlows.of(run, Files.createDirectories(folder));
    truth = Truth.read(flows.labels());
    Map<String, Expectation> expected = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> one : run.parameter("truth").properties()) {
      expected.put(one.getKey(), Expectation.of(one.getValue()));
    }
    if (run.has("analyses")) {
      List<String> only = run.texts("analyses");
      Run.require(expected.keySet().containsAll(only), "expected some of %s", expected.keySet());
      expected.keySet().retainAll(only);
    }
    double base = run.flag("memory") ? base(run) : 0;
    long most = 0;
    for (Map.Entry<String, Expectation> one : expected.entrySet()) {
      most = Math.max(most, measure(run, one.getKey(), one.getValue(), base));
    }
    run.word("hosts", String.format(Locale.ROOT, "%,d", flows.hosts()));
    run.word("flows", String.format(Locale.ROOT, "%,d", most));
    run.word("past", run.parameter("past").path("days").asInt() + 7 + " days");
  }

  private double base(Run run) throws Exception {
    Expectation nothing = new Expectation(List.of(), Map.of(), List.of(), List.of());
    Verdicts verdicts = new Verdicts(nothing, truth, false, 0);
    replay(run, STATELESS, verdicts);
    return Verdicts.heapMib();
  }

  private long measure(Run run, String name, Expectation expected, double base) throws Exception {
    Set<String> unknown = new TreeSet<>(expected.find());
    unknown.addAll(expected.explain());
    unknown.removeAll(truth.names());
    Run.require(unknown.isEmpty(), "the scenario has no attack %s", unknown);
    long attacked = FlowTime.micros(flows.end()) - DAY;
    Verdicts verdicts = new Verdicts(expected, truth, run.flag("memory"), attacked);
    long begun = System.nanoTime();
    replay(run, name, verdicts);
    double seconds = (System.nanoTime() - begun) / 1e9;
    Set<String> missed = new TreeSet<>(expected.find());
    missed.removeAll(verdicts.found());
    Set<String> beside = new TreeSet<>(verdicts.found());
    beside.removeAll(expected.find());
    Map<String, Integer> unexplained = verdicts.unexplained();
    run.add(
        new Row()
            .put("analysis", name)
            .put("planted", expected.find().size())
            .put("found", expected.find().size() - missed.size())
            .put(
                "missed", missed.isEmpty() ? "0" : missed.size() + ": " + String.join(", ", missed))
            .put("false", unexplained.size())
            .put("alarms", verdicts.alarms())
            .put("quiet", verdicts.quietAlarms())
            .put("also", String.join(", ", beside))
            .put("windows", verdicts.windows())
            .put("without_history", verdicts.unsure())
            .put("late", verdicts.late())
            .put("seconds", seconds));
    unexplained.forEach(
        (who, windows) ->
            run.add(1, new Row().put("analysis", name).put("named", who).put("windows", windows)));
    if (run.flag("memory")) {
      run.add(
          2,
          new Row()
              .put("analysis", name)
              .put("hosts", flows.hosts())
              .put("flows", verdicts.flows())
              .put("groups", verdicts.groups())
              .put("heap_mib", verdicts.heap() - base));
    }
    run.expect(missed.isEmpty(), "%s: missed %s", name, missed);
    run.expect(unexplained.isEmpty(), "%s: named %s", name, new ArrayList<>(unexplained.keySet()));
    return verdicts.flows();
  }

  /** The analysis's file, with as many groups as the run says. */
  private static String text(Run run, String name) {
    String text = AnalysisConfig.textOf(name);
    return run.has("groups")
        ? text.replaceFirst("(?m)^  groups:.*\\n", "")
            .replaceFirst("(?m)^  window:", "  groups: " + run.number("groups") + "\n  window:")
        : text;
  }

  /** The windows that end within the day. */
  private void replay(Run run, String name, Verdicts verdicts)
      throws IOException, InterruptedException {
    AnalysisConfig analysis = AnalysisConfig.parse(name + ".yaml", text(run, name));
    JobConfig job = JobConfig.parse("defaults", "kafka: {bootstrap: none}\njob: {role: analyses}");
    long end = FlowTime.micros(flows.end());
    long before = analysis.live().windowMicros() - analysis.live().slideMicros();
    ReplaySpec spec =
        new ReplaySpec(
            List.of(ArchiveLocation.parse(flows.archive().toString(), Map.of())),
            analysis,
            end - (1 + run.number("quiet")) * DAY - before,
            end,
            job.job().historyDelay(),
            job.job().disorderBound(),
            new EnrichmentConfig(
                Map.of(EnrichmentConfig.Source.NETWORKS, flows.networks().toString()),
                Duration.ofDays(1)));
    try (LocalReplay replay = new LocalReplay(spec, run.cores("parallelism"), verdicts)) {
      while (!replay.await(POLL)) {
        // It goes on.
      }
    }
  }
}
