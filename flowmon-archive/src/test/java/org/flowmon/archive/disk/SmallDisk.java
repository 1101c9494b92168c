package org.flowmon.archive.disk;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A file system of a few MB in memory, which a test fills. */
final class SmallDisk implements AutoCloseable {
  private static final String FILLER = "filler";

  private final Path root;

  private SmallDisk(Path root) {
    this.root = root;
  }

  /** Mounts one on an empty folder; the test is skipped if this user may not. */
  static SmallDisk mount(Path folder, int megabytes) throws IOException, InterruptedException {
    Path root = Files.createDirectories(folder).toRealPath();
    boolean mounted =
        run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "flowmon-test", root + "");
    Assumptions.assumeTrue(mounted, "no small file system can be mounted here: needs root");
    return new SmallDisk(root);
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return false; // no such program
    }
    process.getInputStream().readAllBytes();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  Path root() {
    return root;
  }

  /** Takes all remaining room, to the last block. */
  void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(root.resolve(FILLER))) {
      byte[] block = new byte[4096];
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      if (root.toFile().getUsableSpace() > 0) {
        throw e;
      }
    }
  }

  void free() throws IOException {
    Files.delete(root.resolve(FILLER));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (!run("umount", root + "") && !run("umount", "-l", root + "")) {
      throw new IOException(root + " could not be unmounted");
    }
  }
}
