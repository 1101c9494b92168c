package org.flowmon.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.archive.BenchSystem;
import org.flowmon.bench.archive.BenchSystemProvider;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.WorkloadColumn;
import org.flowmon.bench.archive.WorkloadQuery;

/**
 * DuckDB in a file: loads rows by its appender and fetches answers by column chunks, which avoids
 * the cost of JDBC's cells.
 */
final class DuckDbSystem extends JdbcSystem {
  private final Path folder;
  private final boolean indexes;
  private final int threads;
  private final DuckDBAppender appender;
  private final Map<String, DuckDBPreparedStatement> statements = new HashMap<>();

  private DuckDbSystem(DuckDBConnection connection, Path folder, boolean indexes, int threads)
      throws SQLException {
    super(connection);
    this.folder = folder;
    this.indexes = indexes;
    this.threads = threads;
    configure();
    execute(
        "CREATE TABLE flow (ts BIGINT NOT NULL, src_addr UINTEGER NOT NULL, dst_addr UINTEGER NOT"
            + " NULL, src_port USMALLINT NOT NULL, dst_port USMALLINT NOT NULL, protocol UTINYINT"
            + " NOT NULL, bytes BIGINT NOT NULL, reverse_bytes BIGINT NOT NULL, outgoing BOOLEAN"
            + " NOT NULL, state UTINYINT NOT NULL, duration UINTEGER NOT NULL)");
    this.appender = connection.createAppender("flow");
  }

  private void configure() throws SQLException {
    execute("SET threads = " + threads);
    execute("SET memory_limit = '6GB'"); // two DuckDB systems and others share the machine
    // Without ORDER BY the order of rows is not part of the answer.
    execute("SET preserve_insertion_order = false");
  }

  private static DuckDBConnection connect(Path folder) throws SQLException {
    return DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("flow.duckdb"))
        .unwrap(DuckDBConnection.class);
  }

  private static DuckDbSystem open(Path folder, boolean indexes, int threads) throws SQLException {
    return new DuckDbSystem(connect(folder), folder, indexes, threads);
  }

  /** Without indexes: only DuckDB's own minima and maxima of row groups. */
  public static final class Provider implements BenchSystemProvider {
    @Override
    public String name() {
      return "duckdb";
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws SQLException {
      return DuckDbSystem.open(folder, false, threads);
    }
  }

  /** With ART indexes. */
  public static final class IndexedProvider implements BenchSystemProvider {
    @Override
    public String name() {
      return "duckdb_art";
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws SQLException {
      return DuckDbSystem.open(folder, true, threads);
    }
  }

  @Override
  public String settings() {
    try {
      return String.format(
          "DuckDB %s, threads %d, memory_limit %s, %s; appender, chunks fetched as columns",
          one("SELECT version()"),
          threads,
          one("SELECT current_setting('memory_limit')"),
          indexes ? "ART indexes on src_addr, dst_addr, ts" : "no indexes");
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not say its settings", e);
    }
  }

  @Override
  public void load(FlowBlock block) throws SQLException {
    long[] ts = block.column(WorkloadColumn.TS);
    long[] source = block.column(WorkloadColumn.SRC_ADDR);
    long[] destination = block.column(WorkloadColumn.DST_ADDR);
    long[] sourcePort = block.column(WorkloadColumn.SRC_PORT);
    long[] destinationPort = block.column(WorkloadColumn.DST_PORT);
    long[] protocol = block.column(WorkloadColumn.PROTOCOL);
    long[] bytes = block.column(WorkloadColumn.BYTES);
    long[] reverseBytes = block.column(WorkloadColumn.REVERSE_BYTES);
    long[] outgoing = block.column(WorkloadColumn.OUTGOING);
    long[] state = block.column(WorkloadColumn.STATE);
    long[] duration = block.column(WorkloadColumn.DURATION);
    for (int i = 0; i < block.rows(); i++) {
      appender.beginRow();
      appender.append(ts[i]);
      appender.append((int) source[i]);
      appender.append((int) destination[i]);
      appender.append((short) sourcePort[i]);
      appender.append((short) destinationPort[i]);
      appender.append((byte) protocol[i]);
      appender.append(bytes[i]);
      appender.append(reverseBytes[i]);
      appender.append(outgoing[i] != 0);
      appender.append((byte) state[i]);
      appender.append((int) duration[i]);
      appender.endRow();
    }
  }

  @Override
  public void endLoad() throws SQLException {
    appender.close();
    execute("CHECKPOINT");
  }

  @Override
  public void index() throws SQLException {
    if (indexes) {
      createIndexes();
      execute("CHECKPOINT");
    }
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return sizeOf(folder);
  }

  @Override
  public void prepare(WorkloadQuery query) throws SQLException {
    DuckDBConnection connection = connection().unwrap(DuckDBConnection.class);
    statements.put(query.name(), connection.prepare(query.sql()));
  }

  @Override
  public Answer answer(WorkloadQuery query) throws SQLException {
    Answer answer = new Answer(query.columns().size());
    int rows = 0;
    try (DuckDBChunkedResult result = statements.get(query.name()).query()) {
      while (result.nextChunk()) {
        DuckDBDataChunkReader chunk = result.chunk();
        int n = Math.toIntExact(chunk.rowCount());
        answer.reserve(rows + n);
        for (int c = 0; c < query.columns().size(); c++) {
          read(chunk.vector(c), n, answer.column(c), rows);
        }
        rows += n;
      }
    }
    answer.setRows(rows);
    return answer;
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

  private static void read(DuckDBReadableVector vector, int n, long[] out, int at) {
    switch (vector.getType()) {
      case BIGINT -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.getLong(i);
        }
      }
      case DOUBLE -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.isNull(i) ? 0 : Double.doubleToLongBits(vector.getDouble(i));
        }
      }
      case UINTEGER -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.getUint32(i);
        }
      }
      case USMALLINT -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.getUint16(i);
        }
      }
      case UTINYINT -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.getUint8(i);
        }
      }
      case BOOLEAN -> {
        for (int i = 0; i < n; i++) {
          out[at + i] = vector.getBoolean(i) ? 1 : 0;
        }
      }
      default -> throw new IllegalStateException("a column of type " + vector.getType());
    }
  }

  @Override
  public void close() throws IOException, SQLException {
    for (DuckDBPreparedStatement statement : statements.values()) {
      statement.close();
    }
    statements.clear();
    if (!appender.isClosed()) {
      appender.close();
    }
    super.close();
  }
}
