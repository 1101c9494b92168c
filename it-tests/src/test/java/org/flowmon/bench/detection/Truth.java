package org.flowmon.bench.detection;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.flow.time.FlowTime;

/** The attacks of a run of {@code flowmon generate}, by its file of labels. */
final class Truth {
  private final Map<String, Attack> attacks = new LinkedHashMap<>();

  /** Whom a column of a report's row names. */
  enum Role {
    /** Began conversations of the attack. */
    BEGUN,
    /** Was reached by them. */
    REACHED,
    ANY
  }

  /** Parties and time, in microseconds, of an attack. */
  private static final class Attack {
    private final Set<String> begun = new HashSet<>();
    private final Set<String> reached = new HashSet<>();
    private long from = Long.MAX_VALUE;
    private long to = Long.MIN_VALUE;

    private boolean has(Role role, String address) {
      return switch (role) {
        case BEGUN -> begun.contains(address);
        case REACHED -> reached.contains(address);
        case ANY -> begun.contains(address) || reached.contains(address);
      };
    }
  }

  private Truth() {}

  static Truth read(Path labels) throws IOException {
    Truth truth = new Truth();
    try (BufferedReader lines = Files.newBufferedReader(labels)) {
      List<String> columns = Arrays.asList(lines.readLine().split(","));
      int name = columns.indexOf("attack");
      int begin = columns.indexOf("start_time");
      int end = columns.indexOf("end_time");
      int src = columns.indexOf("src_addr");
      int dst = columns.indexOf("dst_addr");
      int begunBy = columns.indexOf("begun_by");
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] cells = line.split(",", -1);
        Attack attack = truth.attacks.computeIfAbsent(cells[name], n -> new Attack());
        boolean isAnswer = cells[begunBy].equals(cells[dst]);
        attack.begun.add(cells[begunBy]);
        attack.reached.add(cells[isAnswer ? src : dst]);
        attack.from = Math.min(attack.from, micros(cells[begin]));
        attack.to = Math.max(attack.to, micros(cells[end]));
      }
    }
    return truth;
  }

  private static long micros(String time) {
    return FlowTime.micros(Instant.parse(time.replace(' ', 'T')));
  }

  Set<String> names() {
    return attacks.keySet();
  }

  /** The attacks that explain what a report said of a window. */
  Set<String> explain(Map<Role, List<String>> parties, long windowStart, long windowEnd) {
    Set<String> found = new HashSet<>();
    attacks.forEach(
        (name, attack) -> {
          boolean isOfTheTime = attack.from < windowEnd && attack.to >= windowStart;
          boolean hasAll =
              parties.entrySet().stream()
                  .allMatch(
                      of -> of.getValue().stream().allMatch(who -> attack.has(of.getKey(), who)));
          if (isOfTheTime && hasAll) {
            found.add(name);
          }
        });
    return found;
  }
}
