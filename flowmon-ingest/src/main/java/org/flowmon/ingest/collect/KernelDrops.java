package org.flowmon.ingest.collect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The datagrams dropped at this process's sockets as their buffers were full: the last column of
 * Linux's {@code /proc/net/udp} and {@code udp6}.
 *
 * <pre>
 * sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode ref pointer drops
 * 7: 0100007F:0807 00000000:0000 07 ... 0 0 31337 2 0000000000000000 12
 * </pre>
 */
final class KernelDrops {
  private static final int LOCAL_ADDRESS = 1;
  private static final int INODE = 9;
  private static final int DROPS = 12;

  private final Path proc;

  KernelDrops() {
    this(Path.of("/proc"));
  }

  KernelDrops(Path proc) {
    this.proc = proc;
  }

  /** The drops at the sockets bound to these ports since they were opened; empty if unknown. */
  OptionalLong of(Set<Integer> ports) {
    try {
      Set<String> inodes = ownSockets();
      long drops = 0;
      int sockets = 0;
      for (String table : List.of("net/udp", "net/udp6")) {
        Path file = proc.resolve(table);
        if (!Files.exists(file)) {
          continue;
        }
        for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
          String[] fields = line.trim().split("\\s+", -1);
          if (fields.length > DROPS
              && inodes.contains(fields[INODE])
              && ports.contains(port(fields[LOCAL_ADDRESS]))) {
            drops += Long.parseLong(fields[DROPS]);
            sockets++;
          }
        }
      }
      return sockets < ports.size() ? OptionalLong.empty() : OptionalLong.of(drops);
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty(); // not Linux, or no permission
    }
  }

  private static int port(String address) {
    int colon = address.indexOf(':');
    return colon < 0 ? -1 : Integer.parseInt(address.substring(colon + 1), 16);
  }

  private Set<String> ownSockets() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(proc.resolve("self/fd"))) {
      for (Path file : files) {
        String target = target(file);
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    }
    return inodes;
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
