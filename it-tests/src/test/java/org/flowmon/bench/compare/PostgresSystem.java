package org.flowmon.bench.compare;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.bench.archive.BenchSystem;
import org.flowmon.bench.archive.BenchSystemProvider;
import org.flowmon.bench.archive.FlowBlock;
import org.flowmon.bench.archive.WorkloadColumn;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * PostgreSQL as a child process, loaded by binary COPY in the transaction that creates the table;
 * answers are binary.
 */
final class PostgresSystem extends JdbcSystem {
  private static final int SEND_BYTES = 1 << 20;
  // Per row: the number of fields and 11 fields, each with its length.
  private static final int MAX_ROW_BYTES = 2 + 11 * 4 + 11 * 8;

  private final EmbeddedPostgres server;
  private final Map<String, String> config;
  private final CopyIn copy;
  private final ByteBuffer buffer = ByteBuffer.allocate(SEND_BYTES + MAX_ROW_BYTES);

  private PostgresSystem(EmbeddedPostgres server, Connection connection, Map<String, String> config)
      throws SQLException {
    super(connection);
    this.server = server;
    this.config = config;
    connection.setAutoCommit(false);
    execute(
        "CREATE TABLE flow (ts bigint NOT NULL, src_addr bigint NOT NULL, dst_addr bigint NOT NULL,"
            + " bytes bigint NOT NULL, reverse_bytes bigint NOT NULL, src_port integer NOT NULL,"
            + " dst_port integer NOT NULL, duration integer NOT NULL, protocol smallint NOT NULL,"
            + " state smallint NOT NULL, outgoing boolean NOT NULL)");
    copy =
        connection
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn("COPY flow FROM STDIN WITH (FORMAT binary, FREEZE)");
    buffer.put("PGCOPY\n\u00ff\r\n\0".getBytes(StandardCharsets.ISO_8859_1)).putInt(0).putInt(0);
  }

  /** The provider. */
  public static final class Provider implements BenchSystemProvider {
    @Override
    public String name() {
      return "postgres";
    }

    @Override
    public BenchSystem open(Path folder, int threads) throws IOException, SQLException {
      Map<String, String> config = new TreeMap<>();
      config.put("shared_buffers", "2GB");
      config.put("work_mem", "512MB");
      config.put("maintenance_work_mem", "1GB");
      config.put("effective_cache_size", "8GB");
      config.put("max_wal_size", "8GB");
      config.put("wal_level", "minimal"); // rows of the creating transaction need no log
      config.put("max_wal_senders", "0");
      config.put("max_parallel_workers", Integer.toString(threads));
      config.put("max_parallel_workers_per_gather", Integer.toString(threads));
      config.put("max_parallel_maintenance_workers", Integer.toString(threads));
      config.put("random_page_cost", "1.1"); // pages are in memory or on a solid-state disk
      EmbeddedPostgres server = EmbeddedPostgres.start(folder.resolve("server"), config);
      try {
        // A threshold of −1: prepared on the server and binary from the first execution on.
        Connection connection =
            DriverManager.getConnection(
                server.jdbcUrl() + "?prepareThreshold=-1", server.user(), server.password());
        return new PostgresSystem(server, connection, config);
      } catch (SQLException | RuntimeException e) {
        server.close();
        throw e;
      }
    }
  }

  @Override
  public String settings() {
    try {
      return String.format(
          Locale.ROOT,
          "PostgreSQL %s, indexes on src_addr, dst_addr, ts, vacuumed and analyzed; COPY binary;"
              + " %s",
          one("SHOW server_version"),
          config);
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL does not say its version", e);
    }
  }

  @Override
  public void load(FlowBlock block) throws SQLException {
    long[] ts = block.column(WorkloadColumn.TS);
    long[] source = block.column(WorkloadColumn.SRC_ADDR);
    long[] destination = block.column(WorkloadColumn.DST_ADDR);
    long[] bytes = block.column(WorkloadColumn.BYTES);
    long[] reverseBytes = block.column(WorkloadColumn.REVERSE_BYTES);
    long[] sourcePort = block.column(WorkloadColumn.SRC_PORT);
    long[] destinationPort = block.column(WorkloadColumn.DST_PORT);
    long[] duration = block.column(WorkloadColumn.DURATION);
    long[] protocol = block.column(WorkloadColumn.PROTOCOL);
    long[] state = block.column(WorkloadColumn.STATE);
    long[] outgoing = block.column(WorkloadColumn.OUTGOING);
    for (int i = 0; i < block.rows(); i++) {
      buffer.putShort((short) 11);
      buffer.putInt(8).putLong(ts[i]);
      buffer.putInt(8).putLong(source[i]);
      buffer.putInt(8).putLong(destination[i]);
      buffer.putInt(8).putLong(bytes[i]);
      buffer.putInt(8).putLong(reverseBytes[i]);
      buffer.putInt(4).putInt((int) sourcePort[i]);
      buffer.putInt(4).putInt((int) destinationPort[i]);
      buffer.putInt(4).putInt((int) duration[i]);
      buffer.putInt(2).putShort((short) protocol[i]);
      buffer.putInt(2).putShort((short) state[i]);
      buffer.putInt(1).put((byte) outgoing[i]);
      if (buffer.position() >= SEND_BYTES) {
        send();
      }
    }
  }

  private void send() throws SQLException {
    copy.writeToCopy(buffer.array(), 0, buffer.position());
    buffer.clear();
  }

  @Override
  public void endLoad() throws SQLException {
    buffer.putShort((short) -1);
    send();
    copy.endCopy();
    connection().commit();
    connection().setAutoCommit(true);
  }

  @Override
  public void index() throws SQLException {
    createIndexes();
    execute("VACUUM (ANALYZE) flow");
    execute("CHECKPOINT");
  }

  @Override
  public long bytesOnDisk() throws SQLException {
    return Long.parseLong(one("SELECT pg_total_relation_size('flow')"));
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
