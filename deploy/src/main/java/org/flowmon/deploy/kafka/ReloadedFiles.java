package org.flowmon.deploy.kafka;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.flowmon.deploy.command.CommandException;
import org.jspecify.annotations.Nullable;

/**
 * Files that are read again when they change. One that cannot be used is told of once, and what was
 * read before stays in use.
 */
final class ReloadedFiles implements Closeable {
  static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Reads files and uses what they say; returns what has changed, for people. */
  interface Reading {
    String read() throws IOException;
  }

  /** What a file's attributes say: equal ones mean an unchanged file. */
  private record Seen(long size, FileTime modified, @Nullable Object key) {
    static final Seen UNREADABLE = new Seen(-1, FileTime.fromMillis(0), null);
  }

  private static final class Watched {
    final String name;
    final List<Path> files;
    final Reading reading;
    final LongAdder done = new LongAdder();
    final LongAdder refused = new LongAdder();
    List<Seen> seen;

    Watched(String name, List<Path> files, Reading reading) {
      this.name = name;
      this.files = List.copyOf(files);
      this.reading = reading;
      this.seen = seen(files);
    }
  }

  /**
   * Counts of a name's files.
   *
   * @param done how often they were read again
   * @param refused how often they had changed and could not be used
   */
  record Count(long done, long refused) {}

  private final Consumer<String> log;
  private final List<Watched> all = new ArrayList<>();
  private final ScheduledExecutorService poll =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "collect-files");
            thread.setDaemon(true);
            return thread;
          });

  /** {@code log} takes a line for each change. */
  ReloadedFiles(Consumer<String> log) {
    this.log = log;
  }

  /** Before {@link #start}; the files were read a moment ago. */
  void add(String name, List<Path> files, Reading reading) {
    all.add(new Watched(name, files, reading));
  }

  void start(Duration interval) {
    if (!all.isEmpty()) {
      long millis = interval.toMillis();
      var unused =
          poll.scheduleWithFixedDelay(this::refresh, millis, millis, TimeUnit.MILLISECONDS);
    }
  }

  private void refresh() {
    all.forEach(this::refresh);
  }

  private void refresh(Watched one) {
    List<Seen> now = seen(one.files);
    if (now.equals(one.seen)) {
      return;
    }
    one.seen = now; // also of a bad file, which is told of once
    try {
      String changes = one.reading.read();
      one.done.increment();
      log.accept(one.name + ": read again: " + changes);
    } catch (IOException | RuntimeException e) {
      one.refused.increment();
      String why =
          e instanceof IOException || e instanceof CommandException ? e.getMessage() : e.toString();
      log.accept("warning: " + one.name + ": " + why + "; what was read before stays in use");
    }
  }

  private static List<Seen> seen(List<Path> files) {
    List<Seen> seen = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
        seen.add(new Seen(of.size(), of.lastModifiedTime(), of.fileKey()));
      } catch (IOException e) {
        seen.add(Seen.UNREADABLE);
      }
    }
    return seen;
  }

  /** By name. */
  Map<String, Count> counts() {
    Map<String, Count> counts = new TreeMap<>();
    all.forEach(one -> counts.put(one.name, new Count(one.done.sum(), one.refused.sum())));
    return counts;
  }

  @Override
  public void close() {
    poll.shutdownNow();
  }
}
