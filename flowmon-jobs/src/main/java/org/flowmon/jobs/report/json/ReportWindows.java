package org.flowmon.jobs.report.json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.jobs.report.Report;
import org.jspecify.annotations.Nullable;

/**
 * Assembles reports as every reader has to ({@code docs/format/reports.md}): the rows of each
 * window's highest revision, repeats once. Messages come in any order. Not thread-safe.
 */
public final class ReportWindows {
  private final int remembered;
  private final Map<Key, Window> windows = new LinkedHashMap<>();
  // In the order in which they were taken.
  private final Map<Key, Integer> taken = new LinkedHashMap<>();

  /** {@code remembered}: at least so many taken reports are known, whose repeats are no reports. */
  public ReportWindows(int remembered) {
    this.remembered = remembered;
  }

  /** The identity of a report. */
  private record Key(String analysis, long start, long end) {}

  /** A report, or its rows so far. */
  public static final class Window {
    private final Key key;
    private final Map<Integer, byte[]> messages = new TreeMap<>(); // by row number; 0: no rows
    private int revision;
    private int rows;
    private boolean isUpdated;

    private Window(Key key) {
      this.key = key;
    }

    public String analysis() {
      return key.analysis();
    }

    /** Microseconds. */
    public long start() {
      return key.start();
    }

    /** Microseconds, exclusive. */
    public long end() {
      return key.end();
    }

    public int revision() {
      return revision;
    }

    /** An earlier update came, too: never with {@code revisions: false}, whatever its number. */
    public boolean isUpdated() {
      return isUpdated;
    }

    public int rows() {
      return rows;
    }

    public boolean isComplete() {
      return messages.size() == Math.max(1, rows);
    }

    /** JSON in UTF-8: the rows in the report's order or, without rows, its single message. */
    public Collection<byte[]> messages() {
      return messages.values();
    }

    public List<ReportRow> parsed() throws IOException {
      List<ReportRow> parsed = new ArrayList<>();
      for (byte[] message : messages.values()) {
        parsed.add(ReportRow.parse(message));
      }
      return parsed;
    }

    private void add(ReportRow row, byte[] message) {
      if (row.revision() > revision) {
        isUpdated |= !messages.isEmpty() && isEarlier(revision, row.revision());
        messages.clear();
      }
      revision = row.revision();
      if (row.rows() < rows) { // a repeat with fewer rows
        messages.keySet().removeIf(number -> number > row.rows());
      } else if (row.rows() > 0) {
        messages.remove(0); // a repeat with rows
      }
      rows = row.rows();
      messages.put(row.rowNumber(), message);
    }
  }

  /**
   * Returns its window; null if that has, or had when it was taken, a higher revision, or the same
   * and was taken.
   */
  public @Nullable Window add(ReportRow row, byte[] message) {
    Key key = new Key(row.analysis(), row.windowStart(), row.windowEnd());
    Integer told = taken.get(key);
    if (told != null && told >= row.revision()) {
      return null;
    }
    Window window = windows.computeIfAbsent(key, Window::new);
    if (row.revision() < window.revision()) {
      window.isUpdated |= isEarlier(row.revision(), window.revision());
      return null;
    }
    window.isUpdated |= told != null && isEarlier(told, row.revision());
    window.add(row, message);
    return window;
  }

  /** Of an earlier update than another, not just of less history. */
  private static boolean isEarlier(int revision, int other) {
    return revision / Report.UPDATE < other / Report.UPDATE;
  }

  /** The reports that were not taken, in the order of their first messages. */
  public List<Window> waiting() {
    return List.copyOf(windows.values());
  }

  /**
   * Keeps the windows that end last, {@code most} per analysis, and those without rows in their
   * range, which do not count. Returns whether there were others.
   */
  public boolean keepLast(int most) {
    Map<String, List<Window>> byAnalysis = new TreeMap<>();
    for (Window window : windows.values()) {
      byAnalysis.computeIfAbsent(window.analysis(), any -> new ArrayList<>()).add(window);
    }
    boolean any = false;
    for (List<Window> of : byAnalysis.values()) {
      of.sort(Comparator.comparingLong(Window::end).reversed());
      int kept = 0;
      for (Window window : of) {
        if (kept == most) {
          forget(window);
          any = true;
        } else {
          kept += window.rows() > 0 ? 1 : 0;
        }
      }
    }
    return any;
  }

  /** Takes a report out: another of its window comes only with a higher revision. */
  public void take(Window window) {
    forget(window);
    taken.remove(window.key);
    taken.put(window.key, window.revision);
    if (taken.size() > remembered) {
      Iterator<Key> first = taken.keySet().iterator();
      first.next();
      first.remove();
    }
  }

  /** Drops a report as if it had never come. */
  public void forget(Window window) {
    windows.remove(window.key);
  }
}
