package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.deploy.embedded.EmbeddedPostgres;

/** PostgreSQL as a child process. */
final class PostgresStore extends SqlStore {
  private final Path folder;
  private final Map<String, String> config = new TreeMap<>();
  private EmbeddedPostgres server;

  private PostgresStore(Path folder, boolean sync) {
    this.folder = folder;
    config.put("fsync", sync ? "on" : "off");
    config.put("synchronous_commit", sync ? "on" : "off");
    config.put("shared_buffers", "128MB");
    config.put("work_mem", "64MB");
    config.put("max_wal_size", "1GB");
    config.put("autovacuum", "off");
    server = EmbeddedPostgres.start(folder, config);
  }

  static PostgresStore open(Path folder, boolean sync) {
    return new PostgresStore(folder, sync);
  }

  @Override
  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        server.jdbcUrl() + "?reWriteBatchedInserts=true", server.user(), server.password());
  }

  @Override
  String type(FlowField.Kind kind, Layout.Fields fields) {
    boolean isNative = fields == Layout.Fields.NATIVE;
    return switch (kind) {
      case ADDRESS -> isNative ? "inet" : "bigint";
      case SECONDS -> isNative ? "timestamp" : "bigint";
      case BITS8 -> "smallint";
      case BITS16 -> "integer";
      case BITS32 -> "bigint";
    };
  }

  @Override
  String parameter(FlowField.Kind kind, Layout.Fields fields) {
    boolean isText =
        fields == Layout.Fields.NATIVE
            && (kind == FlowField.Kind.ADDRESS || kind == FlowField.Kind.SECONDS);
    return isText ? "?::" + type(kind, fields) : "?";
  }

  @Override
  String slot(Layout.Fields fields) {
    return fields == Layout.Fields.NATIVE
        ? "floor(extract(epoch FROM secs_flowstart) / 600) * 600"
        : "secs_flowstart / 600 * 600";
  }

  @Override
  void flush() throws SQLException {
    execute("CHECKPOINT");
  }

  @Override
  String analyze() {
    return "ANALYZE " + TABLE;
  }

  @Override
  public Optional<String> forget() throws IOException, SQLException {
    disconnect();
    server.close();
    Optional<String> kept = PageCache.drop(largeFiles(folder.resolve("data").resolve("base")));
    server = EmbeddedPostgres.start(folder, config);
    return kept;
  }

  /** Small files are the catalog's. */
  private static Path[] largeFiles(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files
          .filter(file -> Files.isRegularFile(file) && file.toFile().length() > 64 * 1024)
          .toArray(Path[]::new);
    }
  }

  @Override
  public long bytesOnDisk() throws SQLException {
    return Long.parseLong(one("SELECT pg_total_relation_size('" + TABLE + "')"));
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessHandle.of(server.pid())
        .map(ProcessWrites::of)
        .orElse(OptionalLong.empty());
  }

  @Override
  public String settings() throws SQLException {
    return "PostgreSQL " + one("SHOW server_version") + " " + config;
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
