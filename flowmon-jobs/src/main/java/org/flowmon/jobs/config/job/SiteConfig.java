package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.flowmon.jobs.config.YamlSection;

/**
 * The topic to which a site's job publishes the states of its analyses:
 *
 * <pre>
 * site:                              # absent: no states are published
 *   name: berlin                     # required
 *   topic: flowmon.states
 *   bootstrap: centre:9092           # absent: kafka.bootstrap
 *   properties: {}                   # of the client; absent with bootstrap: kafka.properties
 * </pre>
 */
public record SiteConfig(
    String name, String topic, String bootstrap, Map<String, String> properties)
    implements Serializable {
  public static final String TOPIC = "flowmon.states";

  public SiteConfig {
    properties = Map.copyOf(properties);
  }

  public Map<String, Object> clientProperties() {
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", bootstrap);
    return all;
  }

  /** Omits the properties' values, which may be secrets. */
  @Override
  public String toString() {
    return "site %s, topic %s at %s, properties %s"
        .formatted(name, topic, bootstrap, new TreeSet<>(properties.keySet()));
  }

  static SiteConfig of(YamlSection section, JobConfig.Kafka kafka) {
    String bootstrap = section.textOrNull("bootstrap", "host:port of a broker");
    Map<String, String> own = section.map("properties");
    SiteConfig site =
        new SiteConfig(
            section.name("name"),
            section.text("topic", "a topic", TOPIC),
            bootstrap == null ? kafka.bootstrap() : bootstrap,
            bootstrap == null && own.isEmpty() ? kafka.properties() : own);
    section.end();
    return site;
  }
}
