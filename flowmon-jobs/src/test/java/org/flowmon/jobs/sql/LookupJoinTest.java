package org.flowmon.jobs.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.ExceptionUtils;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lookup join gives what Flink's own join of the scanned archive gives. */
class LookupJoinTest {
  private static final long SEED = 2312;
  private static final String LOOKUP = "flows FOR SYSTEM_TIME AS OF a.t";

  @TempDir static Path folder;

  private static Archive archive;

  @BeforeAll
  static void fill() throws Exception {
    archive = RandomArchive.create(folder.resolve("archive"), SEED, 3, 2_000);
  }

  @AfterAll
  static void close() {
    archive.close();
  }

  /** Asked are addresses that the archive has, ones that it does not, texts that are none, NULL. */
  private static StreamTableEnvironment flink(EnvironmentSettings mode) {
    return flink(archive, mode);
  }

  private static StreamTableEnvironment flink(Archive of, EnvironmentSettings mode) {
    StreamTableEnvironment flink = SqlSession.of(of, mode, 2);
    Random random = new Random(SEED);
    List<Row> asked = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int host = random.nextInt(50);
      String address = host % 3 == 0 ? "2001:db8::" + Integer.toHexString(host) : "192.0.2." + host;
      asked.add(
          Row.of(
              i,
              i % 20 == 7 ? null : i % 20 == 8 ? "no address" : address,
              new Integer[] {22, 53, 443, 65_535, 1, null}[random.nextInt(6)],
              random.nextBoolean() ? "dns" : "é'",
              random.nextBoolean()));
    }
    flink.createTemporaryView(
        "asked",
        flink.fromValues(
            DataTypes.ROW(
                DataTypes.FIELD("id", DataTypes.INT()),
                DataTypes.FIELD("addr", DataTypes.STRING()),
                DataTypes.FIELD("port", DataTypes.INT()),
                DataTypes.FIELD("service", DataTypes.STRING()),
                DataTypes.FIELD("sent", DataTypes.BOOLEAN())),
            asked));
    return flink;
  }

  private static String join(String kind, String table, String condition) {
    return "SELECT a.id, f.arrival, f.src_addr, f.dst_port, f.`bytes`, f.outgoing, f.service FROM"
        + " (SELECT *, PROCTIME() AS t FROM asked) AS a "
        + kind
        + " JOIN "
        + table
        + " AS f ON "
        + condition;
  }

  private static void assertJoinsAlike(EnvironmentSettings mode, String kind, String condition)
      throws Exception {
    assertJoinsAlike(archive, mode, kind, condition);
  }

  private static void assertJoinsAlike(
      Archive of, EnvironmentSettings mode, String kind, String condition) throws Exception {
    StreamTableEnvironment flink = flink(of, mode);
    String lookup = join(kind, LOOKUP, condition);
    assertTrue(flink.explainSql(lookup).contains("LookupJoin("), condition);
    List<String> expected =
        SqlSession.sorted(
            flink(of, EnvironmentSettings.inBatchMode()), join(kind, "flows", condition));
    assertFalse(expected.isEmpty(), condition);
    assertEquals(expected, SqlSession.sorted(flink, lookup), "seed " + SEED + ": " + condition);
  }

  @Test
  void flowsOfAddressesAreThoseOfTheScan() throws Exception {
    assertJoinsAlike(EnvironmentSettings.inStreamingMode(), "LEFT", "f.src_addr = a.addr");
    assertJoinsAlike(EnvironmentSettings.inBatchMode(), "INNER", "f.dst_addr = a.addr");
  }

  @Test
  void furtherKeysAndConditionsNarrowIt() throws Exception {
    EnvironmentSettings streaming = EnvironmentSettings.inStreamingMode();
    assertJoinsAlike(
        streaming,
        "LEFT",
        "f.src_addr = a.addr AND f.dst_port = a.port AND f.outgoing = a.sent AND f.protocol = 6");
    assertJoinsAlike(
        streaming, "INNER", "f.service = a.service AND f.dst_addr = a.addr AND f.`bytes` > a.port");
  }

  @Test
  void keysWithoutAnAddressAreJoinedAlike() throws Exception {
    assertJoinsAlike(
        EnvironmentSettings.inStreamingMode(),
        "INNER",
        "f.service = a.service AND f.dst_port = a.port AND f.protocol = 17 AND f.packets < 100");
  }

  @Test
  void aMissingSidecarAndADirectoryChangeNoAnswer() throws Exception {
    try (Archive other = RandomArchive.create(folder.resolve("other"), SEED + 1, 3, 2_000)) {
      other.updateDirectory(false, () -> false);
      String condition = "f.src_addr = a.addr AND f.protocol <> 17";
      assertJoinsAlike(other, EnvironmentSettings.inStreamingMode(), "LEFT", condition);
      try (ArchiveSnapshot snapshot = other.snapshot()) {
        String sidecar = snapshot.segments().get(1).indexFileName();
        Files.delete(other.segmentsDirectory().resolve(sidecar));
      }
    }
    try (Archive other = Archive.open(folder.resolve("other"), ArchiveOptions.DEFAULTS)) {
      String condition = "f.dst_addr = a.addr AND f.src_addr <> '192.0.2.1'";
      assertJoinsAlike(other, EnvironmentSettings.inStreamingMode(), "LEFT", condition);
    }
  }

  @Test
  void aCacheChangesNoAnswer() throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inStreamingMode());
    String condition = "f.src_addr = a.addr";
    String cached =
        "flows /*+ OPTIONS('lookup.cache' = 'PARTIAL', 'lookup.partial-cache.max-rows' = '1000')"
            + " */ FOR SYSTEM_TIME AS OF a.t";
    assertEquals(
        SqlSession.sorted(flink, join("LEFT", LOOKUP, condition)),
        SqlSession.sorted(flink, join("LEFT", cached, condition)));
  }

  @Test
  void moreFlowsThanAllowedAreAnError() {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inStreamingMode());
    String few = "flows /*+ OPTIONS('lookup.max-rows' = '9') */ FOR SYSTEM_TIME AS OF a.t";
    SqlSession.assertFails(
        flink, join("LEFT", few, "f.src_addr = a.addr"), "finds more than 9 flows; join on more");
  }

  @Test
  void aKeyThatTheArchiveCannotBeAskedForIsRefused() {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inStreamingMode());
    Throwable thrown =
        assertThrows(
            RuntimeException.class,
            () -> flink.explainSql(join("LEFT", LOOKUP, "f.outgoing = a.sent")));
    assertTrue(
        ExceptionUtils.findThrowableWithMessage(thrown, "flows cannot be looked up by outgoing")
            .isPresent(),
        () -> ExceptionUtils.stringifyException(thrown));
  }
}
