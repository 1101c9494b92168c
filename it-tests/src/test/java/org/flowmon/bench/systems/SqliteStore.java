package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;

/** SQLite in a file, in this process. */
final class SqliteStore extends SqlStore {
  private final Path file;
  private final String synchronous;

  private SqliteStore(Path file, boolean sync) {
    this.file = file;
    this.synchronous = sync ? "FULL" : "OFF";
  }

  static SqliteStore open(Path folder, boolean sync) {
    return new SqliteStore(folder.resolve("flows.sqlite"), sync);
  }

  @Override
  Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA synchronous = " + synchronous);
      statement.execute("PRAGMA cache_size = -131072"); // KiB
    }
    return connection;
  }

  @Override
  String type(FlowField.Kind kind, Layout.Fields fields) {
    boolean isText =
        fields == Layout.Fields.NATIVE
            && (kind == FlowField.Kind.ADDRESS || kind == FlowField.Kind.SECONDS);
    return isText ? "TEXT" : "INTEGER";
  }

  @Override
  String slot(Layout.Fields fields) {
    String seconds =
        fields == Layout.Fields.NATIVE
            ? "CAST(strftime('%s', secs_flowstart) AS INTEGER)"
            : "secs_flowstart";
    return seconds + " / 600 * 600";
  }

  @Override
  public void create(Layout layout) throws IOException, SQLException {
    disconnect();
    Files.deleteIfExists(file);
    super.create(layout);
  }

  @Override
  void flush() {
    // Each commit writes the file.
  }

  @Override
  String analyze() {
    return "ANALYZE";
  }

  @Override
  public Optional<String> forget() throws IOException, SQLException {
    disconnect();
    return PageCache.drop(file);
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return Files.size(file);
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(ProcessHandle.current());
  }

  @Override
  public String settings() throws SQLException {
    return "SQLite "
        + one("SELECT sqlite_version()")
        + ", rollback journal, synchronous "
        + synchronous
        + ", cache_size 128 MiB";
  }
}
