package org.flowmon.bench.systems;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.systems.Combination.Factor;
import org.flowmon.deploy.command.UsageException;

/** The compared systems. */
enum StudySystem {
  FLOWMON,
  POSTGRES,
  MARIADB,
  SQLITE,
  NFDUMP,
  FLOW_TOOLS;

  static StudySystem of(String label) {
    return Arrays.stream(values())
        .filter(system -> system.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "--systems: no system "
                        + label
                        + "; there are "
                        + Arrays.stream(values()).map(StudySystem::label).toList()));
  }

  /** The name in options and tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Set<Factor> factors() {
    return switch (this) {
      case FLOWMON -> Set.of(Factor.TRANSACTIONS);
      case POSTGRES, MARIADB, SQLITE -> EnumSet.allOf(Factor.class);
      case NFDUMP, FLOW_TOOLS -> Set.of();
    };
  }

  /** Why it cannot be measured here; empty if it can. */
  String missing() {
    return switch (this) {
      case FLOWMON, POSTGRES, SQLITE -> "";
      case MARIADB -> MariaDbServer.missing();
      case NFDUMP -> Programs.missing("nfcapd", "nfdump");
      case FLOW_TOOLS ->
          Programs.missing(
              "flow-capture", "flow-cat", "flow-export", "flow-nfilter", "flow-report");
    };
  }

  /** Starts the system with its data in a new folder. */
  FlowStore open(Run run, Path folder) throws Exception {
    return switch (this) {
      case FLOWMON -> new FlowmonStore(run.textsOf("flowmon"), folder);
      case NFDUMP -> new NfdumpStore(folder);
      case FLOW_TOOLS -> new FlowToolsStore(folder);
      case POSTGRES, MARIADB, SQLITE ->
          new SqlStore(
              run.parameters("databases", Database.class).stream()
                  .filter(database -> database.name().equals(label()))
                  .findFirst()
                  .orElseThrow(),
              indexes(run),
              run.textsOf("queries"),
              folder);
    };
  }

  /** The columns of each index, by group. */
  static Map<String, List<String>> indexes(Run run) {
    Map<String, List<String>> indexes = new LinkedHashMap<>();
    run.parameter("indexes")
        .properties()
        .forEach(
            group -> {
              List<String> columns = new ArrayList<>();
              group.getValue().forEach(one -> columns.add(one.asText()));
              indexes.put(group.getKey(), columns);
            });
    return indexes;
  }
}
