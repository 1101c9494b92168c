package org.flowmon.deploy.embedded;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * PostgreSQL's programs, unpacked from their jar into a private folder. They refuse to run as root:
 * for root they run in a separate user namespace as nobody.
 */
final class PostgresBinaries {
  private static final long MINUTES = 2;

  private final Path folder;
  private final Path log;

  private PostgresBinaries(Path folder, Path log) {
    this.folder = folder;
    this.log = log;
  }

  /** Unpacks missing programs into their own folder in a private one; a log takes their output. */
  static PostgresBinaries in(Path folder, Path log) throws IOException {
    if (!Files.isDirectory(folder)) {
      Path part = Files.createDirectories(folder.resolveSibling(folder.getFileName() + ".part"));
      try (InputStream packed =
              DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(
                  system(), System.getProperty("os.arch"));
          TarArchiveInputStream tar =
              new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
        unpack(tar, part);
      }
      Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
    }
    return new PostgresBinaries(folder, log);
  }

  private static String system() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("windows") ? "Windows" : name.startsWith("mac") ? "Darwin" : "Linux";
  }

  private static void unpack(TarArchiveInputStream tar, Path to) throws IOException {
    for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      Path file = inside(to, to.resolve(entry.getName()));
      if (entry.isDirectory()) {
        Files.createDirectories(file);
        continue;
      }
      Files.createDirectories(file.getParent());
      Files.deleteIfExists(file); // left over from an interrupted run
      if (entry.isSymbolicLink()) {
        inside(to, file.resolveSibling(entry.getLinkName()));
        Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
      } else if (entry.isLink()) {
        Files.createLink(file, inside(to, to.resolve(entry.getLinkName())));
      } else {
        Files.copy(tar, file);
        if ((entry.getMode() & 0100) != 0 && !file.toFile().setExecutable(true)) {
          throw new IOException(file + " cannot be made executable");
        }
      }
    }
  }

  private static Path inside(Path folder, Path file) throws IOException {
    Path plain = file.normalize();
    if (!plain.startsWith(folder)) {
      throw new IOException("PostgreSQL's archive has " + file + ", outside of its folder");
    }
    return plain;
  }

  /**
   * Runs a program to its end; {@code input} may be empty.
   *
   * @throws IOException if it does not end with 0 or in time
   */
  void run(String input, String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (LinuxUtils.isUnshareAvailable()) { // only if this is root
      command.addAll(List.of("unshare", "-U"));
    }
    command.add(folder.resolve("bin").resolve(program).toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("PG")); // a client's settings
    Process process = builder.start();
    try (var in = process.outputWriter()) {
      in.write(input);
    }
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException(program + " did not end within " + MINUTES + " minutes");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(program + " was interrupted", e);
    }
    if (process.exitValue() != 0) {
      throw new IOException(program + " ended with code " + process.exitValue());
    }
  }
}
