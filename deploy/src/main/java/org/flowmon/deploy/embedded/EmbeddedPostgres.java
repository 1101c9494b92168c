package org.flowmon.deploy.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.flowmon.flow.files.PrivateFiles;
import org.flowmon.flow.files.PrivateFolder;
import org.flowmon.flow.files.UnsafeFolderException;
import org.flowmon.jobs.embedded.EmbeddedServiceException;

/**
 * A PostgreSQL server as a child process, on loopback, with its data in a directory that stays.
 * Only the user {@code flowmon} may log in, by a random password, and owns only the database {@code
 * flowmon}; the superuser cannot log in. All files are in one {@link PrivateFolder}:
 *
 * <pre>
 * binaries/, data/
 * password       one line, for flowmon (mode 0600)
 * pgpass         the same for PGPASSFILE and psql (mode 0600)
 * postgres.log
 * </pre>
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final String NAME = "flowmon";
  private static final String ADVICE =
      "programs and passwords are kept there: choose another folder";
  private static final int PASSWORD_BYTES = 24;
  private static final String SECONDS_TO_START = "60";
  private static final Duration LEFTOVERS = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofMillis(200);

  private static final Map<String, String> SETTINGS =
      Map.of(
          "max_connections", "20",
          "shared_buffers", "16MB",
          "work_mem", "2MB",
          "maintenance_work_mem", "16MB",
          "max_wal_size", "64MB",
          "max_parallel_workers", "0",
          "fsync", "off",
          "timezone", "UTC");

  private static final String ACCESS =
      String.format("host %s %s 127.0.0.1/32 scram-sha-256%n", NAME, NAME);

  private final PostgresBinaries binaries;
  private final Path folder;
  private final int port;
  private final String password;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread onExit = new Thread(this::close, "stop-postgres");

  private EmbeddedPostgres(PostgresBinaries binaries, Path folder, int port, String password) {
    this.binaries = binaries;
    this.folder = folder;
    this.port = port;
    this.password = password;
  }

  /** Starts a server with the settings of a demo: little memory. */
  public static EmbeddedPostgres start(Path directory) {
    return start(directory, Map.of());
  }

  /**
   * Starts a server on a free port, or on that of the setting {@code port}; returns when it takes
   * connections.
   *
   * @param directory created if it is new
   * @param settings of {@code postgresql.conf}, which extend or replace those of a demo
   * @throws EmbeddedServiceException if it does not start, or other users could change the
   *     directory
   */
  public static EmbeddedPostgres start(Path directory, Map<String, String> settings) {
    Path log = directory.resolve("postgres.log");
    try {
      Path folder = privateFolder(directory);
      log = folder.resolve("postgres.log");
      PostgresBinaries binaries = PostgresBinaries.in(folder.resolve("binaries"), log);
      if (!Files.exists(folder.resolve("password"))) {
        initialize(binaries, folder);
      }
      String password = Files.readString(folder.resolve("password")).strip();
      EmbeddedPostgres server =
          new EmbeddedPostgres(binaries, folder, configure(folder, settings), password);
      server.begin(log);
      Runtime.getRuntime().addShutdownHook(server.onExit);
      return server;
    } catch (IOException | RuntimeException e) {
      throw e instanceof EmbeddedServiceException said
          ? said
          : new EmbeddedServiceException(
              "PostgreSQL in " + directory + " did not start: " + e + "; see " + log, e);
    }
  }

  /**
   * Starts the server; after a kill once the old processes are gone, which hold its memory until
   * they notice.
   */
  private void begin(Path log) throws IOException {
    boolean wasKilled = Files.exists(folder.resolve("data").resolve("postmaster.pid"));
    long end = System.nanoTime() + (wasKilled ? LEFTOVERS.toNanos() : 0);
    while (true) {
      try {
        binaries.run(
            "",
            "pg_ctl",
            "-D",
            data(),
            "-w",
            "-t",
            SECONDS_TO_START,
            "-l",
            log.toString(),
            "start");
        return;
      } catch (IOException e) {
        if (System.nanoTime() - end >= 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  /**
   * Prepares a later server, before other services start in vain.
   *
   * @throws EmbeddedServiceException if other users could change the directory
   */
  public static void prepare(Path directory) throws IOException {
    var unused = privateFolder(directory);
  }

  private static Path privateFolder(Path directory) throws IOException {
    try {
      return PrivateFolder.create(directory, PrivateFolder.Readers.NONE, ADVICE);
    } catch (UnsafeFolderException e) {
      throw new EmbeddedServiceException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void initialize(PostgresBinaries binaries, Path folder) throws IOException {
    Path data = folder.resolve("data");
    if (Files.exists(data)) {
      throw new EmbeddedServiceException(
          data + " exists without its password: it was only partly made; remove " + folder, null);
    }
    Path superuser = folder.resolve("superuser");
    PrivateFiles.write(superuser, randomPassword());
    binaries.run(
        "",
        "initdb",
        "--auth=scram-sha-256",
        "--username=postgres",
        "--pwfile=" + superuser,
        "--encoding=UTF8",
        "--no-sync",
        "--pgdata=" + data);
    Files.delete(superuser); // not needed any more
    Files.writeString(data.resolve("pg_hba.conf"), ACCESS);
    Files.writeString(
        data.resolve("postgresql.conf"), "include 'flowmon.conf'\n", StandardOpenOption.APPEND);
    Files.writeString(data.resolve("flowmon.conf"), "");
    String password = randomPassword();
    // By standard input of a server that does not listen: no other process sees it.
    binaries.run(
        "CREATE ROLE "
            + NAME
            + " LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '"
            + password
            + "'\n"
            + "CREATE DATABASE "
            + NAME
            + " OWNER "
            + NAME
            + "\n"
            + "GRANT pg_checkpoint TO "
            + NAME
            + "\n",
        "postgres",
        "--single",
        "-D",
        data.toString(),
        "postgres");
    PrivateFiles.write(
        folder.resolve("pgpass"), "127.0.0.1:*:" + NAME + ":" + NAME + ":" + password + "\n");
    PrivateFiles.write(folder.resolve("password"), password + "\n");
  }

  /** A password of letters and digits, which needs no quotes anywhere. */
  private static String randomPassword() {
    byte[] bytes = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static int configure(Path folder, Map<String, String> settings) throws IOException {
    Map<String, String> all = new TreeMap<>(SETTINGS);
    all.putAll(settings);
    int port;
    String given = settings.get("port");
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = given == null ? free.getLocalPort() : Integer.parseInt(given);
    }
    all.put("port", Integer.toString(port));
    all.put("listen_addresses", "127.0.0.1");
    all.put("unix_socket_directories", ""); // by default in a world-writable folder
    StringBuilder lines = new StringBuilder();
    all.forEach(
        (name, value) ->
            lines.append(name).append(" = '").append(value.replace("'", "''")).append("'\n"));
    Files.writeString(folder.resolve("data").resolve("flowmon.conf"), lines);
    return port;
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  public int port() {
    return port;
  }

  public String user() {
    return NAME;
  }

  public String database() {
    return NAME;
  }

  public String password() {
    return password;
  }

  public Path passwordFile() {
    return folder.resolve("password");
  }

  public Path pgpass() {
    return folder.resolve("pgpass");
  }

  /** URL for JDBC, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + NAME;
  }

  /**
   * The server's process id; its children serve the connections.
   *
   * @throws EmbeddedServiceException if PostgreSQL's own file with it cannot be read
   */
  public long pid() {
    Path file = folder.resolve("data").resolve("postmaster.pid");
    try {
      List<String> lines = Files.readAllLines(file);
      return Long.parseLong(lines.get(0).trim());
    } catch (IOException | RuntimeException e) {
      throw new EmbeddedServiceException("no process id of PostgreSQL in " + file + ": " + e, e);
    }
  }

  /** Leaves the server running when this process ends; {@link #stop} stops it. */
  public void leaveRunning() {
    closed.set(true);
    Runtime.getRuntime().removeShutdownHook(onExit);
  }

  /** Stops the server of a directory, which another process may have started. */
  public static void stop(Path directory) throws IOException {
    Path folder = directory.toAbsolutePath();
    PostgresBinaries.in(folder.resolve("binaries"), folder.resolve("postgres.log"))
        .run("", "pg_ctl", "-D", folder.resolve("data").toString(), "-m", "fast", "-W", "stop");
  }

  /** Stops the server; its data stay. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      if (Files.exists(folder.resolve("data").resolve("postmaster.pid"))) {
        binaries.run("", "pg_ctl", "-D", data(), "-w", "-t", "30", "-m", "fast", "stop");
      }
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException e) {
      // The process ends: this is the hook, or runs before it.
    } catch (IOException e) {
      throw new EmbeddedServiceException(
          "PostgreSQL in " + folder + " did not stop: " + e + "; see postgres.log there", e);
    }
  }
}
