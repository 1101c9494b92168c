package org.flowmon.jobs.config.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.Test;

/** A job's configuration prints none of its secrets. */
class ConfigSecretsTest {
  private static final String SECRET = "Xq7fProud";

  /** Has a secret in every possible place. */
  private static final String ALL =
      """
      kafka:
        bootstrap: localhost:9092
        properties:
          sasl.jaas.config: org.x.PlainLoginModule required username="u" password="SECRET";
          ssl.keystore.password: SECRET
          some.plugin.credential: SECRET
      archive:
        directory: s3://bucket/prefix
        store: {access_key: SECRET, secret_key_file: /etc/flowmon/s3}
      postgres:
        url: jdbc:postgresql://u:SECRET@localhost/flowmon?password=SECRET&user=u
        user: flowmon
      webhooks: {ops: {url: "https://chat.example.org/SECRET"}}
      site:
        name: berlin
        bootstrap: centre:9092
        properties: {ssl.key.password: SECRET}
      job: {role: all}
      """
          .replace("SECRET", SECRET);

  @Test
  void noPartOfAConfigurationPrintsASecret() throws Exception {
    List<Object> parts = new ArrayList<>();
    addParts(JobConfig.parse("job.yaml", ALL), parts);
    assertTrue(parts.size() >= 8, parts.size() + " parts");
    assertEquals(
        List.of(), parts.stream().filter(part -> part.toString().contains(SECRET)).toList());
  }

  /** Collects all records of flowmon within a record. */
  private static void addParts(Object part, List<Object> parts) throws Exception {
    if (part instanceof List<?> list) {
      for (Object item : list) {
        addParts(item, parts);
      }
    } else if (part instanceof Record) {
      parts.add(part);
      for (RecordComponent component : part.getClass().getRecordComponents()) {
        addParts(component.getAccessor().invoke(part), parts);
      }
    }
  }

  @Test
  void whatPropertiesAreSetIsPrintedWithoutTheirValues() {
    JobConfig config = JobConfig.parse("job.yaml", ALL);
    String kafka = config.kafka().toString();
    assertTrue(kafka.contains("localhost:9092"), kafka);
    assertTrue(kafka.contains("ssl.keystore.password"), kafka);
    String site = config.site().toString();
    assertTrue(site.contains("ssl.key.password"), site);
    assertEquals("jdbc:postgresql://localhost/flowmon", config.postgres().place());
  }

  @Test
  void noErrorInAConfigurationPrintsALineOfIt() {
    for (String broken :
        List.of(
            "\"SECRET",
            "*SECRET",
            "!SECRET x",
            "!!SECRET x",
            "!SECRET!x y",
            "&SECRET *x",
            "{a: SECRET",
            "@SECRET",
            "'a' SECRET",
            "[SECRET",
            "{SECRET: SECRET, SECRET: SECRET}",
            "%SECRET",
            "| SECRET",
            "\"\\SECRET\"",
            "x: SECRET: y")) {
      String text =
          "kafka:\n  bootstrap: b:1\n  properties:\n    ssl.key.password: " + broken + "\n";
      ConfigException e =
          assertThrows(
              ConfigException.class,
              () -> JobConfig.parse("job.yaml", text.replace("SECRET", SECRET)),
              broken);
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      assertFalse(trace.toString().contains(SECRET), broken + ": " + trace);
    }
  }
}
