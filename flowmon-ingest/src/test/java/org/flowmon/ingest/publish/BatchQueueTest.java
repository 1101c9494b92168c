package org.flowmon.ingest.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.flowmon.ingest.publish.BatchQueue.ToWrite;
import org.flowmon.ingest.publish.BatchQueue.Written;
import org.flowmon.ingest.publish.PublisherOptions.WhenFull;
import org.flowmon.ingest.spool.Spool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A queue with a spool; the test is the thread that writes to the disk. */
class BatchQueueTest {
  private static final int BYTES = 1000;
  private static final long CAPACITY = 20L * BYTES;

  @TempDir private Path folder;

  private static QueuedBatch batch(int number) {
    byte[] bytes = new byte[BYTES];
    bytes[0] = (byte) number;
    long now = System.nanoTime();
    return new QueuedBatch(0, bytes, 1, 0, now, now, Optional.empty());
  }

  private static void write(BatchQueue queue, Spool spool, ToWrite next) throws IOException {
    QueuedBatch batch = next.batch();
    assertTrue(spool.write(batch.partition(), batch.rows(), batch.bytes()));
    queue.written(next, Written.YES);
  }

  private static ToWrite awaitToWrite(BatchQueue queue) throws InterruptedException {
    Optional<ToWrite> next = queue.toWrite();
    while (next.isEmpty()) {
      next = queue.toWrite();
    }
    return next.get();
  }

  /**
   * The disk has all but one batch, so the queue is about to go back to memory; when the disk has
   * the last one, too, Kafka refuses it. Until Kafka takes it, the disk takes what comes.
   */
  @Test
  void anOutageAtTheEndOfABacklogStillGoesToTheDisk() throws Exception {
    PublisherOptions options =
        PublisherOptions.ofCollector("unused").withQueue(CAPACITY, WhenFull.DROP);
    try (Spool spool = Spool.open(folder, 1 << 20, "flows")) {
      BatchQueue queue =
          new BatchQueue(
              options, 1, new PublisherCounters(), new Deliveries(1), Optional.of(spool));
      BlockingQueue<Integer> sent = new LinkedBlockingQueue<>();
      BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
      Thread sender = new Thread(() -> send(queue, sent, answers));
      for (int i = 0; i < 10; i++) {
        queue.put(batch(i)); // half of the memory
      }
      sender.start();
      List<Integer> taken = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        write(queue, spool, awaitToWrite(queue));
      }
      ToWrite last = awaitToWrite(queue);
      for (int i = 0; i < 9; i++) {
        taken.add(sent.take());
        answers.add(true);
      }
      while (sender.getState() != Thread.State.TIMED_WAITING) {
        Thread.sleep(1); // it waits for the write of the last one
      }
      write(queue, spool, last);
      assertEquals(9, sent.take());
      answers.add(false);
      assertEquals(9, sent.take());
      for (int i = 10; i < 40; i++) {
        assertTrue(queue.hasRoom());
        queue.put(batch(i));
        if (i >= 20) {
          write(queue, spool, awaitToWrite(queue));
        }
      }
      answers.add(true);
      taken.add(9);
      for (int i = 10; i < 40; i++) {
        while (sent.isEmpty()) {
          Optional<ToWrite> next = queue.toWrite();
          if (next.isPresent()) {
            write(queue, spool, next.get());
          }
        }
        taken.add(sent.take());
        answers.add(true);
      }
      queue.close();
      sender.join();
      for (int i = 0; i < 40; i++) {
        assertEquals(i, taken.get(i), taken.toString());
      }
    }
  }

  /** Tells of each batch that it is to send, and waits whether Kafka takes it. */
  private static void send(
      BatchQueue queue, BlockingQueue<Integer> sent, BlockingQueue<Boolean> answers) {
    try {
      for (Optional<QueuedBatch> next = queue.first(); next.isPresent(); next = queue.first()) {
        QueuedBatch batch = next.get();
        sent.add((int) batch.bytes()[0]);
        if (answers.take()) {
          batch.place().ifPresent(queue::ended);
          queue.removeFirst();
        } else {
          queue.refused();
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
