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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.SavedTemplates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A decoder whose templates outlive the process: they are in a file, which is replaced as a whole
 * every {@link #EVERY_MICROS} and at the end. The collector's thread never waits for the disk.
 */
public final class TemplateKeeper implements UdpCollector.Receiver, Closeable {
  static final long EVERY_MICROS = 30_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(TemplateKeeper.class);
  private static final long STOP_SECONDS = 10;

  private final ExportDecoder decoder;
  private final Path file;
  private final ExecutorService writer =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "flowmon-templates");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicBoolean isWriting = new AtomicBoolean();
  private long nextSave = Long.MIN_VALUE;

  /** {@code decoder} is new, and the keeper's from now on. */
  public TemplateKeeper(ExportDecoder decoder, Path file) {
    this.decoder = decoder;
    this.file = file;
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
      return decoder.restoreTemplates(Files.readAllBytes(file), nowMicros);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  @Override
  public void receive(
      byte[] datagram,
      int offset,
      int length,
      IpAddress exporter,
      int port,
      long arrivalMicros,
      FlowSink out) {
    decoder.decode(datagram, offset, length, exporter, port, arrivalMicros, out);
    if (nextSave == Long.MIN_VALUE) {
      nextSave = arrivalMicros + EVERY_MICROS;
    } else if (arrivalMicros >= nextSave && isWriting.compareAndSet(false, true)) {
      nextSave = arrivalMicros + EVERY_MICROS;
      byte[] templates = decoder.templates();
      writer.execute(() -> save(templates));
    }
  }

  @Override
  public void end() {
    byte[] templates = decoder.templates();
    writer.execute(() -> save(templates));
    decoder.endInput();
  }

  private void save(byte[] templates) {
    try {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer bytes = ByteBuffer.wrap(templates);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("templates could not be saved in {}: {}", file, e.toString());
    } finally {
      isWriting.set(false);
    }
  }

  /** After the collector: waits for the last save. */
  @Override
  public void close() {
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
