package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.deploy.embedded.EmbeddedMariaDb;

/** MariaDB with InnoDB as a child process. */
final class MariaDbStore extends SqlStore {
  private final Path folder;
  private final List<String> options;
  private EmbeddedMariaDb server;

  private MariaDbStore(Path folder, boolean sync) throws IOException {
    this.folder = folder;
    options =
        List.of(
            "--innodb-buffer-pool-size=128M",
            "--innodb-flush-log-at-trx-commit=" + (sync ? 1 : 0),
            "--innodb-buffer-pool-dump-at-shutdown=OFF",
            "--innodb-buffer-pool-load-at-startup=OFF",
            "--sort-buffer-size=64M",
            "--tmp-table-size=64M",
            "--max-heap-table-size=64M",
            "--default-time-zone=+00:00");
    server = EmbeddedMariaDb.start(folder, options);
  }

  static MariaDbStore open(Path folder, boolean sync) throws IOException {
    return new MariaDbStore(folder, sync);
  }

  @Override
  Connection connect() throws SQLException {
    return DriverManager.getConnection(server.jdbcUrl() + "&useBulkStmts=true");
  }

  @Override
  String type(FlowField.Kind kind, Layout.Fields fields) {
    boolean isNative = fields == Layout.Fields.NATIVE;
    return switch (kind) {
      case ADDRESS -> isNative ? "varchar(15) CHARACTER SET ascii" : "int unsigned";
      case SECONDS -> isNative ? "datetime" : "int unsigned";
      case BITS8 -> "tinyint unsigned";
      case BITS16 -> "smallint unsigned";
      case BITS32 -> "int unsigned";
    };
  }

  @Override
  String slot(Layout.Fields fields) {
    String seconds =
        fields == Layout.Fields.NATIVE ? "UNIX_TIMESTAMP(secs_flowstart)" : "secs_flowstart";
    return seconds + " DIV 600 * 600";
  }

  @Override
  void flush() throws SQLException {
    execute("FLUSH TABLES " + TABLE + " FOR EXPORT");
    execute("UNLOCK TABLES");
  }

  @Override
  String analyze() {
    return "ANALYZE TABLE " + TABLE;
  }

  @Override
  public Optional<String> forget() throws IOException, SQLException {
    disconnect();
    server.close();
    Optional<String> kept = PageCache.drop(server.tables());
    server = EmbeddedMariaDb.start(folder, options);
    return kept;
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return BenchFolder.bytes(server.tables());
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessHandle.of(server.pid())
        .map(ProcessWrites::of)
        .orElse(OptionalLong.empty());
  }

  @Override
  public String settings() throws SQLException {
    return "MariaDB " + one("SELECT VERSION()") + ", InnoDB, " + String.join(" ", options);
  }

  @Override
  public void close() throws IOException, SQLException {
    try {
      super.close();
    } finally {
      server.close();
    }
  }
}
