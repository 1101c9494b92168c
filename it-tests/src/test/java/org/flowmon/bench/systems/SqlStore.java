package org.flowmon.bench.systems;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.flowmon.bench.machine.PageCache;
import org.flowmon.bench.machine.ProcessWrites;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.synthetic.SyntheticFlow;

/**
 * A database: rows go in by a prepared INSERT, up to {@value #BATCH_ROWS} to a batch, with the
 * indexes in place.
 */
final class SqlStore implements FlowStore {
  private static final int BATCH_ROWS = 1_000;
  private static final String NATIVE = "native";
  private static final FlowField[] FIELDS = FlowField.values();
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Columns of each index, by group. */
  private final Map<String, List<String>> indexes;

  private final Map<String, String> queries;
  private final Database database;
  private final Path folder;
  private DatabaseServer server;
  private Connection connection;
  private String fields = "";
  private int transaction;

  SqlStore(
      Database database,
      Map<String, List<String>> indexes,
      Map<String, String> queries,
      Path folder)
      throws Exception {
    this.database = database;
    this.indexes = indexes;
    this.queries = queries;
    this.folder = folder;
    start();
  }

  private void start() throws Exception {
    server = DatabaseServer.start(database.name(), folder, database.settings());
    connection = DriverManager.getConnection(server.url());
  }

  @Override
  public void create(Combination layout) throws SQLException {
    fields = layout.fields();
    transaction = Integer.parseInt(layout.transaction());
    execute(database.empty());
    Map<String, String> types = database.types().get(fields);
    String columns =
        Arrays.stream(FIELDS)
            .map(field -> field.column() + " " + types.get(field.kind().label()) + " NOT NULL")
            .collect(Collectors.joining(", "));
    execute(List.of("CREATE TABLE flows (" + columns + ")"));
    List<String> group = indexes.get(layout.indexes());
    for (int i = 0; i < group.size(); i++) {
      execute(List.of("CREATE INDEX flows_" + i + " ON flows (" + group.get(i) + ")"));
    }
  }

  private void execute(List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public void load(List<SyntheticFlow> flows) throws SQLException {
    connection.setAutoCommit(false);
    String insert = "INSERT INTO flows VALUES (?" + ", ?".repeat(FIELDS.length - 1) + ")";
    try (PreparedStatement rows = connection.prepareStatement(insert)) {
      for (int r = 1; r <= flows.size(); r++) {
        SyntheticFlow flow = flows.get(r - 1);
        for (int f = 0; f < FIELDS.length; f++) {
          set(rows, f + 1, FIELDS[f].kind(), FIELDS[f].of(flow));
        }
        rows.addBatch();
        boolean isEnd = r % transaction == 0 || r == flows.size();
        if (isEnd || r % BATCH_ROWS == 0) {
          rows.executeBatch();
        }
        if (isEnd) {
          connection.commit();
        }
      }
    }
    connection.setAutoCommit(true);
    execute(database.loaded());
  }

  private void set(PreparedStatement to, int place, FlowField.Kind kind, long value)
      throws SQLException {
    if (fields.equals(NATIVE) && kind == FlowField.Kind.ADDRESS) {
      to.setString(place, IpAddress.ofIpv4((int) value).toString());
    } else if (fields.equals(NATIVE) && kind == FlowField.Kind.SECONDS) {
      to.setString(place, time(value));
    } else {
      to.setLong(place, value);
    }
  }

  private static String time(long seconds) {
    return TIME.format(Instant.ofEpochSecond(seconds));
  }

  @Override
  public List<long[]> answer(StudyQuery query) throws SQLException {
    String sql =
        queries
            .get(query.name())
            .replace("{slot}", database.slot().get(fields))
            .replace("{from}", literal(StudyQuery.FROM))
            .replace("{to}", literal(StudyQuery.TO));
    List<long[]> answer = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        long[] row = new long[query.columns()];
        for (int c = 0; c < row.length; c++) {
          row[c] =
              fields.equals(NATIVE) && query.isAddress(c)
                  ? IpAddress.parse(rows.getString(c + 1)).lo() & 0xFFFF_FFFFL
                  : rows.getLong(c + 1);
        }
        answer.add(row);
      }
    }
    return answer;
  }

  private String literal(long seconds) {
    return fields.equals(NATIVE) ? "'" + time(seconds) + "'" : Long.toString(seconds);
  }

  @Override
  public Optional<String> forget() throws Exception {
    close();
    Optional<String> kept = PageCache.drop(server.largeFiles());
    start();
    return kept;
  }

  @Override
  public long bytesOnDisk() throws SQLException {
    return Long.parseLong(one(database.bytes()));
  }

  @Override
  public OptionalLong bytesWritten() {
    return ProcessWrites.of(server.pid());
  }

  @Override
  public String settings() throws SQLException {
    return one(database.version()) + " " + database.settings();
  }

  private String one(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      connection.close();
    } finally {
      server.close();
    }
  }
}
