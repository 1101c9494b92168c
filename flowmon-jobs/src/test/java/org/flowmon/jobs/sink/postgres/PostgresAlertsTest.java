package org.flowmon.jobs.sink.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.alert.AlertJson;
import org.flowmon.jobs.analysis.AlertConfig.Severity;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.postgres.PostgresReportsTest.WallClock;
import org.flowmon.jobs.sink.postgres.StoredAlerts.Asked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The table of alerts in a real PostgreSQL has what Kafka has. */
class PostgresAlertsTest {
  private static final long SECOND = 1_000_000;
  private static final long BEGIN = 1_795_255_200 * SECOND; // 2026-11-21T10:00:00Z
  private static final Asked ALL =
      new Asked(Optional.empty(), Optional.empty(), Long.MIN_VALUE, Long.MAX_VALUE);

  private static TestPostgres database;

  @BeforeAll
  static void start() throws IOException {
    database = new TestPostgres();
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    database.empty();
  }

  private static PostgresWriter<Alert> writer() {
    return new PostgresWriter<>(
        new AlertStore(database.config()),
        "alerts",
        new UnregisteredMetricsGroup(),
        new WallClock());
  }

  private static Alert alert(
      int id, long number, Alert.State state, String analysis, String key, long since, long end) {
    boolean isAbsence = id % 7 == 0;
    return new Alert(
        "%032x".formatted(id),
        number,
        state,
        isAbsence ? Alert.Cause.ABSENCE : Alert.Cause.CONDITION,
        analysis,
        "loud",
        Severity.values()[id % 3],
        key,
        since,
        end - 10 * SECOND,
        end,
        end - 5 * SECOND,
        (int) number,
        isAbsence ? 0 : id,
        isAbsence
            ? null
            : "{\"src_addr\":\"10.0.0.%d\",\"sum\":340282366920938463463374607431768211455,\"rate\":299.0,\"text\":\"\\u202e\\u0000 'x'\",\"none\":null}"
                .formatted(id),
        List.of("kafka"));
  }

  /** Messages of alerts, those of each in order. */
  private static List<Alert> messages(Random random, int alerts) {
    Map<Integer, Integer> numbers = new TreeMap<>();
    List<Alert> messages = new ArrayList<>();
    for (int i = 0; i < 4 * alerts; i++) {
      int id = 1 + random.nextInt(alerts);
      int number = numbers.merge(id, 1, Integer::sum);
      long since = BEGIN + SECOND * (id / 3); // some began at the same time
      messages.add(
          alert(
              id,
              number,
              number % 3 == 0 ? Alert.State.RESOLVED : Alert.State.FIRING,
              id % 2 == 0 ? "elephants" : "mice",
              "10.0.0." + id + "|tcp 'x' \\ ü",
              since,
              since + number * SECOND));
    }
    return messages;
  }

  private static String json(Alert alert) {
    return new String(AlertJson.of(alert), StandardCharsets.UTF_8);
  }

  /** What the last message of each says, those that began last first. */
  private static List<String> lastOf(List<Alert> messages) {
    Map<String, Alert> last = new TreeMap<>();
    messages.forEach(one -> last.merge(one.id(), one, (a, b) -> b.number() > a.number() ? b : a));
    return last.values().stream()
        .sorted(Comparator.comparingLong(Alert::since).thenComparing(Alert::id).reversed())
        .map(PostgresAlertsTest::json)
        .toList();
  }

  private static List<String> stored() throws SQLException {
    try (StoredAlerts stored = new StoredAlerts(database.config())) {
      return stored.newest(ALL, 10_000).orElseThrow().stream()
          .map(PostgresAlertsTest::json)
          .toList();
    }
  }

  @Test
  void writersThatAreKilledAndBeginAgainFromACheckpointLeaveTheRowsOfOneThatIsNot()
      throws Exception {
    long seed = 11;
    Random random = new Random(seed);
    for (int round = 0; round < 5; round++) {
      empty();
      List<Alert> messages = messages(random, 40);
      int held = 0; // messages of the last checkpoint
      int at = 0;
      PostgresWriter<Alert> writer = writer();
      int kills = 0;
      while (at < messages.size()) {
        writer.write(messages.get(at++), null);
        int what = random.nextInt(12);
        if (what == 0) {
          writer.flush(false);
          held = at;
        } else if (what == 1) { // its process is killed; sometimes the database's, too
          if (random.nextBoolean()) {
            terminateSessions();
          }
          writer = writer();
          at = held;
          kills++;
        } else if (what == 2) {
          terminateSessions();
        }
      }
      writer.flush(true);
      writer.close();
      assertTrue(kills > 0, "seed " + seed);
      assertEquals(lastOf(messages), stored(), "seed " + seed + ", round " + round);
      String versions = "SELECT string_agg(xmin || ' ' || written_at, ',' ORDER BY id) FROM ";
      List<String> before = database.rows(versions + "flowmon_alerts");
      try (PostgresWriter<Alert> again = writer()) {
        for (Alert message : messages) {
          again.write(message, null);
        }
        again.flush(true);
      }
      assertEquals(before, database.rows(versions + "flowmon_alerts"), "no row is written again");
    }
  }

  private static void terminateSessions() throws SQLException {
    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name = 'flowmon'");
  }

