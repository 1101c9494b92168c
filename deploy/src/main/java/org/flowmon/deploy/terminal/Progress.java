package org.flowmon.deploy.terminal;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.flowmon.ingest.text.ShownText;

/**
 * Shows the progress of a long command on standard error: a line that is redrawn on a terminal,
 * otherwise an occasional line, or nothing. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long DRAWN_NANOS = 200_000_000L;
  private static final long LINE_NANOS = 5_000_000_000L;

  /** The way of showing progress. */
  enum Style {
    NONE,
    LINES,
    DRAWN
  }

  private final Style style;
  private final LongSupplier clock;
  private final PrintStream out;
  private String what = "";
  private long total;
  private LongSupplier done = () -> 0;
  private long flows;
  private long start;
  private long told;
  private boolean drawn;

  /** {@code clock} gives nanoseconds. */
  Progress(Style style, LongSupplier clock, PrintStream out) {
    this.style = style;
    this.clock = clock;
    this.out = out;
  }

  /** Begins a piece of work; {@code position} of {@code size}, 0 if unknown, is done. */
  public void begin(String name, long size, LongSupplier position) {
    what = ShownText.of(name); // a file's name comes from outside, too
    total = size;
    done = position;
    flows = 0;
    start = clock.getAsLong();
    told = start;
  }

  public void flows(long count) {
    flows += count;
    if (style == Style.NONE) {
      return;
    }
    long now = clock.getAsLong();
    if (now - told >= (style == Style.DRAWN ? DRAWN_NANOS : LINE_NANOS)) {
      told = now;
      show(line(now));
    }
  }

  public long flows() {
    return flows;
  }

  private void show(String line) {
    if (style == Style.DRAWN) {
      drawn = true;
      out.print("\r\033[K" + line);
      out.flush();
    } else {
      out.println(line);
    }
  }

  private String line(long now) {
    double seconds = Math.max(1e-9, (now - start) / 1e9);
    StringBuilder line = new StringBuilder(what).append(": ");
    double share = total == 0 ? 0 : Math.min(1, (double) done.getAsLong() / total);
    if (total > 0) {
      line.append(String.format(Locale.ROOT, "%.0f %%, ", 100 * share));
    }
    line.append(String.format(Locale.ROOT, "%,d flows, %,.0f/s", flows, flows / seconds));
    if (share > 0 && seconds > 1) {
      line.append(String.format(Locale.ROOT, ", %s left", time(seconds / share - seconds)));
    }
    return line.toString();
  }

  private static String time(double seconds) {
    long whole = (long) Math.ceil(seconds);
    return whole < 120
        ? whole + " s"
        : whole < 7200 ? whole / 60 + " min" : whole / 3600 + " h " + whole / 60 % 60 + " min";
  }

  public void clear() {
    if (drawn) {
      out.print("\r\033[K");
      out.flush();
      drawn = false;
    }
  }

  @Override
  public void close() {
    clear();
  }
}
