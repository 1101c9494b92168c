package org.flowmon.ingest.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.flowmon.flow.time.FlowTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of batches in a folder, first in, first out, that outlives the process: what was written
 * is read, in this run or the next, until Kafka has it ({@link #ended}). After a kill some batches
 * are read again that Kafka has; each is what it was, so the job knows them by their numbers.
 *
 * <p>One thread writes ({@link #write}, {@link #tidy}, and {@link #close}), one reads ({@link
 * #read}); all else is for any thread, and none of it waits for the disk.
 */
public final class Spool implements Closeable {
  public static final int MAX_BATCH_BYTES = SpoolFile.MAX_BATCH_BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
  private static final int FILES = 16;
  private static final long MAX_FILE_BYTES = 64L << 20;
  private static final long FORCE_NANOS = 1_000_000_000;
  private static final int READ_TRIES = 3;
  private static final long READ_PAUSE_MILLIS = 100;

  private final Path folder;
  private final long maxBytes;
  private final String topic;
  private final FileChannel lockFile;
  private final SpoolMark mark;
  private final SpoolMark.Position found;
  private final SpoolContents recovered = new SpoolContents();

  // Of the writing thread.
  private boolean isForced = true;
  private long forcedNanos = System.nanoTime();

  // The monitor guards all fields below.
  private final ArrayDeque<Held> files = new ArrayDeque<>();
  private final ArrayDeque<SpoolPlace> underWay = new ArrayDeque<>();
  private long nextNumber;
  private long bytes;
  private long batches;
  private long flows;
  private long damagedBytes;
  private long markedFile;
  private long markedOffset;

  /** A file, and what of it nobody has read yet. */
  private static final class Held {
    private final SpoolFile file;
    private final SpoolContents unread;
    private final long firstTime;
    private long end;
    private boolean sealed;

    Held(SpoolFile file, SpoolContents unread, long firstTime, boolean sealed) {
      this.file = file;
      this.unread = unread;
      this.firstTime = firstTime;
      this.end = file.size();
      this.sealed = sealed;
    }
  }

  /**
   * How full it is.
   *
   * @param batches that Kafka does not have yet, heartbeats among them
   * @param oldestMicros how long ago the oldest of them was written, µs; 0 without any
   * @param damagedBytes of files of earlier runs, when it was opened
   */
  public record Load(
      long capacityBytes,
      long bytes,
      long batches,
      long flows,
      long oldestMicros,
      long damagedBytes) {
    public static final Load NONE = new Load(0, 0, 0, 0, 0, 0);

    /** Of both spools. */
    public Load with(Load other) {
      return new Load(
          capacityBytes + other.capacityBytes,
          bytes + other.bytes,
          batches + other.batches,
          flows + other.flows,
          Math.max(oldestMicros, other.oldestMicros),
          damagedBytes + other.damagedBytes);
    }
  }

  /**
   * Opens the spool of a folder, which is made if it is missing, with the batches of earlier runs.
   *
   * @param maxBytes of all files
   * @throws IOException if another process uses it, a file cannot be read, or is of another topic
   *     or a newer version
   */
  public static Spool open(Path folder, long maxBytes, String topic) throws IOException {
    PrivateFiles.createFolder(folder);
    FileChannel lockFile =
        PrivateFiles.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      lock(folder, lockFile);
      SpoolMark mark = SpoolMark.open(folder);
      try {
        Spool spool = new Spool(folder, maxBytes, topic, lockFile, mark);
        spool.recover();
        return spool;
      } catch (IOException | RuntimeException e) {
        mark.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  private static void lock(Path folder, FileChannel lockFile) throws IOException {
    FileLock lock;
    try {
      lock = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new IOException(
          "spool " + folder + " is used by another collector: give each a folder of its own");
    }
  }

  private Spool(Path folder, long maxBytes, String topic, FileChannel lockFile, SpoolMark mark)
      throws IOException {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.topic = topic;
    this.lockFile = lockFile;
    this.mark = mark;
    this.found = mark.read().orElse(SpoolMark.Position.START);
    this.markedFile = found.file();
    this.markedOffset = found.offset();
    this.nextNumber = found.file() + 1;
  }

  private synchronized void recover() throws IOException {
    for (SpoolFile file : existing()) {
      nextNumber = Math.max(nextNumber, file.number() + 1);
      if (file.number() < found.file()) {
        file.delete();
        continue;
      }
      SpoolFile.Scan scan = file.scan(file.number() == found.file() ? found.offset() : 0, topic);
      file.closeReader();
      recovered.addAll(scan.contents());
      damagedBytes += scan.damagedBytes();
      bytes += file.size();
      files.add(new Held(file, scan.contents(), scan.firstTime(), true));
    }
    batches = recovered.batches();
    flows = recovered.flows();
    if (batches > 0 || damagedBytes > 0) {
      LOG.warn(
          "spool {} has {} batches ({} flows) of an earlier run; {} bytes of it are cut off or"
              + " damaged",
          folder,
          batches,
          flows,
          damagedBytes);
    }
  }

  private List<SpoolFile> existing() throws IOException {
    List<SpoolFile> all = new ArrayList<>();
    try (Stream<Path> paths = Files.list(folder)) {
      paths.forEach(path -> SpoolFile.existing(path).ifPresent(all::add));
    }
    all.sort(
        Comparator.comparingLong(SpoolFile::number).thenComparing(file -> file.path().toString()));
    return all;
  }

  /** What earlier runs left, as it was opened. */
  public SpoolContents recovered() {
    return recovered;
  }

  /** Flows that an earlier run had lost and that no batch tells of. */
  public long untold() {
    return found.untold();
  }

  /** The topic's partitions in an earlier run, if known. */
  public OptionalInt partitions() {
    return found.partitions() > 0 ? OptionalInt.of(found.partitions()) : OptionalInt.empty();
  }

  public Path folder() {
    return folder;
  }

  /**
   * Writes a batch behind all others.
   *
   * @return false if there is no room within the bound
   * @throws IOException if the disk does not take it; nothing was written then
   */
  public boolean write(int partition, int rows, byte[] batch) throws IOException {
    long length = SpoolFile.recordBytes(batch);
    Optional<Held> last = forAppending();
    if (last.isPresent() && last.get().end + length > fileBytes()) {
      last.get().file.force();
      last.get().file.closeWriter();
      seal();
      last = Optional.empty();
    }
    long head = last.isPresent() ? 0 : SpoolFile.headBytes(topic);
    if (!hasRoom(head + length)) {
      return false;
    }
    Held held = last.isPresent() ? last.get() : begin();
    SpoolFile file = held.file;
    isForced = false;
    try {
      file.append(partition, rows, batch, FlowTime.now());
    } catch (IOException e) {
      try {
        file.cut();
      } catch (IOException again) {
        e.addSuppressed(again); // the next batch overwrites it
      }
      throw e;
    }
    synchronized (this) {
      held.end = file.size();
      held.unread.add(partition, rows);
      bytes += length;
      batches++;
      flows += rows;
    }
    return true;
  }

  private long fileBytes() {
    return Math.min(MAX_FILE_BYTES, maxBytes / FILES);
  }

  private synchronized boolean hasRoom(long length) {
    return bytes + length <= maxBytes;
  }

  private synchronized Optional<Held> forAppending() {
    return Optional.ofNullable(files.peekLast()).filter(held -> !held.sealed);
  }

  private Held begin() throws IOException {
    long number;
    synchronized (this) {
      number = nextNumber;
    }
    SpoolFile file = SpoolFile.create(folder, number, topic);
    Held held = new Held(file, new SpoolContents(), FlowTime.now(), false);
    synchronized (this) {
      nextNumber++;
      bytes += file.size();
      files.add(held);
    }
    return held;
  }

  /** The next batch goes into a new file: the last one can be deleted when Kafka has it. */
  public synchronized void seal() {
    if (!files.isEmpty()) {
      files.getLast().sealed = true;
    }
  }

  /** Whether there is a batch that was not read yet. */
  public synchronized boolean hasUnread() {
    return files.stream().anyMatch(held -> !held.unread.isEmpty());
  }

  /**
   * The oldest batch that was not read yet; none if the thread was interrupted.
   *
   * @param lost takes batches that were written and cannot be read
   */
  public Optional<SpooledBatch> read(Consumer<SpoolContents> lost) {
    for (Optional<Held> next = unread(); next.isPresent(); next = unread()) {
      Held held = next.get();
      Optional<SpoolFile.Found> record = read(held);
      if (record.isPresent()) {
        return Optional.of(begun(held, record.get()));
      }
      if (Thread.currentThread().isInterrupted()) {
        return Optional.empty(); // it stays for the next run
      }
      lost.accept(giveUp(held));
    }
    return Optional.empty();
  }

  private synchronized Optional<Held> unread() {
    return files.stream().filter(held -> !held.unread.isEmpty()).findFirst();
  }

  private Optional<SpoolFile.Found> read(Held held) {
    long end;
    synchronized (this) {
      end = held.end;
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return held.file.read(end);
      } catch (IOException e) {
        if (!pause(held.file)) {
          return Optional.empty();
        }
        if (attempt == READ_TRIES) {
          LOG.warn("spool {}: the rest of a file is lost: {}", folder, e.toString());
          return Optional.empty();
        }
      }
    }
  }

  /** Before a file is read again; false if the thread is to end. */
  private static boolean pause(SpoolFile file) {
    try {
      file.closeReader();
      Thread.sleep(READ_PAUSE_MILLIS);
      return true;
    } catch (IOException e) {
      return true; // it is opened anew
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized SpooledBatch begun(Held held, SpoolFile.Found record) {
    held.unread.remove(record.partition(), record.rows());
    SpoolPlace place = new SpoolPlace(held.file.number(), record);
    underWay.add(place);
    return new SpooledBatch(
        record.partition(), record.rows(), record.time(), record.bytes(), place);
  }

  private synchronized SpoolContents giveUp(Held held) {
    SpoolContents rest = held.unread.takeAll();
    batches -= rest.batches();
    flows -= rest.flows();
    LOG.warn(
        "spool {}: {} batches ({} flows) of {} are damaged",
        folder,
        rest.batches(),
        rest.flows(),
        held.file.path().getFileName());
    return rest;
  }

  /** Kafka has the batch, or it was given up. */
  public synchronized void ended(SpoolPlace place) {
    place.setEnded();
    batches--;
    flows -= place.rows();
    while (!underWay.isEmpty() && underWay.getFirst().hasEnded()) {
      SpoolPlace first = underWay.removeFirst();
      markedFile = first.file();
      markedOffset = first.end();
    }
  }

  /**
   * Deletes files that Kafka has, and writes the mark.
   *
   * @param untold see {@link #untold}
   */
  public void tidy(long untold, int partitions) throws IOException {
    for (Optional<SpoolFile> done = done(); done.isPresent(); done = done()) {
      done.get().delete();
    }
    SpoolMark.Position position;
    synchronized (this) {
      position = new SpoolMark.Position(markedFile, markedOffset, untold, partitions);
    }
    mark.write(position);
    long now = System.nanoTime();
    Optional<Held> last = forAppending();
    if (!isForced && last.isPresent() && now - forcedNanos >= FORCE_NANOS) {
      last.get().file.force();
      isForced = true;
      forcedNanos = now;
    }
  }

  /** Takes out the oldest file if all of it has ended. */
  private synchronized Optional<SpoolFile> done() {
    Held first = files.peekFirst();
    boolean isDone =
        first != null
            && first.sealed
            && first.unread.isEmpty()
            && (underWay.isEmpty() || underWay.getFirst().file() != first.file.number());
    if (!isDone) {
      return Optional.empty();
    }
    files.removeFirst();
    bytes -= first.file.size();
    if (markedFile <= first.file.number()) {
      markedFile = first.file.number() + 1;
      markedOffset = 0;
    }
    return Optional.of(first.file);
  }

  public synchronized Load load() {
    long oldest =
        underWay.isEmpty()
            ? unread().map(held -> held.firstTime).orElse(0L)
            : underWay.getFirst().time();
    long age = oldest == 0 ? 0 : Math.max(0, FlowTime.now() - oldest);
    return new Load(maxBytes, bytes, batches, flows, age, damagedBytes);
  }

  /** After {@link #tidy}, when nobody reads any more. What Kafka does not have stays. */
  @Override
  public synchronized void close() throws IOException {
    for (Held held : files) {
      held.file.close();
    }
    mark.close();
    lockFile.close();
  }
}
