package org.flowmon.jobs.enrich;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.enrich.EnrichmentConfig.Source;
import org.flowmon.udaf.enrich.Duplicates;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.EnrichedColumn.Table;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.enrich.Lookup;
import org.flowmon.udaf.parser.QueryParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnrichmentFilesTest {
  private static final IpAddress ADDRESS = IpAddress.parse("192.0.2.1");
  private static final Set<EnrichedColumn> NETWORK = Set.of(EnrichedColumn.SRC_NETWORK);

  @TempDir private Path directory;
  private final List<String> log = new ArrayList<>();
  private long written = 1_700_000_000;

  private Path write(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    // Each time another one, however fast the test is.
    Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(written++)));
    return file;
  }

  private EnrichmentFiles files(Object... sourcesAndFiles) {
    Map<Source, String> files = new EnumMap<>(Source.class);
    for (int i = 0; i < sourcesAndFiles.length; i += 2) {
      files.put((Source) sourcesAndFiles[i], sourcesAndFiles[i + 1].toString());
    }
    return new EnrichmentFiles(new EnrichmentConfig(files, Duration.ofSeconds(1)), log::add);
  }

  private static String network(Enrichment tables) {
    return MmdbFileTest.text(tables.lookup(Table.NETWORK).get(), ADDRESS);
  }

  @Test
  void aChangedFileIsReadAgainAndAPinnedVersionStays() throws IOException {
    Path csv = write("n.csv", "network,name\n192.0.2.0/24,before\n");
    EnrichmentFiles files = files(Source.NETWORKS, csv);
    Enrichment pinned = files.pinned();
    List<String> first = files.versionsSince(Instant.now(), NETWORK);
    assertEquals("before", network(files));
    files.refresh();
    assertEquals(List.of(), log);
    write("n.csv", "network,name\n192.0.2.0/24,after\n");
    Instant change = Instant.now();
    files.refresh();
    assertEquals("after", network(files));
    assertEquals("before", network(pinned));
    List<String> both = files.versionsSince(change, NETWORK);
    assertEquals(2, both.size());
    assertEquals(first.get(0), both.get(0));
    List<String> last = files.versionsSince(Instant.now().plusSeconds(1), NETWORK);
    assertEquals(List.of(both.get(1)), last);
    assertNotEquals(first, last);
    assertTrue(
        last.get(0).matches("networks \\S+n.csv of 2023-11-14T22:13:21Z \\(sha256 [0-9a-f]{12}\\)"),
        last.get(0));
    assertEquals(1, log.size());
    assertTrue(log.get(0).endsWith("is read again"), log.get(0));
  }

  @Test
  void aReloadThatFailsKeepsTheVersionBeforeAndSaysSoOnce() throws IOException {
    Path csv = write("n.csv", "network,name\n192.0.2.0/24,kept\n");
    EnrichmentFiles files = files(Source.NETWORKS, csv);
    write("n.csv", "network,name\n192.0.2.0/64,broken\n");
    files.refresh();
    files.refresh();
    assertEquals("kept", network(files));
    assertEquals(
        List.of(
            "enrichment.networks: "
                + csv
                + ":2: expected a network such as 192.0.2.0/24, found '192.0.2.0/64'; its version"
                + " before is still used"),
        log);
    assertEquals(1, files.versionsSince(Instant.now(), NETWORK).size());
    Files.delete(csv);
    files.refresh();
    files.refresh();
    assertEquals(2, log.size(), log.toString());
    assertEquals("kept", network(files));
    write("n.csv", "network,name\n192.0.2.0/24,mended\n");
    files.refresh();
    assertEquals("mended", network(files));
  }

  @Test
  void rulesThatTakeTooLongAreNotUsed() throws IOException {
    Path names = write("e.csv", "exporter,name\n192.0.2.1," + "a".repeat(200) + "\n");
    Path rules = write("r.yaml", "exporters: [{name: 'a', set: {role: before}}]");
    EnrichmentFiles files = files(Source.EXPORTERS, names, Source.CLASSES, rules);
    write("r.yaml", "exporters: [{name: '^.*a.*a.*a.*a.*a.*b$', set: {role: after}}]");
    files.refresh();
    files.refresh();
    assertEquals(1, log.size(), log.toString());
    assertTrue(
        log.get(0).startsWith("enrichment.classes: " + rules + ": exporters[1] takes too long"),
        log.get(0));
    assertTrue(log.get(0).endsWith("; its version before is still used"), log.get(0));
    assertEquals("before", MmdbFileTest.text(files.lookup(Table.EXPORTER_ROLE).get(), ADDRESS));
    assertEquals(
        2, files.versionsSince(Instant.EPOCH, Set.of(EnrichedColumn.EXPORTER_ROLE)).size());
  }

  /** Names that the rules cannot take: refused, and taken once the rules have changed. */
  @Test
  void aFileThatItsRulesRefuseIsTriedAgainWhenTheyChange() throws IOException {
    Path names = write("e.csv", "exporter,name\n192.0.2.1,short\n");
    Path rules = write("r.yaml", "exporters: [{name: '^.*a.*a.*a.*a.*a.*b$', set: {role: slow}}]");
    EnrichmentFiles files = files(Source.EXPORTERS, names, Source.CLASSES, rules);
    assertEquals(List.of(), log);
    write("e.csv", "exporter,name\n192.0.2.1," + "a".repeat(200) + "\n");
    files.refresh();
    files.refresh();
    assertEquals(1, log.size(), log.toString());
    assertTrue(log.get(0).startsWith("enrichment.exporters: " + names), log.get(0));
    assertEquals("short", MmdbFileTest.text(files.lookup(Table.EXPORTER_NAME).get(), ADDRESS));
    write("r.yaml", "exporters: [{name: '^a', set: {role: fast}}]");
    files.refresh();
    assertEquals("fast", MmdbFileTest.text(files.lookup(Table.EXPORTER_ROLE).get(), ADDRESS));
    assertEquals(
        "a".repeat(200), MmdbFileTest.text(files.lookup(Table.EXPORTER_NAME).get(), ADDRESS));
    assertEquals(3, log.size(), log.toString()); // both are read again
  }

  private static final String COUNTED_OUTSIDE = "duplicates: [{count: {in_boundary: external}}]";

  @Test
  void rulesOverClassesNeedTheNamesOfInterfacesToo() throws IOException {
    Path traffic = write("t.yaml", COUNTED_OUTSIDE);
    Path classes = write("r.yaml", "interfaces: [{name: '.', set: {boundary: external}}]");
    EnrichmentFiles files = files(Source.TRAFFIC, traffic, Source.CLASSES, classes);
    assertSame(Lookup.NONE, files.lookup(Table.DUPLICATE).get());
    assertEquals(
        List.of(
            "enrichment.traffic: "
                + traffic
                + ": asks for classes of interfaces; expected enrichment.classes and"
                + " enrichment.interfaces, too; what it would give is NULL"),
        log);
  }

  @Test
  void withoutTheClassesThatItsRulesAskForIsDuplicateIsNull() throws IOException {
    Path traffic = write("t.yaml", COUNTED_OUTSIDE);
    Path classes = write("r.yaml", "interfaces: [{nam: '.', set: {boundary: external}}]");
    Path names = write("i.csv", "exporter,index,name,description\n192.0.2.1,1,xe-1,Transit\n");
    EnrichmentFiles files =
        files(Source.TRAFFIC, traffic, Source.CLASSES, classes, Source.INTERFACES, names);
    assertSame(Lookup.NONE, files.lookup(Table.DUPLICATE).get());
    assertEquals(1, log.size(), log.toString());
    assertTrue(log.get(0).startsWith("enrichment.classes: " + classes), log.get(0));
    write("r.yaml", "interfaces: [{name: '.', set: {boundary: external}}]");
    files.refresh();
    assertEquals(Duplicates.class, files.lookup(Table.DUPLICATE).get().getClass());
  }

  @Test
  void rulesAreNotAppliedAnewForFilesThatTheyDoNotName() throws IOException {
    Path csv = write("n.csv", "network,name\n192.0.2.0/24,before\n");
    Path names = write("e.csv", "exporter,name\n192.0.2.1,edge\n");
    Path rules = write("r.yaml", "exporters: [{name: edge, set: {role: edge}}]");
    EnrichmentFiles files =
        files(Source.NETWORKS, csv, Source.EXPORTERS, names, Source.CLASSES, rules);
    Object before = files.lookup(Table.EXPORTER_ROLE).get();
    write("n.csv", "network,name\n192.0.2.0/24,after\n");
    files.refresh();
    assertEquals("after", network(files));
    assertSame(before, files.lookup(Table.EXPORTER_ROLE).get());
    write("e.csv", "exporter,name\n192.0.2.1,core\n");
    files.refresh();
    assertEquals(null, MmdbFileTest.text(files.lookup(Table.EXPORTER_ROLE).get(), ADDRESS));
  }

  /** In a process of its own, whose heap is full for a while. */
  @Test
  void aFileThatDidNotFitIntoMemoryIsTriedAgainLater() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                FullHeap.class.getName(),
                directory.toString())
            .redirectErrorStream(true)
            .start();
    try {
      String out = new String(child.getInputStream().readAllBytes(), UTF_8);
      assertTrue(child.waitFor(1, TimeUnit.MINUTES), "it hangs");
      assertEquals(0, child.exitValue(), out);
    } finally {
      child.destroyForcibly();
    }
  }

  /** Reads a file with and without memory. */
  static final class FullHeap {
    private FullHeap() {}

    public static void main(String[] args) throws IOException {
      Path csv = Path.of(args[0], "large.csv");
      String padding = ("#" + "x".repeat(1000) + "\n").repeat(4000);
      Files.writeString(csv, "network,name\n192.0.2.0/24,small\n");
      List<String> log = new ArrayList<>();
      EnrichmentFiles files =
          new EnrichmentFiles(
              new EnrichmentConfig(Map.of(Source.NETWORKS, csv.toString()), Duration.ofSeconds(1)),
              log::add);
      assertEquals("small", network(files));
      Files.writeString(csv, "network,name\n" + padding + "192.0.2.0/24,large\n");
      List<byte[]> full = new ArrayList<>();
      try {
        while (true) {
          full.add(new byte[1 << 20]);
        }
      } catch (OutOfMemoryError e) {
        full.remove(full.size() - 1);
      }
      files.refresh();
      files.refresh();
      assertEquals(1, log.size(), log.toString());
      assertTrue(log.get(0).contains("large.csv: needs more memory than there is"), log.get(0));
      assertEquals("small", network(files));
      full.clear();
      files.refresh();
      assertEquals("large", network(files));
      assertEquals(2, log.size(), log.toString());
    }
  }

  @Test
  void aMissingFileGivesNullAndOneLineUntilItIsThere() throws IOException {
    Path csv = directory.resolve("n.csv");
    EnrichmentFiles files = files(Source.NETWORKS, csv, Source.AS, directory.resolve("as.mmdb"));
    files.refresh();
    assertEquals(2, log.size());
    assertTrue(
        log.contains(
            "enrichment.networks: " + csv + ": there is no such file; what it would give is NULL"),
        log.toString());
    assertEquals(null, network(files));
    assertEquals(List.of(), files.versionsSince(Instant.EPOCH, NETWORK));
    write("n.csv", "network,name\n192.0.2.0/24,there\n");
    Files.write(directory.resolve("as.mmdb"), MmdbFileTest.bytes("as.mmdb"));
    files.refresh();
    assertEquals("there", network(files));
    assertTrue(files.version(Table.AS_NUMBER).isPresent());
  }

  @Test
  void aFileInAnotherFormatIsRefused() throws IOException {
    Path csv = write("n.csv", "network,name\n");
    files(Source.COUNTRY, csv, Source.CITY, directory);
    assertEquals(2, log.size());
    assertTrue(log.get(0).contains("n.csv: is not in MaxMind's format"), log.get(0));
    assertTrue(log.get(1).contains("is no regular file"), log.get(1));
  }

  @Test
  void aQueryReadsTheFilesItNeedsAlone() throws IOException {
    EnrichmentConfig config =
        new EnrichmentConfig(
            Map.of(
                Source.NETWORKS,
                write("n.csv", "network,name\n").toString(),
                Source.AS,
                directory.resolve("none.mmdb").toString(),
                Source.COUNTRY,
                directory.resolve("none.mmdb").toString()),
            Duration.ofSeconds(1));
    EnrichmentFiles.of(
        QueryParser.parseQuery("SELECT src_network FROM flows WHERE bytes > 1"), config, log::add);
    assertEquals(List.of(), log);
    // A stored column that a file completes, in a query of IN.
    EnrichmentFiles files =
        EnrichmentFiles.of(
            QueryParser.parseQuery(
                "SELECT bytes FROM flows WHERE bytes IN (SELECT src_as FROM flows)"),
            config,
            log::add);
    assertEquals(1, log.size());
    assertEquals(
        Set.of(EnrichedColumn.SRC_AS),
        files.columns(QueryParser.parseQuery("SELECT src_as FROM flows")));
  }

  @Test
  void theJobsConfigurationHasTheFiles() {
    JobConfig config =
        JobConfig.parse(
            "job.yaml",
            """
            kafka: {bootstrap: 'x:1'}
            job: {role: analyses}
            enrichment: {country: /c.mmdb, classes: r.yaml, reload: 1m}
            """);
    assertEquals(
        Map.of(Source.COUNTRY, "/c.mmdb", Source.CLASSES, "r.yaml"), config.enrichment().files());
    assertEquals(Duration.ofMinutes(1), config.enrichment().reload());
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> JobConfig.parse("job.yaml", "kafka: {bootstrap: x}\nenrichment: {contry: x}"));
    assertTrue(e.getMessage().contains("did you mean 'country'?"), e.getMessage());
  }

  @Test
  void tasksShareTheFilesWhileOneUsesThem() throws Exception {
    Path csv = write("n.csv", "network,name\n192.0.2.0/24,shared\n");
    EnrichmentConfig config =
        new EnrichmentConfig(Map.of(Source.NETWORKS, csv.toString()), Duration.ofMillis(10));
    try (SharedEnrichment one = SharedEnrichment.acquire(config)) {
      SharedEnrichment other = SharedEnrichment.acquire(config);
      assertEquals(one.lookup(Table.NETWORK), other.lookup(Table.NETWORK));
      other.close();
      other.close();
      write("n.csv", "network,name\n192.0.2.0/24,reloaded\n");
      for (int i = 0; i < 1000 && !"reloaded".equals(network(one)); i++) {
        Thread.sleep(10);
      }
      assertEquals("reloaded", network(one));
    }
  }
}
