package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.flowmon.jobs.config.YamlSection;

/**
 * The sites whose states a job merges in place of flows:
 *
 * <pre>
 * merge:                             # absent: the job reads flows
 *   sites: [berlin, vienna, graz]    # required
 *   topic: flowmon.states
 *   timeout: 60s                     # a site that does not advance for this long is left out
 *   memory: 536870912                # bytes of incomplete windows, of all sites
 * </pre>
 */
public record MergeConfig(List<String> sites, String topic, Duration timeout, long memory)
    implements Serializable {
  public static final int MAX_SITES = 1000;

  /** The least of {@link #memory}: the most bytes of a window. */
  public static final long LEAST_MEMORY = 1L << 28;

  private static final long DEFAULT_MEMORY = 1L << 29;
  private static final long MOST_MEMORY = 1L << 40;

  public MergeConfig {
    sites = List.copyOf(sites);
  }

  static MergeConfig of(YamlSection section) {
    List<String> sites = section.words("sites");
    if (sites.isEmpty() || sites.size() > MAX_SITES) {
      throw section.error(
          "sites", "expected the names of 1 … " + MAX_SITES + " sites, found " + sites.size());
    }
    sites.forEach(name -> section.name("sites", name));
    if (new HashSet<>(sites).size() < sites.size()) {
      throw section.error("sites", "expected each name once, found " + sites);
    }
    MergeConfig merge =
        new MergeConfig(
            sites,
            section.text("topic", "a topic", SiteConfig.TOPIC),
            section.duration("timeout", Duration.ofMinutes(1)),
            section.number("memory", LEAST_MEMORY, MOST_MEMORY, DEFAULT_MEMORY));
    if (merge.timeout().toMillis() < 1) {
      throw section.error("timeout", "expected at least 1ms");
    }
    section.end();
    return merge;
  }
}
