package org.flowmon.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.flowmon.bench.archive.BenchSystem;
import org.flowmon.bench.archive.BenchSystemProvider;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.WorkloadColumn;

/** SQLite in a file, loaded in one transaction without a journal. */
final class SqliteSystem extends JdbcSystem {
  private static final String INSERT = "INSERT INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private final Path folder;
  private final PreparedStatement insert;

  private SqliteSystem(Connection connection, Path folder) throws SQLException {
    super(connection);
    this.folder = folder;
    configure();
    execute(
        "CREATE TABLE flow (ts INTEGER NOT NULL, src_addr INTEGER NOT NULL, dst_addr INTEGER NOT"
            + " NULL, src_port INTEGER NOT NULL, dst_port INTEGER NOT NULL, protocol INTEGER NOT"
            + " NULL, bytes INTEGER NOT NULL, reverse_bytes INTEGER NOT NULL, outgoing INTEGER NOT"
            + " NULL, state INTEGER NOT NULL, duration INTEGER NOT NULL)");
    connection.setAutoCommit(false);
    this.insert = connection.prepareStatement(INSERT);
  }

  private static Connection connect(Path folder) throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("flow.sqlite"));
  }

  private void configure() throws SQLException {
    execute("PRAGMA journal_mode = OFF");
    execute("PRAGMA synchronous = OFF");
    execute("PRAGMA cache_size = -1048576"); // KiB
    execute("PRAGMA mmap_size = 8589934592");
    execute("PRAGMA temp_store = MEMORY");
  }

  /** The provider. */
  public static final class Provider implements BenchSystemProvider {
    @Override
    public String name() {
      return "sqlite";
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws SQLException {
      return new SqliteSystem(connect(folder), folder);
    }
  }

  @Override
  public String settings() {
    try {
      return String.format(
          "SQLite %s, indexes on src_addr, dst_addr, ts, analyzed; one transaction, journal_mode"
              + " off, synchronous off, cache_size 1 GiB, mmap_size 8 GiB, temp_store memory",
          one("SELECT sqlite_version()"));
    } catch (SQLException e) {
      throw new IllegalStateException("SQLite does not say its version", e);
    }
  }

  @Override
  public void load(FlowBlock block) throws SQLException {
    List<WorkloadColumn> columns = WorkloadColumn.all();
    for (int i = 0; i < block.rows(); i++) {
      for (int c = 0; c < columns.size(); c++) {
        insert.setLong(c + 1, block.column(columns.get(c))[i]);
      }
      insert.executeUpdate();
    }
  }

  @Override
  public void endLoad() throws SQLException {
    insert.close();
    connection().commit();
    connection().setAutoCommit(true);
  }

  @Override
  public void index() throws SQLException {
    createIndexes();
    execute("ANALYZE");
  }

  @Override
  public boolean suspend() throws IOException, SQLException {
    close();
    return true;
  }

  @Override
  public void resume() throws SQLException {
    reconnect(connect(folder));
    configure();
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return sizeOf(folder);
  }
}