  @Test
  void whatIsAskedForIsFoundAndNothingElse() throws Exception {
    long seed = 3;
    Random random = new Random(seed);
    List<Alert> messages = messages(random, 30);
    try (PostgresWriter<Alert> writer = writer()) {
      for (Alert message : messages) {
        writer.write(message, null);
      }
    }
    List<String> all = lastOf(messages);
    try (StoredAlerts stored = new StoredAlerts(database.config())) {
      for (int i = 0; i < 200; i++) {
        Optional<Alert.State> state =
            random.nextBoolean()
                ? Optional.of(Alert.State.values()[random.nextInt(2)])
                : Optional.empty();
        Optional<String> analysis = random.nextBoolean() ? Optional.of("mice") : Optional.empty();
        long from = random.nextBoolean() ? Long.MIN_VALUE : BEGIN + random.nextInt(12) * SECOND;
        long to = random.nextBoolean() ? Long.MAX_VALUE : BEGIN + random.nextInt(12) * SECOND;
        int most = 1 + random.nextInt(40);
        Map<String, Alert> last = new TreeMap<>();
        messages.forEach(
            one -> last.merge(one.id(), one, (a, b) -> b.number() > a.number() ? b : a));
        List<String> expected =
            last.values().stream()
                .filter(one -> state.map(one.state()::equals).orElse(true))
                .filter(one -> analysis.map(one.analysis()::equals).orElse(true))
                .filter(one -> one.since() >= from && one.since() < to)
                .map(PostgresAlertsTest::json)
                .sorted(Comparator.comparingInt(all::indexOf))
                .limit(most)
                .toList();
        assertEquals(
            expected,
            stored.newest(new Asked(state, analysis, from, to), most).orElseThrow().stream()
                .map(PostgresAlertsTest::json)
                .toList(),
            "seed " + seed + ", " + i);
      }
      Alert first = messages.get(0);
      assertTrue(stored.one(first.id()).isPresent());
      assertEquals(Optional.empty(), stored.one("f".repeat(32)));
    }
  }

  @Test
  void aReaderSeesThatThereIsNoTableYet() throws Exception {
    try (StoredAlerts stored = new StoredAlerts(database.config())) {
      assertEquals(Optional.empty(), stored.newest(ALL, 10));
      assertEquals(Optional.empty(), stored.one("a".repeat(32)));
      PostgresAlerts.createTable(database.config());
      assertEquals(Optional.of(List.of()), stored.newest(ALL, 10));
    }
  }

  private static AlertStore store(String user, @Nullable Duration retention) {
    return new AlertStore(new JobConfig.Postgres(database.config().url(), user, null, retention));
  }

  private static Alert at(int id, String analysis, long seconds) {
    long end = BEGIN + seconds * SECOND;
    return alert(id, 1, Alert.State.RESOLVED, analysis, "k", end, end);
  }

  private static List<String> ids() throws SQLException {
    return database.rows("SELECT ltrim(id, '0') FROM flowmon_alerts ORDER BY id");
  }

  @Test
  void alertsOlderThanTheRetentionGoAndOthersStay() throws Exception {
    try (AlertStore store = store("postgres", Duration.ofHours(1))) {
      store.store(at(1, "elephants", 0));
      store.store(at(2, "elephants", 10));
      store.store(at(3, "mice", 0));
      store.store(at(4, "elephants", 3610)); // the second ended exactly an hour before
      assertEquals(List.of("2", "3", "4"), ids());
      assertTrue(store.store(at(1, "elephants", 0)), "a message that comes again");
      assertEquals(List.of("2", "3", "4"), ids());
      // more than a step deletes
      database.execute(
          "INSERT INTO flowmon_alerts SELECT (json_populate_record(a, json_build_object('id', 'old'"
              + " || n, 'window_end', a.window_end - interval '1 day'))).* FROM flowmon_alerts a,"
              + " generate_series(1, 1500) n WHERE a.id LIKE '%4'");
      store.store(at(5, "elephants", 3620));
      assertEquals(List.of("500"), count("id LIKE 'old%'"));
      store.store(at(6, "elephants", 3620));
      assertEquals(List.of("0"), count("id LIKE 'old%'"));
    }
    try (AlertStore store = store("postgres", null)) {
      store.store(at(7, "elephants", 10 * 365 * 86_400L));
    }
    assertEquals(List.of("3", "4", "5", "6", "7"), ids(), "all stay without a retention");
  }

  private static List<String> count(String where) throws SQLException {
    return database.rows("SELECT count(*) FROM flowmon_alerts WHERE " + where);
  }

  @Test
  void eachQuestionOfReadersHasAnIndex() throws Exception {
    PostgresAlerts.createTable(database.config());
    assertEquals(
        List.of(
            "flowmon_alerts_analysis_by (analysis, since)",
            "flowmon_alerts_key_by (key, since)",
            "flowmon_alerts_pkey (id)",
            "flowmon_alerts_since_by (since, id)",
            "flowmon_alerts_state_by (state, since)",
            "flowmon_alerts_window_end_by (analysis, window_end)"),
        database.rows(
            "SELECT indexname || regexp_replace(indexdef, '.* USING btree', '') FROM pg_indexes"
                + " WHERE tablename = 'flowmon_alerts' ORDER BY 1"));
  }

  @Test
  void aTableOfAnotherFormIsNamedAndADroppedOneIsMadeAgain() throws Exception {
    Alert alert = at(1, "elephants", 0);
    try (AlertStore store = store("postgres", null)) {
      assertTrue(store.store(alert));
      assertFalse(store.store(alert));
      database.execute("DROP TABLE flowmon_alerts");
      assertTrue(store.store(alert));
      assertEquals(List.of("1"), ids());
      database.execute("ALTER TABLE flowmon_alerts ALTER COLUMN rows TYPE boolean USING rows > 0");
      PostgresRejectedException e =
          assertThrows(PostgresRejectedException.class, () -> store.store(at(2, "elephants", 1)));
      assertTrue(e.getMessage().startsWith("flowmon_alerts in jdbc:"), e.getMessage());
      assertTrue(e.getMessage().contains("rename or drop it"), e.getMessage());
    }
  }
}
