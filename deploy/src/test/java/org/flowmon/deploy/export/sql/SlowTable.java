package org.flowmon.deploy.export.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.deploy.export.FlowExport;
import org.flowmon.deploy.export.row.ExportCancelledException;
import org.flowmon.deploy.export.row.ExportRows;

/** A database table with the flows of an archive, to which adding another row takes hours. */
public final class SlowTable {
  private static final int ROWS = 40;

  private final Path archive;
  private final String url;

  private SlowTable(Path archive, String url) {
    this.archive = archive;
    this.url = url;
  }

  /** Creates archive and table. */
  public static SlowTable fill(Path archive, String url) throws Exception {
    SlowTable table = new SlowTable(ExportedFlows.archive(archive, 3, ROWS, false), url);
    CommandRun said = CommandRun.of("export", "--archive", archive, "--to", url);
    assertEquals(0, said.code(), said.err());
    for (String sql : slow(url)) {
      table.execute(sql);
    }
    return table;
  }

  private static List<String> slow(String url) {
    if (url.startsWith("jdbc:sqlite:")) {
      return List.of(
          "CREATE TRIGGER slow AFTER INSERT ON flows BEGIN SELECT count(*) FROM flows a, flows b,"
              + " flows c, flows d, flows e, flows f, flows g, flows h"
              + " WHERE a.arrival + b.arrival + c.arrival + h.arrival < 0; END");
    }
    return List.of(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$BEGIN PERFORM pg_sleep(3600); RETURN NEW; END$$",
        "CREATE TRIGGER slow BEFORE INSERT ON flows FOR EACH ROW EXECUTE FUNCTION slow()");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The number of flows that another connection sees in a table. */
  private int rows(String table) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + table)) {
      assertTrue(result.next());
      return result.getInt(1);
    }
  }

  private List<String> loadingTables() throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet result =
            connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
      while (result.next()) {
        if (result.getString("TABLE_NAME").contains("_loading_")) {
          tables.add(result.getString("TABLE_NAME"));
        }
      }
    }
    return tables;
  }

  /** Waits until every row is in the temporary table: now the rows are being appended. */
  public void awaitLoaded() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (System.nanoTime() < end) {
      List<String> loading = loadingTables();
      if (!loading.isEmpty() && rows(loading.get(0)) == ROWS) {
        Thread.sleep(500);
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("no rows were loaded");
  }

  /** Checks that nothing was added and nothing is left over. */
  public void requireUntouched() throws SQLException {
    assertEquals(ROWS, rows("flows"));
    assertEquals(List.of(), loadingTables());
  }

  /** Appends rows, cancels it, and checks that it ends and the table is unchanged. */
  void requireCancelled() throws Exception {
    SqlTarget.Options options =
        new SqlTarget.Options("flows", SqlTypes.NATIVE, BatchSize.parse("auto"), true);
    SqlTarget target = SqlTarget.open(url, new Properties(), options);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread adding =
        new Thread(
            () -> {
              try {
                add(target);
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    adding.start();
    awaitLoaded();
    assertTrue(adding.isAlive(), () -> "it had to be adding rows: " + thrown.get());
    target.cancel();
    adding.join(TimeUnit.SECONDS.toMillis(30));
    assertTrue(!adding.isAlive(), "it went on for half a minute");
    assertInstanceOf(ExportCancelledException.class, thrown.get(), () -> "" + thrown.get());
    assertEquals(List.of(), List.of(thrown.get().getSuppressed()));
    requireUntouched();
  }

  private void add(SqlTarget target) throws Exception {
    try (Archive opened = Archive.open(archive, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = opened.snapshot();
        ExportRows rows = FlowExport.of(snapshot, Optional.empty(), 1);
        target) {
      target.begin(rows.columns());
      while (rows.next()) {
        target.write(rows);
      }
      target.finish();
    }
  }
}
