package org.flowmon.jobs.config.job;

import java.io.Serializable;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.analysis.AlertConfig;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.config.YamlSection;
import org.jspecify.annotations.Nullable;

/**
 * A webhook that alerts are posted to, an item of {@code webhooks} in the job's configuration:
 *
 * <pre>
 * webhooks:
 *   ops:
 *     url: https://alerts.example.org/flowmon
 *     header_file: /etc/flowmon/ops.headers   # lines NAME: VALUE, readable by each TaskManager
 *     timeout: 10s
 *     give_up: 10m
 *     queue: 1000
 * </pre>
 *
 * <p>The URL may be a secret, as that of a chat is: only the name is shown.
 *
 * @param headerFile headers of each request, a line each; null: none
 * @param timeout of one request, to the end of the answer
 * @param giveUp an alert that could not be delivered for this long is dropped
 * @param queue the most waiting alerts; above that the oldest are dropped
 */
public record WebhookConfig(
    String name, URI url, @Nullable String headerFile, Duration timeout, Duration giveUp, int queue)
    implements Serializable {
  static List<WebhookConfig> listOf(YamlSection root) {
    YamlSection section = root.sectionOrNull("webhooks");
    List<WebhookConfig> webhooks = new ArrayList<>();
    if (section != null) {
      for (String name : section.keys()) {
        if (!Names.isName(name) || name.equals(AlertConfig.KAFKA)) {
          throw section.error(
              name, "expected a name of " + Names.RULE + ", and not " + AlertConfig.KAFKA);
        }
        webhooks.add(of(name, section.section(name)));
      }
      section.end();
    }
    return List.copyOf(webhooks);
  }

  private static WebhookConfig of(String name, YamlSection section) {
    WebhookConfig webhook =
        new WebhookConfig(
            name,
            url(section),
            section.textOrNull("header_file", "a file"),
            section.duration("timeout", Duration.ofSeconds(10)),
            section.duration("give_up", Duration.ofMinutes(10)),
            section.integer("queue", 1, 100_000, 1000));
    section.end();
    if (webhook.timeout().toMillis() < 1) {
      throw section.error("timeout", "expected at least 1ms");
    }
    return webhook;
  }

  /** Reads the URL; errors do not quote it. */
  private static URI url(YamlSection section) {
    String text = section.text("url", "a URL that begins with https:// or http://");
    try {
      URI url = new URI(text);
      boolean http = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      if (http && url.getHost() != null && url.getUserInfo() == null && url.getFragment() == null) {
        return url;
      }
    } catch (java.net.URISyntaxException e) {
      // reported below, with the expected value
    }
    throw section.error(
        "url",
        "expected a URL that begins with https:// or http://, names a host, and has neither a"
            + " user (use header_file) nor a fragment");
  }

  /** Omits the URL. */
  @Override
  public String toString() {
    return "webhook " + name;
  }
}
