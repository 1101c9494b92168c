package org.flowmon.ingest.collect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The datagrams dropped at this process's sockets as their buffers were full: the last column of
 * Linux's {@code /proc/net/udp} and {@code udp6}. Sockets that share a port differ by their inodes.
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
  private final Set<Long> told = new HashSet<>();

  private record Row(int port, long inode, long drops) {}

  KernelDrops() {
    this(Path.of("/proc"));
  }

  KernelDrops(Path proc) {
    this.proc = proc;
  }

  /** The inode of this process's newest socket at a port, told once; empty if unknown. */
  OptionalLong newSocket(int port) {
    try {
      Set<Long> own = ownSockets();
      for (Row row : rows()) {
        if (row.port == port && own.contains(row.inode) && told.add(row.inode)) {
          return OptionalLong.of(row.inode);
        }
      }
      return OptionalLong.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty(); // not Linux, or no permission
    }
  }

  /** Inode → drops since the socket was opened, of those sockets that the kernel tells of. */
  Map<Long, Long> of(Collection<Long> inodes) {
    Map<Long, Long> drops = new HashMap<>();
    if (inodes.isEmpty()) {
      return drops;
    }
    try {
      for (Row row : rows()) {
        if (inodes.contains(row.inode)) {
          drops.put(row.inode, row.drops);
        }
      }
    } catch (IOException | NumberFormatException e) {
      drops.clear();
    }
    return drops;
  }

  private List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String table : List.of("net/udp", "net/udp6")) {
      Path file = proc.resolve(table);
      if (!Files.exists(file)) {
        continue;
      }
      for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
        String[] fields = line.trim().split("\\s+", -1);
        if (fields.length > DROPS && fields[LOCAL_ADDRESS].indexOf(':') >= 0) {
          rows.add(
              new Row(
                  port(fields[LOCAL_ADDRESS]),
                  Long.parseLong(fields[INODE]),
                  Long.parseLong(fields[DROPS])));
        }
      }
    }
    return rows;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }

  private Set<Long> ownSockets() throws IOException {
    Set<Long> inodes = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(proc.resolve("self/fd"))) {
      for (Path file : files) {
        String target = target(file);
        if (target.startsWith("socket:[")) {
          inodes.add(Long.parseLong(target, "socket:[".length(), target.length() - 1, 10));
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
