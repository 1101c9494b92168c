package org.flowmon.jobs.sql;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.flowmon.archive.store.ArchiveLocation;

/** The options of the connector, and of the catalog. */
final class FlowmonOptions {
  static final String IDENTIFIER = "flowmon";

  static final ConfigOption<String> ARCHIVE =
      ConfigOptions.key("archive")
          .stringType()
          .noDefaultValue()
          .withDescription("The archive's folder or URL, which every TaskManager can read.");

  /** Before the keys of the store's settings, as {@code store.endpoint}. */
  static final String STORE = "store.";

  private FlowmonOptions() {}

  static ArchiveLocation location(String archive, Map<String, String> options) {
    Map<String, String> settings = new HashMap<>();
    options.forEach(
        (key, value) -> {
          if (key.startsWith(STORE)) {
            settings.put(key.substring(STORE.length()), value);
          }
        });
    try {
      return ArchiveLocation.parse(archive, settings);
    } catch (IllegalArgumentException e) {
      throw new ValidationException("option 'archive': " + e.getMessage(), e);
    }
  }
}
