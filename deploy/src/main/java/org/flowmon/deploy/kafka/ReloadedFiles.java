package org.flowmon.deploy.kafka;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.flowmon.deploy.command.CommandException;

/**
 * Files that are read again when they change. One that cannot be used is told of once, and what was
 * read before stays in use.
 */
final class ReloadedFiles implements Closeable {
  static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final int MAX_BYTES = 4 << 20;

  /** Reads files and uses what they say; returns what has changed, for people. */
  interface Reading {
    String read() throws IOException;
  }

  /**
   * What files have had at a time. Take one before they are read: a change while they are, or
   * after, shows at the next look.
   */
  static final class Contents {
    private final List<Path> files;
    private final List<String> digests;

    private Contents(List<Path> files) {
      this.files = List.copyOf(files);
      this.digests = files.stream().map(ReloadedFiles::digest).toList();
    }

    static Contents of(List<Path> files) {
      return new Contents(files);
    }

    boolean isOther(Contents other) {
      return !digests.equals(other.digests);
    }
  }

  private static final class Watched {
    final String name;
    final Reading reading;
    final LongAdder done = new LongAdder();
    final LongAdder refused = new LongAdder();
    Contents seen;

    Watched(String name, Contents seen, Reading reading) {
      this.name = name;
      this.reading = reading;
      this.seen = seen;
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

  /** Before {@link #start}; {@code before}: what the files had before they were read. */
  void add(String name, Contents before, Reading reading) {
    all.add(new Watched(name, before, reading));
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
    Contents now = Contents.of(one.seen.files);
    if (!now.isOther(one.seen)) {
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

  /** Of the first bytes, more than any of the files may have; what cannot be read has one, too. */
  private static String digest(Path file) {
    if (!Files.isRegularFile(file)) {
      return "no file";
    }
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(in.readNBytes(MAX_BYTES));
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      return "unreadable";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
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
