package org.flowmon.jobs.enrich;

import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.flowmon.flow.IpPrefix;
import org.flowmon.jobs.config.YamlFile;
import org.flowmon.jobs.config.YamlSection;

/**
 * The networks of one's own and the files that are joined, {@code enrichment} in a job's
 * configuration or in a file of its own:
 *
 * <pre>
 * enrichment:
 *   inside: [10.0.0.0/8, 2001:db8::/32]       # the networks of one's own
 *   country: /var/lib/GeoIP/GeoLite2-Country.mmdb
 *   city: /var/lib/GeoIP/GeoLite2-City.mmdb
 *   as: /var/lib/GeoIP/GeoLite2-ASN.mmdb
 *   networks: /etc/flowmon/networks.csv       # network,name
 *   exporters: /etc/flowmon/exporters.csv     # exporter,name
 *   interfaces: /etc/flowmon/interfaces.csv   # exporter,index,name,description
 *   classes: /etc/flowmon/classes.yaml        # rules over these names
 *   ports: /etc/flowmon/ports.csv             # protocol,port,name
 *   traffic: /etc/flowmon/traffic.yaml        # rules for directions and duplicates
 *   reload: 10s                               # how often files are looked at for changes
 * </pre>
 *
 * @param inside networks such as 192.0.2.0/24; empty if they are not configured
 * @param files those that are configured, all may be missing
 */
public record EnrichmentConfig(List<String> inside, Map<Source, String> files, Duration reload)
    implements Serializable {
  public static final EnrichmentConfig NONE =
      new EnrichmentConfig(Map.of(), Duration.ofSeconds(10));

  private static final String INSIDE = "inside";

  /** A file by its key. */
  public enum Source {
    COUNTRY,
    CITY,
    AS,
    NETWORKS,
    EXPORTERS,
    INTERFACES,
    CLASSES,
    PORTS,
    TRAFFIC;

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public EnrichmentConfig {
    inside = List.copyOf(inside);
    files = Map.copyOf(files);
  }

  public EnrichmentConfig(Map<Source, String> files, Duration reload) {
    this(List.of(), files, reload);
  }

  /** Of the keys below {@code enrichment}. */
  public static EnrichmentConfig of(YamlSection section) {
    List<String> inside = section.words(INSIDE);
    for (String network : inside) {
      try {
        var unused = IpPrefix.parse(network);
      } catch (IllegalArgumentException e) {
        throw section.error(
            INSIDE, "expected a network such as 192.0.2.0/24, found '" + network + "'");
      }
    }
    Map<Source, String> files = new EnumMap<>(Source.class);
    for (Source source : Source.values()) {
      String file = section.textOrNull(source.key(), "a file");
      if (file != null) {
        files.put(source, file);
      }
    }
    Duration reload = section.duration("reload", NONE.reload);
    if (reload.toMillis() < 10) {
      throw section.error("reload", "expected at least 10ms");
    }
    section.end();
    return new EnrichmentConfig(inside, files, reload);
  }

  /**
   * Reads {@code enrichment} of a file, a job's configuration for example: its other keys are not
   * looked at.
   */
  public static EnrichmentConfig read(Path file) {
    return of(YamlFile.read(file).section("enrichment"));
  }

  public boolean isEmpty() {
    return files.isEmpty();
  }
}
