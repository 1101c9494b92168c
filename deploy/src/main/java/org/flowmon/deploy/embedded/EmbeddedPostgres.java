package org.flowmon.deploy.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A PostgreSQL server as a child process, on loopback, with its data in a directory that stays.
 * User and database are {@code postgres}; loopback needs no password.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private final io.zonky.test.db.postgres.embedded.EmbeddedPostgres server;
  private final Path directory;

  private EmbeddedPostgres(
      io.zonky.test.db.postgres.embedded.EmbeddedPostgres server, Path directory) {
    this.server = server;
    this.directory = directory;
  }

  /**
   * Starts a server on a free port and returns when it takes connections.
   *
   * @param directory its data; made where it is new
   * @throws EmbeddedServiceException where it does not start
   */
  public static EmbeddedPostgres start(Path directory) {
    try {
      Files.createDirectories(directory);
      return new EmbeddedPostgres(
          io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
              .setDataDirectory(directory.toAbsolutePath())
              .setCleanDataDirectory(false)
              .setPGStartupWait(Duration.ofSeconds(60))
              .setOutputRedirector(log(directory))
              .setErrorRedirector(log(directory))
              .setServerConfig("listen_addresses", "127.0.0.1")
              .setServerConfig("max_connections", "20")
              .setServerConfig("shared_buffers", "16MB")
              .setServerConfig("work_mem", "2MB")
              .setServerConfig("maintenance_work_mem", "16MB")
              .setServerConfig("max_wal_size", "64MB")
              .setServerConfig("max_parallel_workers", "0")
              .setServerConfig("timezone", "UTC")
              .start(),
          directory);
    } catch (IOException | RuntimeException e) {
      throw new EmbeddedServiceException(
          "PostgreSQL in " + directory + " did not start: " + e + "; see " + logFile(directory), e);
    }
  }

  private static ProcessBuilder.Redirect log(Path directory) {
    return ProcessBuilder.Redirect.appendTo(logFile(directory).toFile());
  }

  /** Beside the data: PostgreSQL wants its own directory for itself. */
  private static Path logFile(Path directory) {
    return directory.resolveSibling(directory.getFileName() + ".log");
  }

  public int port() {
    return server.getPort();
  }

  public String user() {
    return "postgres";
  }

  /** URL for JDBC, without the user. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
  }

  /**
   * The process id of the server, whose children serve the connections.
   *
   * @throws EmbeddedServiceException where PostgreSQL's own file with it cannot be read
   */
  public long pid() {
    Path file = directory.resolve("postmaster.pid");
    try {
      List<String> lines = Files.readAllLines(file);
      return Long.parseLong(lines.get(0).trim());
    } catch (IOException | RuntimeException e) {
      throw new EmbeddedServiceException("no process id of PostgreSQL in " + file + ": " + e, e);
    }
  }

  /** Stops the server; its data stay. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new EmbeddedServiceException("PostgreSQL in " + directory + " did not stop: " + e, e);
    }
  }
}
