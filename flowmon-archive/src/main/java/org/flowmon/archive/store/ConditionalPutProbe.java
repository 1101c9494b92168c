package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Tests whether a store keeps the first file of a name, with writers in turn and at the same time.
 * Some services ignore the condition and replace silently; a commit would be lost that way.
 */
final class ConditionalPutProbe {
  /** The folder of its files, which it deletes at its end. */
  static final String FOLDER = "probe";

  private static final int WRITERS = 6;

  private final ObjectStore store;

  ConditionalPutProbe(ObjectStore store) {
    this.store = store;
  }

  /** Returns if the store keeps the first file; else throws naming store and behaviour. */
  void run() throws IOException {
    String inTurn = FOLDER + "/" + UUID.randomUUID();
    String atOnce = FOLDER + "/" + UUID.randomUUID();
    try {
      inTurn(inTurn);
      atOnce(atOnce);
    } catch (IOException e) {
      throw new IOException(
          store.describe("") + ": nothing can be committed to this store: " + e.getMessage(), e);
    } finally {
      delete(inTurn);
      delete(atOnce);
    }
  }

  private void inTurn(String name) throws IOException {
    byte[] first = "first".getBytes(StandardCharsets.UTF_8);
    if (!put(name, first)) {
      throw new IOException("it says that " + store.describe(name) + ", a new file, exists");
    }
    boolean replaced = put(name, "second".getBytes(StandardCharsets.UTF_8));
    byte[] found = store.read(name, 100);
    if (replaced || !Arrays.equals(found, first)) {
      throw new IOException(
          "it replaced a file that was to be written only if none exists (a conditional put;"
              + " for S3, PutObject with If-None-Match: *), so one commit could replace another."
              + " Use a store or a version of it that refuses the second");
    }
  }

  private void atOnce(String name) throws IOException {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<byte[]> winners = new ArrayList<>();
    try {
      List<Callable<byte[]>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        byte[] bytes = ("writer " + i).getBytes(StandardCharsets.UTF_8);
        writers.add(() -> put(name, bytes) ? bytes : null);
      }
      for (Future<byte[]> writer : threads.invokeAll(writers)) {
        byte[] bytes = writer.get();
        if (bytes != null) {
          winners.add(bytes);
        }
      }
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new IOException(cause.getMessage(), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      threads.shutdownNow();
    }
    if (winners.size() != 1 || !Arrays.equals(winners.get(0), store.read(name, 100))) {
      throw new IOException(
          WRITERS
              + " writers wrote a file at the same time, each only if none exists, and "
              + winners.size()
              + " were told that they did; expected 1, whose bytes are in the file");
    }
  }

  /** Whether this call wrote the file, even if the answer was lost and it was tried again. */
  private boolean put(String name, byte[] bytes) throws IOException {
    return store.putIfAbsent(name, bytes) || Arrays.equals(bytes, store.read(name, 100));
  }

  private void delete(String name) {
    try {
      store.delete(name);
    } catch (IOException e) {
      // A leftover file beside the archive's folders harms nobody.
    }
  }
}
