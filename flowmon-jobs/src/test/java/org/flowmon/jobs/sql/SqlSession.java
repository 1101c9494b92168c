package org.flowmon.jobs.sql;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.ExceptionUtils;
import org.flowmon.archive.Archive;
import org.flowmon.jobs.LocalFlink;

/** A session of Flink SQL with the catalog of an archive, in UTC. */
public final class SqlSession {
  private SqlSession() {}

  public static StreamTableEnvironment of(
      Archive archive, EnvironmentSettings mode, int parallelism) {
    StreamTableEnvironment flink =
        StreamTableEnvironment.create(LocalFlink.environment(parallelism), mode);
    flink.getConfig().set("table.local-time-zone", "UTC");
    flink.executeSql(
        "CREATE CATALOG flowmon WITH ('type' = 'flowmon', 'archive' = '"
            + archive.directory()
            + "')");
    flink.executeSql("USE CATALOG flowmon");
    return flink;
  }

  public static List<Row> rows(StreamTableEnvironment flink, String sql) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> all = flink.executeSql(sql).collect()) {
      all.forEachRemaining(rows::add);
    }
    return rows;
  }

  /** As text, in their order as text. */
  public static List<String> sorted(StreamTableEnvironment flink, String sql) throws Exception {
    return rows(flink, sql).stream().map(Row::toString).sorted().toList();
  }

  public static void assertFails(StreamTableEnvironment flink, String sql, String message) {
    Exception thrown = assertThrows(Exception.class, () -> rows(flink, sql));
    assertTrue(
        ExceptionUtils.findThrowableWithMessage(thrown, message).isPresent(),
        () -> ExceptionUtils.stringifyException(thrown));
  }
}
