package org.flowmon.bench.systems;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.flowmon.deploy.embedded.EmbeddedPostgres;

/**
 * A running database.
 *
 * @param url of JDBC, with its user
 * @param pid the process that writes its files; children count as well
 * @param files folder of the tables' files
 * @param process stops it
 */
record DatabaseServer(String url, long pid, Path files, AutoCloseable process)
    implements AutoCloseable {
  private static final long LARGEST_OF_CATALOG = 64 << 10;

  /** Starts a database in a folder, with the tables that are there. */
  static DatabaseServer start(String name, Path folder, Map<String, String> settings)
      throws Exception {
    switch (name) {
      case "postgres" -> {
        EmbeddedPostgres server = EmbeddedPostgres.start(folder, settings);
        String options =
            String.format(
                "?user=%s&password=%s&reWriteBatchedInserts=true&stringtype=unspecified",
                server.user(), server.password());
        Path files = folder.resolve("data").resolve("base");
        return new DatabaseServer(server.jdbcUrl() + options, server.pid(), files, server);
      }
      case "mariadb" -> {
        MariaDbServer server = MariaDbServer.start(folder, settings);
        return new DatabaseServer(server.url(), server.pid(), server.tables(), server);
      }
      case "sqlite" -> {
        String options =
            settings.entrySet().stream().map(Object::toString).collect(Collectors.joining("&"));
        return new DatabaseServer(
            "jdbc:sqlite:" + folder.resolve("flows.sqlite") + "?" + options,
            ProcessHandle.current().pid(),
            folder,
            () -> {});
      }
      default -> throw new IllegalArgumentException("no database " + name);
    }
  }

  /** The tables' files without the many small ones of a catalog. */
  Path[] largeFiles() throws IOException {
    try (var all = Files.walk(files)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.toFile().length() > LARGEST_OF_CATALOG)
          .toArray(Path[]::new);
    }
  }

  @Override
  public void close() throws Exception {
    process.close();
  }
}
