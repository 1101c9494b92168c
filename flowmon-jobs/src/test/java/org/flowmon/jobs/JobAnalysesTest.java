package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig;
import org.junit.jupiter.api.Test;

/** What a job says of its analyses at its start. */
class JobAnalysesTest {
  private static final JobConfig CONFIG =
      JobConfig.parse(
          "test.yaml",
          """
          kafka: {bootstrap: 'localhost:1', topic: flows}
          archive: {directory: /tmp/none}
          job: {checkpoint_directory: /tmp/none}
          """);

  private static AnalysisConfig own(String column) {
    return AnalysisConfig.parse(
        "own.yaml",
        """
        name: own
        live: {query: "SELECT %s, COUNT(*) AS flows FROM flows GROUP BY %s", window: 1m}
        report: {logic: query}
        """
            .formatted(column, column));
  }

  @Test
  void aFileThatIsNotConfiguredIsSaidOnceForAllAnalysesThatWouldUseIt() {
    assertEquals(
        List.of(
            "the job's configuration has no enrichment.networks, so dst_network, src_network are"
                + " NULL (analyses fan_out, first_contact, new_targets, portscans, scan_networks,"
                + " scans, scans_fast)"),
        JobAnalyses.whatIsNull(AnalysisConfig.offered(), EnrichmentConfig.NONE));
  }

  /** They name known scanners if there is such a file, and run without it. */
  @Test
  void onlyOfOnesOwnAnalysesItIsAWarning() {
    assertEquals(0, warnings(AnalysisConfig.offered()));
    List<AnalysisConfig> all = new ArrayList<>(AnalysisConfig.offered());
    all.add(own("src_country"));
    assertEquals(1, warnings(all));
  }

  private static long warnings(List<AnalysisConfig> analyses) {
    List<Level> levels = new ArrayList<>();
    AbstractAppender appender =
        new AbstractAppender("test", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            levels.add(event.getLevel());
          }
        };
    appender.start();
    Logger log = (Logger) LogManager.getLogger(JobAnalyses.class);
    log.addAppender(appender);
    try {
      JobAnalyses.checkAll(analyses, CONFIG);
    } finally {
      log.removeAppender(appender);
    }
    return levels.stream().filter(level -> level.isMoreSpecificThan(Level.WARN)).count();
  }
}
