package org.flowmon.fuzz;

import java.util.List;
import java.util.stream.Collectors;

/** All targets. */
final class FuzzTargets {
  private FuzzTargets() {}

  static List<FuzzTarget> all() {
    return List.of(
        new ExportsFuzz(),
        new PacketsFuzz(),
        new CollectorFilesFuzz(),
        new BatchFuzz(),
        new ArchiveFilesFuzz(),
        new ManifestFuzz(),
        new StatesFuzz(),
        new PartialGroupsFuzz(),
        new StatesTopicFuzz(),
        new CapturesFuzz(),
        new TextFilesFuzz(),
        new OtherProgramsFuzz(),
        new ParquetFuzz(),
        new QueriesFuzz(),
        new YamlFuzz(),
        new EnrichmentFuzz(),
        new ControlTopicsFuzz());
  }

  static FuzzTarget byName(String name) {
    return all().stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no fuzz target '"
                        + name
                        + "'; expected one of "
                        + all().stream().map(FuzzTarget::name).collect(Collectors.joining(", "))));
  }
}
