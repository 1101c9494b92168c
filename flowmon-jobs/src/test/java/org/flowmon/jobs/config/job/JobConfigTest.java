package org.flowmon.jobs.config.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.jobs.analysis.AnalysesBudget;
import org.flowmon.jobs.config.ConfigException;
import org.junit.jupiter.api.Test;

class JobConfigTest {
  @Test
  void whatIsLeftOutHasItsDefault() {
    JobConfig config =
        JobConfig.parse("f.yaml", "kafka: {bootstrap: 'b:9092'}\narchive: {directory: /a}\n");
    assertEquals("flows", config.kafka().topic());
    assertEquals("flowmon", config.kafka().group());
    assertEquals(StartingOffsets.EARLIEST, config.kafka().startingOffsets());
    assertEquals(Role.ALL, config.job().role());
    assertEquals(Duration.ofSeconds(10), config.job().checkpointInterval());
    assertEquals(Duration.ofSeconds(1), config.job().disorderBound());
    assertEquals(128, config.job().maxParallelism());
    assertFalse(config.job().bounded());
    assertNull(config.postgres());
    assertNull(config.segments());
    assertNull(config.retention());
  }

  @Test
  void limitsOfThePastAreTakenWithASlackThatIsWorthItsWhile() {
    String begin = "kafka: {bootstrap: b}\narchive: {directory: /a, compact_rows: 1000000, ";
    JobConfig config =
        JobConfig.parse("f.yaml", begin + "retention: {rows: 25000000000, age: 90d}}\n");
    assertEquals(
        new RetentionConfig(25_000_000_000L, 2_500_000_000L, Duration.ofDays(90), 0),
        config.retention());
    config = JobConfig.parse("f.yaml", begin + "retention: {rows: 1000, bytes: 5}}\n");
    assertEquals(new RetentionConfig(1000, 125, Duration.ZERO, 5), config.retention());
    assertEquals(new RetentionOptions(1000, 125, 0, 5), config.retention().options());
    config = JobConfig.parse("f.yaml", begin + "retention: {}}\n");
    assertEquals(RetentionOptions.NONE, config.retention().options());
    refuses(
        begin + "retention: {rows: 100000000, slack: 1000}}\n",
        "archive.retention.slack: a slack of 1000 flows, expected at least 187500");
    refuses(begin + "retention: {slack: 1000}}\n", "no rows are given");
    refuses(begin + "retention: {rows: many}}\n", "expected a whole number from 0 on");
  }

  @Test
  void sitesPublishAndAreMerged() {
    String begin = "kafka: {bootstrap: b, properties: {a: c}}\n";
    JobConfig config =
        JobConfig.parse("f.yaml", begin + "site: {name: berlin}\njob: {role: analyses}\n");
    assertEquals(new SiteConfig("berlin", "flowmon.states", "b", Map.of("a", "c")), config.site());
    assertNull(config.merge());
    config =
        JobConfig.parse(
            "f.yaml",
            begin
                + "site: {name: all, topic: t, bootstrap: d, properties: {e: f}}\n"
                + "merge: {sites: [berlin, graz], topic: s, timeout: 5s}\n"
                + "job: {role: analyses}\n");
    assertEquals(new SiteConfig("all", "t", "d", Map.of("e", "f")), config.site());
    assertEquals(Map.of("bootstrap.servers", "d", "e", "f"), config.site().clientProperties());
    assertEquals(
        new MergeConfig(List.of("berlin", "graz"), "s", Duration.ofSeconds(5), 1L << 29),
        config.merge());
    String role = "job: {role: analyses}\n";
    refuses(
        begin + role + "postgres: {url: 'jdbc:postgresql://h/d', user: u, retention: 59m}\n",
        "postgres.retention: expected at least 1h");
    refuses(begin + role + "site: {}\n", "site.name: is missing");
    refuses(begin + role + "site: {name: New York}\n", "expected lower-case letters");
    refuses(begin + role + "merge: {sites: []}\n", "expected the names of 1");
    refuses(begin + role + "merge: {sites: [a, a]}\n", "expected each name once");
    refuses(begin + role + "merge: {sites: [A]}\n", "expected lower-case letters");
    refuses(begin + role + "merge: {sites: [a], timeout: 0s}\n", "expected at least 1ms");
    refuses(begin + role + "merge: {sites: [a]}\nsite: {name: a}\n", "site: is one of merge.sites");
    refuses(
        begin + "archive: {directory: /a}\nmerge: {sites: [a]}\n", "expected job.role: analyses");
  }

  @Test
  void everyKeyIsTaken() {
    JobConfig config =
        JobConfig.parse(
            "f.yaml",
            """
            kafka:
              bootstrap: b:9092
              topic: flows2
              group: g
              starting_offsets: committed
              properties: {security.protocol: SSL}
            archive: {directory: /a, segments: 'compact codec=zstd:3'}
            postgres: {url: 'jdbc:postgresql://h/d', user: u, password_file: /p, retention: 90d}
            analyses: /etc/analyses
            job:
              role: analyses
              parallelism: 3
              max_parallelism: 64
              checkpoint_interval: 2s
              checkpoint_directory: file:///c
              disorder_bound: 500ms
              arrival_ahead: 10m
              bounded: true
              report_tasks: 4
            """);
    assertEquals(Map.of("security.protocol", "SSL"), config.kafka().properties());
    assertEquals(
        new JobConfig.Postgres("jdbc:postgresql://h/d", "u", "/p", Duration.ofDays(90)),
        config.postgres());
    assertEquals("/etc/analyses", config.analyses());
    assertEquals(SegmentOptions.parse("compact codec=zstd:3").toString(), config.segments());
    assertEquals(
        new JobConfig.Settings(
            Role.ANALYSES,
            3,
            64,
            Duration.ofSeconds(2),
            "file:///c",
            Duration.ofMillis(500),
            Duration.ofMinutes(10),
            true,
            4,
            AnalysesBudget.DEFAULT),
        config.job());
  }

  @Test
  void errorsSayWhereAndWhatWasExpected() {
    refuses("kafka: {}\n", "f.yaml:1: kafka.bootstrap: is missing; expected host:port");
    refuses("kafka: {bootstrap: b}\npostgres:\n  user: u\n", "f.yaml:3: postgres.url: is missing");
    refuses(
        "kafka: {bootstrap: b, topik: x}\n",
        "f.yaml:1: kafka.topik: is not a key here; expected one of analyses_topic, bootstrap,"
            + " topic");
    refuses("kafka: {bootstrap: b}\n", "archive: is missing, but the job's role is ALL");
    refuses(
        "kafka: {bootstrap: b}\njob: {role: analyses, bounded: yes}\n",
        "f.yaml:2: job.bounded: expected true or false, found 'yes'");
    refuses(
        "kafka: {bootstrap: b}\njob: {role: some}\n",
        "job.role: expected one of archive, analyses, all");
    refuses(
        "kafka: {bootstrap: b}\npostgres: {url: 'jdbc:mysql:x', user: u}\n",
        "postgres.url: expected jdbc:postgresql:");
    refuses(
        "kafka: {bootstrap: b}\njob: {parallelism: 200}\n",
        "job.parallelism: is above max_parallelism");
    refuses(
        "kafka: {bootstrap: b}\narchive: {directory: /a}\nsite: {name: s}\njob: {role: archive}\n",
        "site: a job whose role is archive has no states to publish");
  }

  private static void refuses(String text, String part) {
    ConfigException e = assertThrows(ConfigException.class, () -> JobConfig.parse("f.yaml", text));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
