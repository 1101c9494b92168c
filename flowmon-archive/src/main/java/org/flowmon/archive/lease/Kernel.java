package org.flowmon.archive.lease;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The running kernel, which keeps file locks: processes under it see each other's locks for sure,
 * in whatever container. On a file system shared by several hosts others may not.
 */
final class Kernel {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** 16 hexadecimal digits, different after each start of the machine. */
  static final String NAME = name();

  private Kernel() {}

  private static String name() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(id().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String id() {
    try {
      return Files.readString(BOOT_ID);
    } catch (IOException e) {
      return hostName(); // not Linux
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return "localhost";
    }
  }
}
