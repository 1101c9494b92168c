package org.flowmon.ingest.collect;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.flowmon.ingest.decode.exporter.SavedTemplates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Templates that outlive the process: they are in a file, which is replaced as a whole at intervals
 * and at the end, on a thread of its own. A thread that decodes never waits for the disk, and for a
 * few hundred µs at a time while its templates are copied.
 */
public final class TemplateKeeper implements Closeable {
  public static final Duration INTERVAL = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(TemplateKeeper.class);
  private static final long STOP_SECONDS = 10;

  private final CollectorDecoders decoders;
  private final Path file;
  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "flowmon-templates");
            thread.setDaemon(true);
            return thread;
          });

  private TemplateKeeper(CollectorDecoders decoders, Path file) {
    this.decoders = decoders;
    this.file = file;
  }

  /**
   * Makes the file's folder, if it is missing, and writes there, so that what cannot be saved is
   * told now.
   *
   * @throws IOException if nothing can be written there
   */
  public static TemplateKeeper open(CollectorDecoders decoders, Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    Path folder = absolute.getParent();
    if (folder == null || Files.isDirectory(absolute)) {
      throw new IOException(file + " is a folder; expected a file");
    }
    if (!Files.isDirectory(folder)) { // a link to one is, too, but not for createDirectories
      Files.createDirectories(folder);
    }
    TemplateKeeper keeper = new TemplateKeeper(decoders, absolute);
    Files.write(keeper.next(), new byte[0]);
    Files.delete(keeper.next());
    return keeper;
  }

  private Path next() {
    return file.resolveSibling(Objects.requireNonNull(file.getFileName(), "a file") + ".next");
  }

  /**
   * Restores what the file has, before the first datagram; 0 if there is no file yet.
   *
   * @return templates
   * @throws IOException if the file cannot be read or is damaged; the keeper can be used without
   */
  public int restore(long nowMicros) throws IOException {
    try {
      long size = Files.size(file);
      if (size > SavedTemplates.MAX_BYTES) {
        throw new IOException(size + " bytes are no templates");
      }
      return decoders.restore(Files.readAllBytes(file), nowMicros);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** Saves at each interval from now on. */
  public void start(Duration interval) {
    long millis = interval.toMillis();
    var unused = writer.scheduleWithFixedDelay(this::save, millis, millis, TimeUnit.MILLISECONDS);
  }

  private void save() {
    try {
      ByteBuffer bytes = decoders.templates().bytes();
      try (FileChannel channel =
          FileChannel.open(
              next(),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next(), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException e) {
      LOG.warn("templates could not be saved in {}: {}", file, e.toString());
    }
  }

  /** After the collector: saves once more, and waits for it. */
  @Override
  public void close() {
    var unused = writer.submit(this::save);
    writer.shutdown();
    try {
      if (!writer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("templates could not be saved in {} within {} s", file, STOP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
