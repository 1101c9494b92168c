package org.flowmon.bench.detection;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.Flowmon;
import org.flowmon.it.CommandRun;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The campus as an archive, with its labels and a file of names of networks. */
record CampusFlows(
    Path archive, Path labels, Path networks, Instant start, Instant end, int hosts) {
  private static final String SCENARIO = "campus";

  /** Generates them in the folder, unless they are there. */
  static CampusFlows of(Run run, Path folder) throws IOException {
    Map<String, Object> scenario = map(load(flowmon("generate", "--show", SCENARIO)));
    double share = run.decimal("share");
    if (share < 1) {
      scale(scenario, share);
    }
    if (run.integer("noise") > 0) {
      add(scenario, run.parameter("noise"), run.integer("noise"));
    }
    scenario.put("seed", run.number("seed"));
    lengthen(scenario, run.integer("quiet"));
    Instant start = Instant.parse(String.valueOf(scenario.get("start")));
    long days = quantity(scenario, "duration", "d");
    int hosts = (int) Math.round(share * number(map(scenario.get("network")), "inside_hosts"));
    CampusFlows flows =
        new CampusFlows(
            folder.resolve("archive"),
            folder.resolve("labels.csv"),
            folder.resolve("networks.csv"),
            start,
            start.plus(Duration.ofDays(days)),
            hosts);
    StringBuilder networks = new StringBuilder("network,name\n");
    run.parameter("networks")
        .properties()
        .forEach(
            one -> networks.append("%s,%s%n".formatted(one.getKey(), one.getValue().asText())));
    Files.writeString(flows.networks, networks);
    if (!Files.exists(flows.labels)) {
      int past = run.parameter("past").path("days").asInt();
      Map<String, Object> before = new LinkedHashMap<>(scenario);
      before.put("start", start.minus(Duration.ofDays(past)).toString());
      before.put("duration", past + "d");
      before.put("attacks", List.of());
      before.put(
          "behaviours", List.of(map(load(run.parameter("past").path("behaviour").toString()))));
      flows.generate(run, folder.resolve("past.yaml"), before, folder.resolve("none.csv"));
      flows.generate(run, folder.resolve("campus.yaml"), scenario, flows.labels);
    }
    return flows;
  }

  private void generate(Run run, Path file, Map<String, Object> scenario, Path truth)
      throws IOException {
    Files.writeString(file, new Dump(DumpSettings.builder().build()).dumpToString(scenario));
    long begun = System.nanoTime();
    flowmon(
        "generate", file.toString(), "--to", "archive:" + archive, "--labels", truth.toString());
    run.progress("generated %s in %.0f s", file.getFileName(), (System.nanoTime() - begun) / 1e9);
  }

  private static String flowmon(String... arguments) {
    CommandRun ran = CommandRun.of(Flowmon.commandLine(), arguments);
    Run.require(ran.code() == 0, "flowmon %s: %s", String.join(" ", arguments), ran.err());
    return ran.out();
  }

  private static Object load(String text) {
    return new Load(LoadSettings.builder().build()).loadFromString(text);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object yaml) {
    return (Map<String, Object>) yaml;
  }

  private static long number(Map<String, Object> keys, String key) {
    return ((Number) keys.get(key)).longValue();
  }

  private static long quantity(Map<String, Object> keys, String key, String unit) {
    return Long.parseLong(String.valueOf(keys.get(key)).replace(unit, ""));
  }

  /** So many days more without attacks, before all others. */
  private static void lengthen(Map<String, Object> scenario, int days) {
    Instant start = Instant.parse(String.valueOf(scenario.get("start")));
    scenario.put("start", start.minus(Duration.ofDays(days)).toString());
    scenario.put("duration", quantity(scenario, "duration", "d") + days + "d");
    List<Object> attacks = new ArrayList<>();
    for (Object each : (List<?>) scenario.get("attacks")) {
      Map<String, Object> attack = new LinkedHashMap<>(map(each));
      attack.put("begin", quantity(attack, "begin", "h") + 24L * days + "h");
      attacks.add(attack);
    }
    scenario.put("attacks", attacks);
  }

  /** One attack more, of so many hosts. */
  private static void add(Map<String, Object> scenario, JsonNode attack, int hosts) {
    Map<String, Object> noise = new LinkedHashMap<>(map(load(attack.toString())));
    noise.put("from_hosts", hosts);
    List<Object> attacks = new ArrayList<>((List<?>) scenario.get("attacks"));
    attacks.add(noise);
    scenario.put("attacks", attacks);
  }

  /** Fewer hosts do the same; a host that speaks for many does so less often, or with fewer. */
  private static void scale(Map<String, Object> scenario, double share) {
    List<Object> behaviours = new ArrayList<>();
    for (Object each : (List<?>) scenario.get("behaviours")) {
      Map<String, Object> behaviour = new LinkedHashMap<>(map(each));
      if (behaviour.get("from_hosts") instanceof Integer hosts && hosts > 2) {
        behaviour.put("from_hosts", Math.max(1, Math.round(hosts * share)));
      } else if (behaviour.get("flows") instanceof Integer flows && flows > 10) {
        behaviour.put("flows", Math.max(2, Math.round(flows * share)));
        behaviour.put("to_hosts", Math.max(2, Math.round(number(behaviour, "to_hosts") * share)));
      } else if (!"periodic".equals(behaviour.get("pace"))) {
        behaviour.put("every", Math.round(quantity(behaviour, "every", "s") / share) + "s");
      }
      behaviours.add(behaviour);
    }
    scenario.put("behaviours", behaviours);
  }
}
